#pragma once
// The edits of one image put together into as few passes over pixels as give the same result.
// Plain values and pure functions.

#include <optional>
#include <vector>

#include "penstock/sample.hpp"
#include "transforms/image_edits.hpp"
#include "transforms/kernels/resample_axis.hpp"

namespace penstock::inline v0 {

/// One pass over an image.
struct Pass {
  enum class Kind : std::uint8_t {
    boxes,   ///< a box of the input, perhaps resized, a part of that, perhaps mirrored either way
    moved,   ///< the one edit is a PadEdit, MoveEdit, WarpEdit or FieldEdit
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
  bool flip = false;                 ///< left and right are exchanged in the end
  bool flip_down = false;            ///< top and bottom
  // the others: which of the edits
  std::size_t first = 0;
  std::size_t count = 0;

  bool operator==(const Pass&) const = default;
};

/// Whether an image that is mirrored and then resized is the resized image, mirrored. Keeps its memory; one
/// thread at a time.
class MirrorTest {
 public:
  /// `exact` = false: pixels are resampled in floating point, whose sums depend on the order.
  explicit MirrorTest(bool exact = true) : exact_(exact) {}
  /// Along one axis: compares the weights with themselves in the opposite direction.
  bool same(int in, int out, transforms::Interpolation filter);

 private:
  const bool exact_;
  ResampleWeights weights_;
};

/// Passes for an image of this size. The first is always one of boxes. With `fuse` = off every edit has a
/// pass of its own. Edits that are not of pixels are no passes.
void plan_passes(ImageSize image, const ImageEdits& edits, Fuse fuse, MirrorTest& mirrors,
                 std::vector<Pass>& passes);

}  // namespace penstock::inline v0
