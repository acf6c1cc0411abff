#pragma once
// RGBA pixels multiplied with their alpha, as Pillow resizes and warps them. Pure functions; any thread may
// call. `out` has the size of `in` and may be the same memory.

#include "transforms/kernels/pixel_rows.hpp"

namespace penstock::inline v0 {

/// Pillow's convert("RGBa") and back.
void multiply_by_alpha(const ConstPixelRows& in, const PixelRows& out);
void divide_by_alpha(const ConstPixelRows& in, const PixelRows& out);

}  // namespace penstock::inline v0
