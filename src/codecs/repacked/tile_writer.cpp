#include "codecs/repacked/tile_writer.hpp"

#include <algorithm>
#include <cstring>

#include "codecs/repacked/bytes.hpp"

namespace penstock::inline v0::detail {
namespace {

// More than an eighth of the symbols that a tile can have, at two bytes each.
constexpr std::size_t kLaneBytes =
    std::size_t{2} * (kMaxPartBlocks + kMaxPartBlocks / 2) * 200 / kLanes + 1024;

}  // namespace

TileWriter::TileWriter() : memory_(kLaneBytes * kLanes) {}

void TileWriter::use(const RepackTables& tables, const VariantChoice& variants, int parts) {
  parts_ = parts;
  for (int part = 0; part < kParts; ++part) {
    const auto at = static_cast<std::size_t>(part);
    for (std::size_t i = 0; i < kClasses; ++i) {
      codes_[at][i] = &tables.code(part, static_cast<int>(i), variants[at][i]);
    }
  }
}

void TileWriter::put(Lane& lane, const CodeTable& code, const std::uint8_t* symbols, std::size_t count,
                     std::size_t first, std::size_t step, std::size_t rounds) {
  constexpr int kPerFlush = 5;  // codes that fit beside 7 bits
  std::uint64_t bits = lane.bits;
  unsigned have = lane.count;
  std::uint8_t* at = lane.at;
  for (std::size_t i = first; rounds > 0;) {
    const auto now = std::min<std::size_t>(rounds, kPerFlush);
    rounds -= now;
    for (std::size_t k = 0; k < now; ++k, i += step) {
      const std::uint8_t symbol = i < count ? symbols[i] : code.shortest;
      bits |= std::uint64_t{code.codes[symbol]} << have;
      have += code.lengths[symbol];
    }
    std::memcpy(at, &bits, sizeof bits);
    at += have / 8;
    bits >>= have / 8 * 8;
    have %= 8;
  }
  lane.bits = bits;
  lane.count = have;
  lane.at = at;
}

void TileWriter::write(const ImageSymbols& symbols, const TileCounts& begin, const TileCounts& end,
                       std::vector<std::uint8_t>& out) {
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    std::uint8_t* const memory = memory_.data() + lane * kLaneBytes;
    lanes_[lane] = {memory, memory, 0, 0};
  }
  for (std::size_t part = 0; part < static_cast<std::size_t>(parts_); ++part) {
    for (std::size_t i = 0; i < kClasses; ++i) {
      const std::size_t count = end[part][i] - begin[part][i];
      const std::uint8_t* const from = symbols[part].symbols(i) + begin[part][i];
      const bool per_block = i <= kDc;
      const std::size_t lanes = per_block ? 2 : kLanes;
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        put(lanes_[per_block ? 2 * i + lane : lane], *codes_[part][i], from, count, lane, lanes,
            (count + lanes - 1) / lanes);
      }
    }
  }
  std::array<std::size_t, kLanes> sizes{};
  for (std::size_t i = 0; i < kLanes; ++i) {
    Lane& lane = lanes_[i];
    if (lane.count > 0) {
      *lane.at++ = static_cast<std::uint8_t>(lane.bits);
    }
    sizes[i] = static_cast<std::size_t>(lane.at - lane.begin);
  }
  const bool wide = *std::max_element(sizes.begin(), sizes.end() - 1) > 255;
  for (std::size_t part = 0; part < static_cast<std::size_t>(parts_); ++part) {
    const auto escapes = static_cast<unsigned>(end[part][kEscapes] - begin[part][kEscapes]) / 2;
    const unsigned limit = part == 0 ? 127 : 255;
    out.push_back(static_cast<std::uint8_t>(std::min(escapes, limit) | (part == 0 && wide ? 128u : 0u)));
    if (escapes >= limit) {
      append_16(out, escapes);
    }
  }
  for (std::size_t i = 0; i + 1 < kLanes; ++i) {
    out.push_back(static_cast<std::uint8_t>(sizes[i]));
    if (wide) {
      out.push_back(static_cast<std::uint8_t>(sizes[i] >> 8));
    }
  }
  for (std::size_t part = 0; part < static_cast<std::size_t>(parts_); ++part) {
    const std::uint8_t* const nibbles = symbols[part].dc_nibbles();
    for (std::size_t i = begin[part][kDc]; i < end[part][kDc]; i += 2) {
      const unsigned second = i + 1 < end[part][kDc] ? nibbles[i + 1] : 0u;
      out.push_back(static_cast<std::uint8_t>(nibbles[i] | second << 4));
    }
  }
  for (const Lane& lane : lanes_) {
    out.insert(out.end(), lane.begin, lane.at);
  }
}

}  // namespace penstock::inline v0::detail
