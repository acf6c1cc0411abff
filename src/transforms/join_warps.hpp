#pragma once
// What fuse="fast" does to the edits of an image: fewer passes, whose pixels are not quite the same.

#include "transforms/image_edits.hpp"

namespace penstock::inline v0 {

/// Makes one warp of two that follow each other, if their filters and fills are the same, and of a warp and
/// the crops after it. Pixels are then interpolated once instead of twice, and those that the
/// first warp moved out of the image may come back into it.
void join_warps(ImageEdits& edits);

}  // namespace penstock::inline v0
