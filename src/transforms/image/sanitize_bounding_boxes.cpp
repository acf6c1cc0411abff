// SanitizeBoundingBoxes: drops boxes that are too small or not inside the image; torchvision's rule.

#include <fmt/format.h>

#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

struct SanitizeParameters {
  double min_size = 1.0;
  double min_area = 1.0;

  template <class V>
  void fields(V&& v) {
    v("min_size", min_size,
      "boxes whose width or height is smaller are dropped, with their labels; at least 1");
    v("min_area", min_area, "boxes of a smaller area are dropped too; at least 1");
  }
};

void sanitize_boxes(const AnnotationEdit& edit, ImageSize image, const AnnotationItems& boxes) {
  const auto min_size = static_cast<float>(edit.numbers[0]);
  const auto min_area = static_cast<float>(edit.numbers[1]);
  const auto width = static_cast<float>(image.width);
  const auto height = static_cast<float>(image.height);
  for (std::size_t i = 0; i < boxes.kept.size(); ++i) {
    const float* const box = &boxes.numbers[4 * i];
    const float w = box[2] - box[0];
    const float h = box[3] - box[1];
    const bool inside = box[0] >= 0 && box[1] >= 0 && box[2] >= 0 && box[3] >= 0 && box[0] <= width &&
                        box[2] <= width && box[1] <= height && box[3] <= height;
    if (!(inside && w >= min_size && h >= min_size && w * h >= min_area)) {
      boxes.kept[i] = 0;
    }
  }
}

class SanitizeBoundingBoxes final : public ImageOperation<SanitizeBoundingBoxes, SanitizeParameters> {
 public:
  static constexpr const char* kName = "SanitizeBoundingBoxes";
  static constexpr const char* kSummary =
      "Drops boxes that are small or reach out of the image, with their labels and keypoints.";
  static constexpr bool kDropsAnnotations = true;
  using ImageOperation::ImageOperation;

  Status check() const override {
    if (!(p_.min_size >= 1)) {
      return wrong("min_size", fmt::format("must be at least 1, got {}", p_.min_size), "");
    }
    if (!(p_.min_area >= 1)) {
      return wrong("min_area", fmt::format("must be at least 1, got {}", p_.min_area), "");
    }
    return {};
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override { return ImageSpec(in); }

  Status plan(const ImageSpec&, const NoDraw&, ImageEdits& edits) const {
    edits.push_back(AnnotationEdit{
        .name = "sanitize boxes", .run = &sanitize_boxes, .numbers = {p_.min_size, p_.min_area}});
    return {};
  }
};

}  // namespace

OperationInfo sanitize_bounding_boxes_operation() { return operation_info<SanitizeBoundingBoxes>(); }

}  // namespace penstock::inline v0
