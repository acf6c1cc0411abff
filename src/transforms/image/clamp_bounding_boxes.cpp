// ClampBoundingBoxes: boxes are cut off at the edges of the image.

#include <algorithm>

#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

struct ClampParameters {
  template <class V>
  void fields(V&&) {}
};

void clamp_boxes(const AnnotationEdit&, ImageSize image, const AnnotationItems& boxes) {
  for (std::size_t i = 0; i < boxes.numbers.size(); ++i) {
    boxes.numbers[i] =
        std::clamp(boxes.numbers[i], 0.0F, static_cast<float>(i % 2 == 0 ? image.width : image.height));
  }
}

class ClampBoundingBoxes final : public ImageOperation<ClampBoundingBoxes, ClampParameters> {
 public:
  static constexpr const char* kName = "ClampBoundingBoxes";
  static constexpr const char* kSummary = "Cuts boxes off at the edges of the image.";
  using ImageOperation::ImageOperation;

  Result<ImageSpec> describe(const ImageSpec& in) const override { return ImageSpec(in); }

  Status plan(const ImageSpec&, const NoDraw&, ImageEdits& edits) const {
    edits.push_back(AnnotationEdit{.name = "clamp boxes", .run = &clamp_boxes});
    return {};
  }
};

}  // namespace

OperationInfo clamp_bounding_boxes_operation() { return operation_info<ClampBoundingBoxes>(); }

}  // namespace penstock::inline v0
