// CenterCrop: the middle of an image; torchvision's rounding.

#include <algorithm>

#include "transforms/image/size_rules.hpp"
#include "transforms/operation_info.hpp"
#include "transforms/python_round.hpp"

namespace penstock::inline v0 {
namespace {

class CenterCrop final : public ImageOperation<CenterCrop, transforms::CenterCrop> {
 public:
  static constexpr const char* kName = "CenterCrop";
  static constexpr const char* kSummary = "Keeps the centre of the image.";
  static constexpr bool kMovesPixels = true;
  using ImageOperation::ImageOperation;

  Status check() const override {
    PENSTOCK_TRY(check_size(kName, p_.size));
    return check_mask_fill(kName, p_.mask_fill);
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    if (in.is_float()) {
      return geometry_after_values(kName);
    }
    return with_size(in, square_or_pair(p_.size));
  }

  Status plan(const ImageSpec& in, const NoDraw&, ImageEdits& edits) const {
    ImageSize image = in.size;
    const ImageSize size = square_or_pair(p_.size);
    const int lacking_x = std::max(size.width - image.width, 0);
    const int lacking_y = std::max(size.height - image.height, 0);
    if (lacking_x > 0 || lacking_y > 0) {
      edits.push_back(PadEdit{lacking_x / 2, lacking_y / 2, (lacking_x + 1) / 2, (lacking_y + 1) / 2});
      image = size_after(image, edits.back());
    }
    const int x = static_cast<int>(python_round((image.width - size.width) / 2.0));
    const int y = static_cast<int>(python_round((image.height - size.height) / 2.0));
    edits.push_back(CropEdit{{x, y, size.width, size.height}});
    return {};
  }
};

}  // namespace

transforms::CenterCrop::operator TransformPtr() const {
  return std::make_shared<const penstock::CenterCrop>(*this);
}
OperationInfo center_crop_operation() { return operation_info<CenterCrop>(); }

}  // namespace penstock::inline v0
