#pragma once
// An image with pixels added around it.

#include <cstddef>
#include <cstdint>

#include "transforms/image_edits.hpp"

namespace penstock::inline v0 {

struct PixelFormat {
  int channels = 3;
  ElementType type = ElementType::uint8;  ///< or uint16

  std::size_t bytes() const noexcept { return static_cast<std::size_t>(channels) * size_of(type); }
};

/// Pixels from `in` (rows `stride` bytes apart) to `out` (rows follow each other closely).
/// `reflect` and `symmetric` go back and forth as often as it takes, like numpy's pad.
void pad_image(const PadEdit& edit, const std::uint8_t* in, std::size_t stride, ImageSize size,
               const PixelFormat& format, std::uint8_t* out);

}  // namespace penstock::inline v0
