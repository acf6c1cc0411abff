#pragma once
// torchvision's GaussianBlur: rows, then columns, weighted in float32. torch sums in an order of its own, so
// that a value may differ from its by 1. Results are equal on every CPU target. Pure functions; any thread
// may call.

#include "core/cpu.hpp"
#include "core/scratch.hpp"
#include "transforms/kernels/pixel_rows.hpp"

namespace penstock::inline v0 {

/// Odd numbers of pixels.
struct BlurKernel {
  int width = 1;
  int height = 1;
};

/// Outside, the image is mirrored at its edge pixels, as often as needed. `out` has the size and channels of
/// `in` and may be the same memory; sigma > 0.
void gaussian_blur(const ConstPixelRows& in, const PixelRows& out, const BlurKernel& kernel, double sigma,
                   Scratch& scratch);

/// The target for which the kernels that run were compiled, for tests.
CpuTarget gaussian_blur_target();

}  // namespace penstock::inline v0
