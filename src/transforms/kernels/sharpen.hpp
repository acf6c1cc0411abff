#pragma once
// Pillow's Sharpness: a blend from the image smoothed by 3 x 3 pixels. Results are equal on every CPU target.
// Pure functions; any thread may call.

#include "core/cpu.hpp"
#include "transforms/kernels/pixel_rows.hpp"

namespace penstock::inline v0 {

/// `factor` 0 is smooth, 1 the image, more is sharper. `out` has the size and channels of `in` and is other
/// memory. Pixels at the edges and a fourth channel stay as they are.
void adjust_sharpness(const ConstPixelRows& in, const PixelRows& out, float factor);

/// The target for which the kernels that run were compiled, for tests.
CpuTarget sharpen_target();

}  // namespace penstock::inline v0
