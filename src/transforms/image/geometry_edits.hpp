#pragma once
// Turns and affine maps as torchvision and Pillow make them, for the operations that plan some.

#include <array>
#include <cstdint>
#include <optional>

#include "transforms/transform.hpp"

namespace penstock::inline v0 {

/// What Pillow's Image.rotate takes.
struct Rotation {
  double angle = 0;  ///< degrees, counter-clockwise; finite
  transforms::Interpolation filter = transforms::Interpolation::nearest;
  PixelBytes fill{};
  bool expand = false;
  std::optional<std::array<double, 2>> center = std::nullopt;
};
/// Appends nothing, an exact turn or a warp.
void push_rotation(ImageSize image, const Rotation& rotation, ImageEdits& edits);

/// What torchvision's affine() takes.
struct AffineNumbers {
  double angle = 0;  ///< degrees, clockwise
  std::array<double, 2> translate{};
  double scale = 1;
  std::array<double, 2> shear{};  ///< degrees
};
/// torchvision v2's matrix from the result to the image, in its order of operations.
AffineMatrix affine_matrix(const AffineNumbers& numbers, double center_x, double center_y);

/// Appends a warp to the same size, unless it would change nothing.
void push_affine(const ImageSpec& in, const Warp& warp, ImageEdits& edits);

}  // namespace penstock::inline v0
