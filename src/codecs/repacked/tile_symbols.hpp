#pragma once
// A tile's coefficients as symbols, the first half of encoding.

#include <array>
#include <cstdint>

#include "codecs/repacked/coefficients.hpp"
#include "codecs/repacked/layout.hpp"
#include "core/scratch.hpp"

namespace penstock::inline v0::detail {

/// Where the next symbols of a part go.
struct SymbolEnds {
  std::array<std::uint8_t*, kClasses> at{};
  std::uint8_t* nibble = nullptr;
};

/// The symbols of one part, tile after tile.
class PartSymbols {
 public:
  using Counts = std::array<std::size_t, kClasses>;

  /// Room for an image of so many blocks; forgets what was there.
  void start(std::size_t blocks);
  const std::uint8_t* symbols(std::size_t symbol_class) const { return begins_[symbol_class]; }
  const Counts& counts() const { return counts_; }
  /// Low bits of the DC differences, one per byte, as many as there are symbols of kDc.
  const std::uint8_t* dc_nibbles() const { return dc_nibbles_; }

  SymbolEnds ends() const;
  void set_ends(const SymbolEnds& ends);
  /// Forgets the symbols and gives their memory back.
  void release() { *this = PartSymbols(); }

 private:
  Scratch memory_;
  std::array<std::uint8_t*, kClasses> begins_{};
  std::uint8_t* dc_nibbles_ = nullptr;
  Counts counts_{};
};

using ImageSymbols = std::array<PartSymbols, kParts>;

/// Gives the memory of an image back if it was a large one: threads that each keep what their largest
/// image needed would add up to gigabytes. True if it was.
bool release_if_large(JpegCoefficients& image, ImageSymbols& symbols);

/// Room for the symbols of all tiles of the image.
void start_symbols(const RepackGeometry& geometry, ImageSymbols& out);

/// Adds the symbols of the tile. False if a value is beyond what records hold, or so large that decoders of
/// JPEG may differ in its pixels.
bool add_tile_symbols(const JpegCoefficients& image, int tile_x, int tile_y, ImageSymbols& out);

/// The blocks of one component within a tile.
struct TileBlocks {
  const std::int16_t* first = nullptr;
  std::ptrdiff_t row_step = 0;  ///< coefficients from a row of blocks to the next
  int wide = 0;
  int high = 0;
  const std::array<std::uint16_t, 64>* quant = nullptr;  ///< natural order
};

/// Adds the symbols of these blocks; false as above.
bool add_block_symbols(const TileBlocks& blocks, SymbolEnds& ends);

}  // namespace penstock::inline v0::detail
