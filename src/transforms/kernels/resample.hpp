#pragma once
// The two passes of Pillow's resize on rows of 8-bit pixels of 1, 3 or 4 channels. Results are equal on every
// CPU target. (Pillow multiplies RGBA with its alpha before and divides afterwards: alpha.hpp.) Pure
// functions; any thread may call.
//
// Memory: up to kRowSlack bytes after the last pixel of every row are read, and those of output rows
// overwritten.

#include <cstddef>
#include <cstdint>

#include "core/cpu.hpp"
#include "transforms/kernels/resample_axis.hpp"

namespace penstock::inline v0 {

inline constexpr std::size_t kRowSlack = 64;

/// Bytes from row to row for rows of `width` pixels with their slack.
constexpr std::size_t padded_stride(int width, int pixel_bytes = 3) {
  return (static_cast<std::size_t>(width) * static_cast<std::size_t>(pixel_bytes) + kRowSlack + 63) / 64 * 64;
}

/// The horizontal pass: all pixels of the axis, for `rows` rows.
struct HorizontalPass {
  const ResampleAxis* axis = nullptr;
  int origin = 0;     ///< the pixel of the whole input row that `in` points to
  bool flip = false;  ///< write the pixels from right to left
  int channels = 3;
};
void resample_horizontal(const HorizontalPass& pass, const std::uint8_t* in, std::size_t in_stride, int rows,
                         std::uint8_t* out, std::size_t out_stride);

/// One output row of the vertical pass: `bytes` bytes from axis.taps[pixel].count rows, of which `in` is the
/// first.
void resample_vertical(const ResampleAxis& axis, int pixel, const std::uint8_t* in, std::size_t in_stride,
                       std::size_t bytes, std::uint8_t* out);

/// How many rows the horizontal pass does best at once.
int horizontal_group();

/// The target for which the kernels that run were compiled, for tests.
CpuTarget resample_target();

}  // namespace penstock::inline v0
