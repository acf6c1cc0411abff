// Resize: Pillow's Image.resize, with torchvision's rule for the size.

#include "transforms/image/geometry_rules.hpp"
#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

class Resize final : public ImageOperation<Resize, transforms::Resize> {
 public:
  static constexpr const char* kName = "Resize";
  static constexpr const char* kSummary =
      "Resizes the image to a given size, or its shorter side to a given length.";
  static constexpr bool kMovesPixels = true;
  using ImageOperation::ImageOperation;

  Status check() const override {
    if (p_.size.none) {
      if (!p_.max_size || *p_.max_size < 1 || *p_.max_size > 1 << 16) {
        return wrong("max_size", "must be between 1 and 65536 pixels where size is None", "");
      }
      return check_antialias(kName, p_.antialias);
    }
    PENSTOCK_TRY(check_size(kName, p_.size));
    if (p_.max_size && p_.size.width != 0) {
      return wrong("max_size", "requires size to be one number", "");
    }
    if (p_.max_size && *p_.max_size <= p_.size.height) {
      return wrong("max_size", "must be larger than size", "");
    }
    return check_antialias(kName, p_.antialias);
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    if (in.is_float()) {
      return geometry_after_values(kName);
    }
    return with_size(in, p_.size.width == 0 && !in.fixed_size() ? ImageSize{} : target(in.size));
  }

  Status plan(const ImageSpec& in, const NoDraw&, ImageEdits& edits) const {
    const ImageSize size = target(in.size);
    if (size.width < 1 || size.height < 1) {
      return Error{ErrorKind::invalid,
                   "Resize: max_size leaves less than a pixel of this image's shorter side",
                   "raise max_size, or exclude images that are this narrow",
                   {}};
    }
    constexpr int kMax = 1 << 24;
    if (size.width > kMax || size.height > kMax) {
      return Error{ErrorKind::invalid,
                   "Resize: the longer side of this image would be over 16 million pixels long",
                   "set max_size, or exclude images that are this narrow",
                   {}};
    }
    edits.push_back(ResizeEdit{size, p_.interpolation});
    return {};
  }

 private:
  ImageSize target(ImageSize image) const {
    if (p_.size.none) {
      return longer_side_to(image, *p_.max_size);
    }
    if (p_.size.width != 0) {
      return {p_.size.width, p_.size.height};
    }
    return shorter_side_to(image, p_.size.height, p_.max_size);
  }
};

}  // namespace

transforms::Resize::operator TransformPtr() const { return std::make_shared<const penstock::Resize>(*this); }
OperationInfo resize_operation() { return operation_info<Resize>(); }

}  // namespace penstock::inline v0
