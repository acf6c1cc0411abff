#pragma once
// The way of an image through operations: what each draws and plans, and what the next one then sees.

#include <cstdint>
#include <vector>

#include "core/rng.hpp"
#include "transforms/transform.hpp"

namespace penstock::inline v0 {

/// Memory that is used again.
struct WalkMemory {
  std::vector<float> boxes;  ///< where the edits so far have moved them
  std::vector<std::uint8_t> kept;
};

/// Of one sample. Not thread-safe.
class ImageWalk {
 public:
  /// `start`: the image as the first operation finds it; its boxes are copied.
  ImageWalk(const ImageSlots& start, WalkMemory& memory);

  /// Draws, unless `draws` is null, and appends what the operation plans.
  Status add(const ImageTransform& operation, Draws* draws, Drawn& drawn, ImageEdits& edits);

  /// What the next operation finds. Type and channels are those of start unless they are set.
  ImageSlots slots;

 private:
  WalkMemory& memory_;
};

}  // namespace penstock::inline v0
