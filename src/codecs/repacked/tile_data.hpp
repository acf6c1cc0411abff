#pragma once
// A tile between its two halves of decoding: symbols in, coefficients by block out.

#include <array>
#include <cstdint>

#include "codecs/repacked/layout.hpp"
#include "core/cpu.hpp"

namespace penstock::inline v0::detail {

/// Bytes that vector code may read and write past the end of a list.
inline constexpr std::size_t kListSlack = 64;

/// One part of a tile. All lists are in the order of blocks.
struct PartData {
  template <int kPerBlock>
  using List = std::array<std::uint8_t, static_cast<std::size_t>(kMaxPartBlocks* kPerBlock) + kListSlack>;

  int blocks = 0;
  /// Which coefficients are not zero, in stored order; the DC's bit is not used.
  alignas(64) std::array<std::uint64_t, kMaxPartBlocks + 8> masks;
  alignas(64) std::array<std::int16_t, kMaxPartBlocks + 32> dc;
  static constexpr std::size_t kPerBlockList = kMaxPartBlocks + kListSlack;
  /// The symbols of kGroups, kMask0, kMask1 and kDc.
  std::array<std::uint8_t, 4 * kPerBlockList> per_block;
  List<6> more_masks;
  List<8> values0;
  List<8> values1;
  List<32> values2;
  List<16> values3;
  List<126> escapes;
  std::array<std::uint16_t, kMaxPartBlocks> escape_begin;  ///< in `escapes`, of blocks that have some

  /// Where the values of the part's first and second component begin, by value class.
  std::array<std::array<const std::uint8_t*, kValueClasses>, 2> value_begins;

  const std::uint8_t* groups() const { return per_block.data() + kGroups * kPerBlockList; }
  const std::uint8_t* mask0() const { return per_block.data() + kMask0 * kPerBlockList; }
  const std::uint8_t* mask1() const { return per_block.data() + kMask1 * kPerBlockList; }
  const std::uint8_t* dc_high() const { return per_block.data() + kDc * kPerBlockList; }
};

using TileData = std::array<PartData, kParts>;

/// The bytes of a tile and what is known about it.
struct TileBytes {
  ByteSpan tile;
  /// End of the memory that may be read, at or after the tile's end; 8 bytes before the tile may be read too.
  const std::uint8_t* readable_end = nullptr;
  /// Code lookups by part and class.
  std::array<std::array<const std::uint16_t*, kClasses>, kParts> lookups{};
  int parts = 0;
  /// Size in blocks of each component of a part; part 1 has two components of this size.
  std::array<int, kParts> wide{};
  std::array<int, kParts> high{};
};

/// Null, or what is wrong with the tile. Reads nothing outside the tile and `readable_end`, whatever it
/// holds; `out` is valid only without an error. Equal on every CPU target.
const char* decode_tile(const TileBytes& in, TileData& out);

/// What the first row of a block is multiplied by when it is dequantised: room for the rounding below it.
inline constexpr int kFirstRowScale = 8;

/// Some blocks of one component of a tile, to be turned into samples.
struct BlockJob {
  const PartData* part = nullptr;
  int component = 0;  ///< of the part
  int wide = 0;       ///< blocks of the component in the tile
  int high = 0;
  int x0 = 0, x1 = 0;  ///< the wanted ones
  int y0 = 0, y1 = 0;
  const std::int16_t* quant = nullptr;  ///< stored order, the first row times kFirstRowScale
  std::uint8_t* out = nullptr;          ///< the first sample of block (x0, y0)
  std::size_t stride = 0;
};

/// Up to kSampleSlack bytes to the right of each row are overwritten. Equal on every CPU target.
inline constexpr std::size_t kSampleSlack = 32;
void decode_samples(const BlockJob& job);

/// The target for which the kernels that run were compiled, for tests.
CpuTarget samples_target();

}  // namespace penstock::inline v0::detail
