#pragma once
// The few things that geometric operations are made of. Plain values.

#include <array>
#include <cstdint>
#include <variant>
#include <vector>

#include "penstock/sample.hpp"
#include "penstock/transform.hpp"

namespace penstock::inline v0 {

/// Keeps a rectangle that lies inside the image.
struct CropStep {
  Rect box;
  bool operator==(const CropStep&) const = default;
};

/// Adds pixels on the four sides (none of them negative).
struct PadStep {
  int left = 0;
  int top = 0;
  int right = 0;
  int bottom = 0;
  transforms::PaddingMode mode = transforms::PaddingMode::constant;
  std::array<std::uint8_t, 3> fill{};
  bool operator==(const PadStep&) const = default;
};

/// Pillow's Image.resize.
struct ResizeStep {
  ImageSize size;
  transforms::Interpolation filter = transforms::Interpolation::bilinear;
  bool operator==(const ResizeStep&) const = default;
};

/// Mirrors left and right.
struct FlipStep {
  bool operator==(const FlipStep&) const = default;
};

using GeometryStep = std::variant<CropStep, PadStep, ResizeStep, FlipStep>;
using GeometrySteps = std::vector<GeometryStep>;

/// The size of the image after a step.
ImageSize size_after(ImageSize image, const GeometryStep& step) noexcept;

}  // namespace penstock::inline v0
