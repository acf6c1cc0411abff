#pragma once
// Colours of pixels: gray values, saturation and hue as Pillow computes them. Results are equal on every CPU
// target. Pure functions; any thread may call. `out` has the size of `in` and, where channels agree, may be
// the same memory. A fourth channel stays as it is.

#include <cstdint>

#include "core/cpu.hpp"
#include "transforms/kernels/pixel_rows.hpp"

namespace penstock::inline v0 {

/// Pillow's "L" of a pixel.
constexpr std::uint8_t gray_of(std::uint8_t red, std::uint8_t green, std::uint8_t blue) {
  return static_cast<std::uint8_t>((19595U * red + 38470U * green + 7471U * blue + 32768U) >> 16);
}

/// The sum of the gray values, each rounded; of gray images, of their values.
std::uint64_t gray_sum(const ConstPixelRows& in);

/// A mean as Pillow's enhancers round it.
constexpr std::uint8_t rounded_mean(std::uint64_t sum, std::uint64_t count) {
  return static_cast<std::uint8_t>((2 * sum + count) / (2 * count));
}

/// The mean of the gray values, each rounded, that contrast is changed around. Gray images: of their values.
std::uint8_t gray_mean(const ConstPixelRows& in);

/// Gray values of RGB or RGBA pixels; `out` has one channel, or as many as `in`, all of colour the same.
void to_gray(const ConstPixelRows& in, const PixelRows& out);

/// Each pixel blended from its gray value; gray images are copied.
void adjust_saturation(const ConstPixelRows& in, const PixelRows& out, float factor);

/// To Pillow's HSV in bytes, the hue moved on by `shift` (taken modulo 256), and back. Not the identity for
/// 0. Gray images are copied.
void adjust_hue(const ConstPixelRows& in, const PixelRows& out, std::uint8_t shift);

/// The target for which the kernels that run were compiled, for tests.
CpuTarget color_target();

}  // namespace penstock::inline v0
