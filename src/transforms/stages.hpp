#pragma once
// The steps of one image put together into as few passes over pixels as give the same result.
// Plain values and pure functions.

#include <optional>
#include <vector>

#include "penstock/sample.hpp"
#include "transforms/image_steps.hpp"

namespace penstock::inline v0 {

/// One pass over an image.
struct Stage {
  enum class Kind : std::uint8_t {
    boxes,   ///< a box of the input, perhaps resized, a part of that, perhaps mirrored
    moved,   ///< the one step is a PadStep, MoveStep or WarpStep
    tables,  ///< the steps are TableSteps
    pixels   ///< the one step is a PixelsStep
  };

  Kind kind = Kind::boxes;
  ImageSize input;
  ImageSize output;
  // boxes
  Rect box;
  std::optional<ResizeStep> resize;  ///< of the box
  Rect keep;                         ///< of the box, or of the resized box
  bool flip = false;
  // the others: which of the steps
  std::size_t first = 0;
  std::size_t count = 0;

  bool operator==(const Stage&) const = default;
};

/// Stages for an image of this size. The first is always one of boxes. With `fuse` = false every step has a
/// stage of its own. Steps on floats are no stages.
void plan_stages(ImageSize image, const ImageSteps& steps, bool fuse, std::vector<Stage>& stages);

}  // namespace penstock::inline v0
