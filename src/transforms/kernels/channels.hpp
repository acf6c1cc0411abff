#pragma once
// What makes pixels of pixels channel by channel: channels in another order, one for three, mixed by a
// matrix. Results are equal on every CPU target. Pure functions; any thread may call.

#include <array>
#include <cstddef>

#include "core/cpu.hpp"
#include "transforms/kernels/pixel_rows.hpp"

namespace penstock::inline v0 {

/// Channel i of `out` is channel order[i] of `in`, for the three of colour; a fourth stays. `out` has the
/// size and the 3 or 4 channels of `in` and may be the same memory.
void permute_channels(const ConstPixelRows& in, const PixelRows& out, const std::array<int, 3>& order);

/// Three channels of one.
void spread_gray(const ConstPixelRows& in, const PixelRows& out);

/// What the three of colour become: matrix times them, plus offset.
struct ColorMatrix {
  std::array<std::array<float, 3>, 3> by{};
  float offset = 0;
};

/// In float32, one product after the other, rounded (halves to even) and cut off at 0 and 255. Images of 3 or
/// 4 channels; a fourth stays. `out` may be the same memory.
void mix_colors(const ConstPixelRows& in, const PixelRows& out, const ColorMatrix& matrix);

/// The same for floats, nothing rounded: three planes of `count`, in place, the matrix alone.
void mix_planes(float* const planes[3], std::size_t count, const ColorMatrix& matrix);

/// The target for which the kernels that run were compiled, for tests.
CpuTarget channels_target();

}  // namespace penstock::inline v0
