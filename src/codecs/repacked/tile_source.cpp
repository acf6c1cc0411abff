#include "codecs/repacked/tile_source.hpp"

#include <fmt/format.h>

#include <bit>

#include "codecs/jpeg_scan.hpp"
#include "codecs/picture_decoder.hpp"

namespace penstock::detail {
namespace {

/// Zigzag place of each natural place.
constexpr std::array<std::uint8_t, 64> kZigzag = [] {
  std::array<std::uint8_t, 64> order{};
  for (std::size_t k = 0; k < 64; ++k) {
    order[kNatural[k]] = static_cast<std::uint8_t>(k);
  }
  return order;
}();

constexpr std::array<std::uint8_t, 64> kZigzagOfStored = [] {
  std::array<std::uint8_t, 64> order{};
  for (std::size_t i = 0; i < 64; ++i) {
    order[i] = kZigzag[kStoredOrder[i]];
  }
  return order;
}();

}  // namespace

TileSource::TileSource(const RepackRecord& record, const RepackTables& tables) : record_(record) {
  bytes_.parts = record.geometry.parts();
  bytes_.readable_end = record.tiles.data() + record.tiles.size();
  for (int part = 0; part < kParts; ++part) {
    const auto at = static_cast<std::size_t>(part);
    for (std::size_t i = 0; i < kClasses; ++i) {
      bytes_.lookups[at][i] = tables.code(part, static_cast<int>(i), record.variants[at][i]).lookup.data();
    }
  }
}

Status TileSource::decode(int tile_x, int tile_y, TileData& out) {
  const auto index =
      static_cast<std::size_t>(tile_y) * static_cast<std::size_t>(record_.geometry.tiles_wide()) +
      static_cast<std::size_t>(tile_x);
  const std::size_t begin = record_.tile_begins[index];
  bytes_.tile = record_.tiles.subspan(begin, record_.tile_begins[index + 1] - begin);
  for (int part = 0; part < bytes_.parts; ++part) {
    const BlockRange range = record_.geometry.blocks_of_tile(part, tile_x, tile_y);
    bytes_.wide[static_cast<std::size_t>(part)] = range.wide();
    bytes_.high[static_cast<std::size_t>(part)] = range.high();
  }
  if (const char* const problem = decode_tile(bytes_, out); problem != nullptr) {
    return decode_error(ErrorKind::corrupt, fmt::format("repacked picture is damaged: {}", problem));
  }
  return {};
}

bool equals(const SparseBlock& block, const std::int16_t* natural) {
  bool same = block.dc == natural[0];
  for (std::size_t k = 1; k < 64; ++k) {
    const int value = (block.mask >> k & 1) != 0 ? block.zigzag[k] : 0;
    same = same && value == natural[kNatural[k]];
  }
  return same;
}

SparseBlocks::SparseBlocks(const PartData& part, int component, int first_block)
    : part_(part),
      values_(part.value_begins[static_cast<std::size_t>(component)]),
      block_(static_cast<std::size_t>(first_block)) {}

void SparseBlocks::next(SparseBlock& out) {
  out.mask = 0;
  out.dc = part_.dc[block_];
  // By value class, so that each pointer stays in a register.
  static constexpr std::array<std::uint64_t, kValueClasses> kMaskOf = {0xFF, 0xFF00, 0xFFFFFFFF0000,
                                                                       0xFFFF000000000000};
  for (std::size_t i = 0; i < kValueClasses; ++i) {
    const std::uint8_t* from = values_[i];
    for (std::uint64_t mask = part_.masks[block_] & kMaskOf[i]; mask != 0; mask &= mask - 1) {
      const std::uint8_t place = kZigzagOfStored[static_cast<std::size_t>(std::countr_zero(mask))];
      out.zigzag[place] = static_cast<std::int8_t>(*from++);
      out.mask |= std::uint64_t{1} << place;
    }
    values_[i] = from;
  }
  if ((part_.groups()[block_] & kHasEscapes) != 0) {
    const std::uint8_t* at = part_.escapes.data() + part_.escape_begin[block_];
    bool last = false;
    for (; !last; at += 2) {
      last = (at[0] & kLastEscape) != 0;
      const std::uint8_t place = kZigzag[at[0] & 63u];
      const std::uint64_t bit = std::uint64_t{1} << place;
      const int low = (out.mask & bit) != 0 ? out.zigzag[place] : 0;
      out.zigzag[place] = static_cast<std::int16_t>(low + static_cast<std::int8_t>(at[1]) * 256);
      out.mask |= bit;
    }
    out.mask &= ~std::uint64_t{1};
  }
  ++block_;
}

}  // namespace penstock::detail
