#pragma once
// What the pixels of an image are, one by one.

#include <cstddef>
#include <cstdint>

namespace penstock::inline v0 {

/// What pixels are: Pillow's "RGB", "L", "I;16" (two bytes, as the CPU orders them) and "RGBA", or the values
/// of a mask as the file stores them, places in its palette or gray levels that are not scaled.
enum class PixelLayout : std::uint8_t { rgb, gray, gray_16, rgba, index };

constexpr int channels_of(PixelLayout layout) noexcept {
  return layout == PixelLayout::rgb ? 3 : layout == PixelLayout::rgba ? 4 : 1;
}
constexpr std::size_t pixel_bytes(PixelLayout layout) noexcept {
  return layout == PixelLayout::gray_16 ? 2 : static_cast<std::size_t>(channels_of(layout));
}

}  // namespace penstock::inline v0
