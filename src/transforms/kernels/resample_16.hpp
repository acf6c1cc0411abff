#pragma once
// The two passes of Pillow's resize on rows of 16-bit gray pixels: sums in double, in the order of the
// pixels, rounded and cut off at 0 and 65535. Results are equal on every CPU target. Pure functions; any
// thread may call. Rows are written exactly; strides count pixels.

#include <cstddef>
#include <cstdint>

#include "core/cpu.hpp"
#include "transforms/kernels/resample_axis.hpp"

namespace penstock::inline v0 {

/// As HorizontalPass.
struct HorizontalPass16 {
  const RealWeights* axis = nullptr;
  int origin = 0;
  bool flip = false;
};
void resample_horizontal_16(const HorizontalPass16& pass, const std::uint16_t* in, std::size_t in_stride,
                            int rows, std::uint16_t* out, std::size_t out_stride);

/// One output row from the axis.windows[pixel].count rows of which `in` is the first.
void resample_vertical_16(const RealWeights& axis, int pixel, const std::uint16_t* in, std::size_t in_stride,
                          int width, std::uint16_t* out);

/// The target for which the kernels that run were compiled, for tests.
CpuTarget resample_16_target();

}  // namespace penstock::inline v0
