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

/// What `size` pixels count, from the middle outwards, in all 1. Those that no byte's value can feel are left
/// out. Returns how many there are.
int gaussian_weights(int size, double sigma, float* weights);

/// Floats that are made at a time, at most: as many more may be read and written behind `count`.
inline constexpr std::size_t kWeighStep = 64;

/// weights[0] * lines[0] plus weights[k] * (lines[2 * k - 1] + lines[2 * k]), for k in 1 to taps - 1, in this
/// order.
void weigh_lines(const float* const* lines, const float* weights, int taps, std::size_t count, float* out);

/// The target for which the kernels that run were compiled, for tests.
CpuTarget gaussian_blur_target();

}  // namespace penstock::inline v0
