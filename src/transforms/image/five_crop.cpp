// FiveCrop: the corners of an image and its middle, as five images.

#include "transforms/image/five_crops.hpp"
#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

class FiveCrop final : public ImageOperation<FiveCrop, CropsParameters> {
 public:
  static constexpr const char* kName = "FiveCrop";
  static constexpr const char* kSummary =
      "Makes five images of one: its corners, top ones first, and its middle; a row is [5, C, H, W].";
  static constexpr bool kMovesPixels = true;
  static constexpr int kImages = 5;
  using ImageOperation::ImageOperation;

  Status check() const override { return check_size(kName, p_.size); }

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    return moved_spec(kName, in, square_or_pair(p_.size));
  }

  Status plan(const ImageSpec& in, const NoDraw&, ImageEdits& edits) const {
    return push_corner(kName, p_.size, in.size, in.part, edits);
  }
};

}  // namespace

OperationInfo five_crop_operation() { return operation_info<FiveCrop>(); }

}  // namespace penstock::inline v0
