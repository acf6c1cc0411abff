#pragma once
// An image with pixels added around it.

#include <cstddef>
#include <cstdint>

#include "transforms/geometry.hpp"

namespace penstock::inline v0 {

/// Pixels of 3 bytes from `in` (rows `stride` bytes apart) to `out` (rows follow each other closely).
/// `reflect` and `symmetric` go back and forth as often as it takes, like numpy's pad.
void pad_image(const PadStep& step, const std::uint8_t* in, std::size_t stride, ImageSize size,
               std::uint8_t* out);

}  // namespace penstock::inline v0
