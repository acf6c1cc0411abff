#pragma once
// A picture with pixels added around it.

#include <cstddef>
#include <cstdint>

#include "transforms/image_steps.hpp"

namespace penstock {

/// Pixels of 3 bytes from `in` (rows `stride` bytes apart) to `out` (rows follow each other closely).
/// `reflect` and `symmetric` go back and forth as often as it takes, like numpy's pad.
void pad_picture(const PadStep& step, const std::uint8_t* in, std::size_t stride, ImageSize size,
                 std::uint8_t* out);

}  // namespace penstock
