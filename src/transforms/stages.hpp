#pragma once
// Geometry steps of one image put together into as few passes over pixels as give the same result.
// Plain values and pure functions.

#include <optional>
#include <vector>

#include "penstock/sample.hpp"
#include "transforms/geometry.hpp"

namespace penstock::inline v0 {

/// One pass: a box of the input, perhaps resized, a part of that, perhaps mirrored. Or padding, which stands
/// alone.
struct Stage {
  ImageSize input;
  std::optional<PadStep> pad;  ///< then nothing below applies
  Rect box;
  std::optional<ResizeStep> resize;  ///< of the box
  Rect keep;                         ///< of the box, or of the resized box
  bool flip = false;

  ImageSize output() const;
  bool operator==(const Stage&) const = default;
};

/// Stages for an image of this size. The first and the last are never padding. With `fuse` = false every
/// step has a stage of its own.
void plan_stages(ImageSize image, const GeometrySteps& steps, bool fuse, std::vector<Stage>& stages);

}  // namespace penstock::inline v0
