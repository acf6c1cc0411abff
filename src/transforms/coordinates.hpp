#pragma once
// Boxes and points that lie in an image, moved as its pixels are. Pure functions; any thread may call.

#include <span>

#include "transforms/image_edits.hpp"

namespace penstock::inline v0 {

/// Left, top, right and bottom of each box, in pixels of an image of this size. Those of crops and warps are
/// cut off at the edges of the result.
void move_boxes(std::span<const ImageEdit> edits, ImageSize image, std::span<float> boxes);

/// x and y of each point. Mirrored points are those of pixels' centres: x becomes width - 1 - x, as in
/// torchvision. They may leave the image.
void move_points(std::span<const ImageEdit> edits, ImageSize image, std::span<float> points);

/// What masks go through instead: only what moves pixels, by the nearest one, and zeros from outside.
void mask_edits(const ImageEdits& edits, ImageEdits& masks);

}  // namespace penstock::inline v0
