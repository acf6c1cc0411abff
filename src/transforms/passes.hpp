#pragma once
// The edits of one image put together into as few passes over pixels as give the same result.
// Plain values and pure functions.

#include <optional>
#include <vector>

#include "penstock/sample.hpp"
#include "transforms/image_edits.hpp"

namespace penstock::inline v0 {

/// One pass over an image.
struct Pass {
  enum class Kind : std::uint8_t {
    boxes,   ///< a box of the input, perhaps resized, a part of that, perhaps mirrored
    moved,   ///< the one edit is a PadEdit, MoveEdit or WarpEdit
    tables,  ///< the edits are TableEdits
    pixels   ///< the one edit is a PixelsEdit
  };

  Kind kind = Kind::boxes;
  ImageSize input;
  ImageSize output;
  // boxes
  Rect box;
  std::optional<ResizeEdit> resize;  ///< of the box
  Rect keep;                         ///< of the box, or of the resized box
  bool flip = false;
  // the others: which of the edits
  std::size_t first = 0;
  std::size_t count = 0;

  bool operator==(const Pass&) const = default;
};

/// Passes for an image of this size. The first is always one of boxes. With `fuse` = false every edit has a
/// pass of its own. Edits that are not of pixels are no
/// passes.
void plan_passes(ImageSize image, const ImageEdits& edits, bool fuse, std::vector<Pass>& passes);

}  // namespace penstock::inline v0
