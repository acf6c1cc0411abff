#pragma once
// Quarter turns.

#include <cstddef>
#include <cstdint>

#include "penstock/sample.hpp"

namespace penstock {

/// Pixels of that many bytes from `in` (rows `stride` bytes apart) to `out` (rows follow each other closely),
/// turned counter-clockwise by 1, 2 or 3 quarters.
void turn_image(int quarters, const std::uint8_t* in, std::size_t stride, ImageSize size, std::size_t pixel,
                std::uint8_t* out);

}  // namespace penstock
