#include "codecs/repacked/tile_source.hpp"

#include <fmt/format.h>

#include "codecs/image_format_decoder.hpp"
#include "codecs/jpeg_scan.hpp"

namespace penstock::inline v0::detail {

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
    return decode_error(ErrorKind::corrupt, fmt::format("repacked image is damaged: {}", problem));
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

void SparseBlocks::next(SparseBlock* out, int count) {
  take_blocks(part_, block_, values_, out, count);
  block_ += static_cast<std::size_t>(count);
}

}  // namespace penstock::inline v0::detail
