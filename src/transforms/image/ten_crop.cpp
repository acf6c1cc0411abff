// TenCrop: the corners of an image and its middle, and those of its mirror image, as ten images.

#include "transforms/image/five_crops.hpp"
#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

struct TenParameters : CropsParameters {
  bool vertical_flip = false;

  template <class V>
  void fields(V&& v) {
    CropsParameters::fields(v);
    v("vertical_flip", vertical_flip, "the mirror image is upside down, not left to right");
  }
};

class TenCrop final : public ImageOperation<TenCrop, TenParameters> {
 public:
  static constexpr const char* kName = "TenCrop";
  static constexpr const char* kSummary =
      "Makes ten images of one: those of FiveCrop, then those of the mirrored image; a row is [10, C, H, W].";
  static constexpr bool kMovesPixels = true;
  static constexpr int kImages = 10;
  using ImageOperation::ImageOperation;

  Status check() const override { return check_size(kName, p_.size); }

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    return moved_spec(kName, in, square_or_pair(p_.size));
  }

  Status plan(const ImageSpec& in, const NoDraw&, ImageEdits& edits) const {
    if (in.part >= 5) {
      edits.push_back(FlipEdit{.down = p_.vertical_flip});
    }
    return push_corner(kName, p_.size, in.size, in.part % 5, edits);
  }
};

}  // namespace

OperationInfo ten_crop_operation() { return operation_info<TenCrop>(); }

}  // namespace penstock::inline v0
