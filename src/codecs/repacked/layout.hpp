#pragma once
// The parts of a repacked image: classes of symbols, order of coefficients, blocks, tiles and the record.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "penstock/result.hpp"
#include "penstock/sample.hpp"

namespace penstock::inline v0::detail {

inline constexpr int kTileMcusWide = 4;
inline constexpr int kTileMcusHigh = 8;
inline constexpr int kLanes = 8;
inline constexpr int kMaxCodeBits = 11;
inline constexpr int kVariants = 8;
/// Part 0 of a tile is its luma, part 1 both chroma components.
inline constexpr int kParts = 2;
inline constexpr int kMaxPartBlocks = kTileMcusWide * kTileMcusHigh * 4;

/// What the symbols of a part mean; one code table each. In the order in which they are coded, the first four
/// side by side.
enum SymbolClass : std::uint8_t {
  kGroups,  ///< bit i: group i + 2 of the block is not empty; bit 6: the block has escapes
  kMask0,   ///< which coefficients of group 0 are not zero; bit 0, the DC's, is 0
  kMask1,
  kDc,       ///< high bits of the DC difference
  kMasks,    ///< masks of the groups that kGroups names
  kValues0,  ///< low bytes of the coefficients of group 0, group 1, groups 2 to 5, groups 6 and 7
  kValues1,
  kValues2,
  kValues3,
  kEscapes,  ///< pairs: natural place (bit 6: the block's last), signed high byte
  kClasses
};
inline constexpr int kValueClasses = 4;
inline constexpr std::uint8_t kHasEscapes = 0x40;
inline constexpr std::uint8_t kLastEscape = 0x40;

/// Natural place of the i-th stored coefficient: four quadrants of 4 x 4, row by row; a group is 8 of them.
inline constexpr std::array<std::uint8_t, 64> kStoredOrder = [] {
  std::array<std::uint8_t, 64> order{};
  std::size_t i = 0;
  for (int quadrant = 0; quadrant < 4; ++quadrant) {
    for (int row = 0; row < 4; ++row) {
      for (int column = 0; column < 4; ++column) {
        order[i++] = static_cast<std::uint8_t>((row + (quadrant >> 1) * 4) * 8 + column + (quadrant & 1) * 4);
      }
    }
  }
  return order;
}();

/// Value class of each group, counted from kValues0.
inline constexpr std::array<std::uint8_t, 8> kValueClassOf = {0, 1, 2, 2, 2, 2, 3, 3};

/// Luma sampling; chroma is 1 x 1.
enum class RepackSampling : std::uint8_t { gray, s444, s422, s440, s420 };

/// Blocks of one component: columns and rows from begin to end.
struct BlockRange {
  int x0, x1, y0, y1;
  int wide() const { return x1 - x0; }
  int high() const { return y1 - y0; }
  int count() const { return wide() * high(); }
};

struct RepackGeometry {
  int width = 0;
  int height = 0;
  RepackSampling sampling = RepackSampling::gray;

  int components() const { return sampling == RepackSampling::gray ? 1 : 3; }
  int parts() const { return sampling == RepackSampling::gray ? 1 : 2; }
  /// Luma blocks per MCU, and pixels per chroma sample.
  int h() const { return sampling == RepackSampling::s422 || sampling == RepackSampling::s420 ? 2 : 1; }
  int v() const { return sampling == RepackSampling::s440 || sampling == RepackSampling::s420 ? 2 : 1; }
  int h(int component) const { return component == 0 ? h() : 1; }
  int v(int component) const { return component == 0 ? v() : 1; }
  // Shifts, as 8 * h() is 8 or 16: every tile asks for this, and a division takes long.
  int mcus_wide() const { return (width + 8 * h() - 1) >> (2 + h()); }
  int mcus_high() const { return (height + 8 * v() - 1) >> (2 + v()); }
  int blocks_wide(int component) const { return mcus_wide() * h(component); }
  int blocks_high(int component) const { return mcus_high() * v(component); }
  int tiles_wide() const { return (mcus_wide() + kTileMcusWide - 1) / kTileMcusWide; }
  int tiles_high() const { return (mcus_high() + kTileMcusHigh - 1) / kTileMcusHigh; }

  BlockRange blocks_of_tile(int component, int tile_x, int tile_y) const {
    const int wide = kTileMcusWide * h(component);
    const int high = kTileMcusHigh * v(component);
    return {tile_x * wide, std::min(blocks_wide(component), (tile_x + 1) * wide), tile_y * high,
            std::min(blocks_high(component), (tile_y + 1) * high)};
  }

  bool operator==(const RepackGeometry&) const = default;
};

/// A quantisation table per component, natural order.
using QuantTables = std::array<std::array<std::uint16_t, 64>, 3>;
/// The code tables of an image: a variant per part and class.
using VariantChoice = std::array<std::array<std::uint8_t, kClasses>, kParts>;

/// A record taken apart; the spans point into it.
struct RepackRecord {
  RepackGeometry geometry;
  bool has_file = false;      ///< the JPEG file can be rebuilt
  bool zero_padding = false;  ///< the file fills up bytes before markers with zeros, not ones
  QuantTables quant{};
  VariantChoice variants{};
  std::vector<std::uint32_t> tile_begins;  ///< in `tiles`, and the end of the last
  ByteSpan tiles;                          ///< from the first tile to the end of the record
  ByteSpan header;                         ///< the packed JPEG header
};

bool starts_as_record(ByteSpan record) noexcept;

/// Checks everything but the contents of tiles and header, into `out`, whose memory is used again.
Status parse_record(ByteSpan bytes, RepackRecord& out);

/// Writes what goes before the tiles. `tile_begins` gives the sizes.
void write_record_start(const RepackRecord& record, std::vector<std::uint8_t>& out);

}  // namespace penstock::inline v0::detail
