#pragma once
// Affine and perspective maps of images as Pillow computes them, and moves that change no pixel. Results are
// equal on every CPU target. Pure functions; any thread may call. `in` and `out` must not overlap.

#include <array>
#include <cstdint>
#include <optional>

#include "core/cpu.hpp"
#include "penstock/transform.hpp"
#include "transforms/kernels/pixel_rows.hpp"

namespace penstock::inline v0 {

/// Where the pixel in column x and row y of the output comes from, its centre being at x + 0.5, y + 0.5:
/// column m[0] x + m[1] y + m[2], row m[3] x + m[4] y + m[5] of the input.
using AffineMatrix = std::array<double, 6>;

/// Pillow's Image.transform, but that it takes RGBA pixels as they are: Pillow multiplies them with their
/// alpha before a filter other than nearest, and divides them afterwards (alpha.hpp). Filters are nearest,
/// bilinear and bicubic; 16-bit gray (two channels of bytes) takes nearest only. Pixels from outside the
/// input get `fill`, unblended.
struct Warp {
  AffineMatrix matrix{1, 0, 0, 0, 1, 0};
  transforms::Interpolation filter = transforms::Interpolation::nearest;
  PixelBytes fill{};
  /// Column and row are divided by p[0] x + p[1] y + 1.
  std::optional<std::array<double, 2>> perspective = std::nullopt;
};
void warp_image(const ConstPixelRows& in, const PixelRows& out, const Warp& warp);

/// Turns are counter-clockwise.
enum class Move : std::uint8_t { mirror, flip, turn_90, turn_180, turn_270, transpose, transverse };
constexpr bool swaps_sides(Move move) {
  return move != Move::mirror && move != Move::flip && move != Move::turn_180;
}
/// `out` has the size of `in`, or for moves that swap the sides, height and width exchanged.
void move_pixels(const ConstPixelRows& in, const PixelRows& out, Move move);

/// Gives every pixel of `box`, which lies inside, the same value.
void fill_box(const PixelRows& out, const Rect& box, const PixelBytes& fill);

/// The target for which the kernels that run were compiled, for tests.
CpuTarget warp_target();

}  // namespace penstock::inline v0
