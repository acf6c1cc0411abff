// ExifTranspose: images as they are meant to be looked at.

#include "transforms/image/size_rules.hpp"
#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

struct UprightParameters {
  template <class V>
  void fields(V&&) {}
};

struct DrawnOrientation {
  int orientation = 1;

  template <class V>
  void fields(V&& v) {
    v("orientation", orientation);
  }
};

class ExifTranspose final : public ImageOperation<ExifTranspose, UprightParameters, DrawnOrientation> {
 public:
  static constexpr const char* kName = "ExifTranspose";
  static constexpr const char* kSummary =
      "Turns images as EXIF in their files says, as Pillow's exif_transpose does; stands first in a list. "
      "Masks, "
      "boxes and keypoints lie in the upright image: they stay as they are.";
  static constexpr bool kDraws = false;  // as Operation has it: there is nothing that a key could share
  static constexpr bool kTurnsUpright = true;
  using ImageOperation::ImageOperation;

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    return with_size(in, in.size.width == in.size.height ? in.size : ImageSize{});
  }

  // The image has been turned when it was read: what is left to do is to say how.
  Status draw(const ImageSlots& in, Draws&, DrawnOrientation& drawn) const {
    drawn.orientation = in.orientation;
    return {};
  }

  Status plan(const ImageSpec&, const DrawnOrientation& drawn, ImageEdits&) const {
    if (drawn.orientation < 1 || drawn.orientation > 8) {
      return detail::wrong_drawn(kName, "orientation", "must be between 1 and 8");
    }
    return {};
  }
};

}  // namespace

OperationInfo exif_transpose_operation() { return operation_info<ExifTranspose>(); }

}  // namespace penstock::inline v0
