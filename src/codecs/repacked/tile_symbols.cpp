#include "codecs/repacked/tile_symbols.hpp"

namespace penstock::inline v0::detail {
namespace {

/// The most symbols that a block can have, by class.
constexpr std::array<std::size_t, kClasses> kMaxPerBlock = {1, 1, 1, 1, 6, 7, 8, 32, 16, 126};
/// Coefficients of images that are large: 4 Mpx with full colour.
constexpr std::size_t kLarge = std::size_t{12} << 20U;

}  // namespace

void PartSymbols::start(std::size_t blocks) {
  constexpr std::size_t kSlack = 8;  // symbols are written eight at a time, and as many counted as there are
  std::size_t size = blocks + kSlack;
  for (const std::size_t most : kMaxPerBlock) {
    size += most * blocks + kSlack;
  }
  std::uint8_t* at = memory_.reserve(size);
  for (std::size_t i = 0; i < kClasses; ++i) {
    begins_[i] = at;
    at += kMaxPerBlock[i] * blocks + kSlack;
  }
  dc_nibbles_ = at;
  counts_.fill(0);
}

SymbolEnds PartSymbols::ends() const {
  SymbolEnds ends;
  for (std::size_t i = 0; i < kClasses; ++i) {
    ends.at[i] = begins_[i] + counts_[i];
  }
  ends.nibble = dc_nibbles_ + counts_[kDc];
  return ends;
}

void PartSymbols::set_ends(const SymbolEnds& ends) {
  for (std::size_t i = 0; i < kClasses; ++i) {
    counts_[i] = static_cast<std::size_t>(ends.at[i] - begins_[i]);
  }
}

bool release_if_large(JpegCoefficients& image, ImageSymbols& symbols) {
  std::size_t coefficients = 0;
  for (const auto& component : image.blocks) {
    coefficients += component.capacity();
  }
  if (coefficients <= kLarge) {
    return false;
  }
  image = {};
  for (PartSymbols& part : symbols) {
    part.release();
  }
  return true;
}

void start_symbols(const RepackGeometry& geometry, ImageSymbols& out) {
  const auto blocks = [&](int component) {
    return static_cast<std::size_t>(geometry.blocks_wide(component)) *
           static_cast<std::size_t>(geometry.blocks_high(component));
  };
  out[0].start(blocks(0));
  out[1].start(geometry.parts() == 2 ? 2 * blocks(1) : 0);
}

bool add_tile_symbols(const JpegCoefficients& image, int tile_x, int tile_y, ImageSymbols& out) {
  const RepackGeometry& geometry = image.geometry;
  for (int component = 0; component < geometry.components(); ++component) {
    const BlockRange range = geometry.blocks_of_tile(component, tile_x, tile_y);
    PartSymbols& part = out[component > 0 ? 1 : 0];
    SymbolEnds ends = part.ends();
    if (!add_block_symbols({.first = image.block(component, range.x0, range.y0),
                            .row_step = std::ptrdiff_t{64} * geometry.blocks_wide(component),
                            .wide = range.wide(),
                            .high = range.high(),
                            .quant = &image.quant[static_cast<std::size_t>(component)]},
                           ends)) {
      return false;
    }
    part.set_ends(ends);
  }
  return true;
}

}  // namespace penstock::inline v0::detail
