#pragma once
// Rows from right to left, and rows of one pixel.

#include <cstddef>
#include <cstdint>

#include "core/cpu.hpp"

namespace penstock::inline v0 {

/// out = in from right to left, pixels of 1, 2, 3, 4, 6 or 8 bytes; they must not overlap. Nothing else is
/// read or written.
void flip_row(const std::uint8_t* in, int width, std::size_t pixel, std::uint8_t* out);

/// `count` times the same pixel.
void repeat_pixel(const std::uint8_t* pixel, std::size_t bytes, int count, std::uint8_t* out);

CpuTarget mirror_target();

}  // namespace penstock::inline v0
