#pragma once
// Pillow's GaussianBlur: three box blurs along the rows, then three down the columns, in whole numbers.
// Results are equal on every CPU target. Pure functions; any thread may call.

#include <cstdint>

#include "core/cpu.hpp"
#include "core/scratch.hpp"
#include "transforms/kernels/pixel_rows.hpp"

namespace penstock::inline v0 {

/// A box of fractional size: the pixels up to `reach` on both sides count `inner`, the next ones `edge`; the
/// weights are parts of 2^24.
struct BlurBox {
  int reach = 0;
  std::uint32_t inner = 0;
  std::uint32_t edge = 0;
};

/// The box of which three in a row are Pillow's GaussianBlur(radius), radius > 0.
BlurBox gaussian_blur_box(float radius);

/// The same blur along both sides. `out` has the size and channels of `in` and may be the same memory;
/// `scratch` is where lines are on their way.
void box_blur_three_times(const ConstPixelRows& in, const PixelRows& out, const BlurBox& box,
                          Scratch& scratch);

/// The target for which the kernels that run were compiled, for tests.
CpuTarget blur_target();

}  // namespace penstock::inline v0
