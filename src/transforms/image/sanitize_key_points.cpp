// SanitizeKeyPoints: drops key points outside of the image; torchvision's rule.

#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

struct SanitizePointsParameters {
  template <class V>
  void fields(V&&) {}
};

void sanitize_points(const AnnotationEdit&, ImageSize image, const AnnotationItems& points) {
  const auto width = static_cast<float>(image.width);
  const auto height = static_cast<float>(image.height);
  std::size_t next = 0;
  for (std::size_t i = 0; i < points.kept.size(); ++i) {
    for (std::uint32_t j = 0; j < points.sizes[i]; ++j, next += 2) {
      const float x = points.numbers[next];
      const float y = points.numbers[next + 1];
      if (!(x >= 0 && x < width && y >= 0 && y < height)) {
        points.kept[i] = 0;
      }
    }
  }
}

class SanitizeKeyPoints final : public ImageOperation<SanitizeKeyPoints, SanitizePointsParameters> {
 public:
  static constexpr const char* kName = "SanitizeKeyPoints";
  static constexpr const char* kSummary =
      "Drops keypoints outside of the image, with all that belong to the same object.";
  static constexpr bool kDropsAnnotations = true;
  using ImageOperation::ImageOperation;

  Result<ImageSpec> describe(const ImageSpec& in) const override { return ImageSpec(in); }

  Status plan(const ImageSpec&, const NoDraw&, ImageEdits& edits) const {
    edits.push_back(AnnotationEdit{
        .name = "sanitize keypoints", .of = AnnotationKind::keypoints, .run = &sanitize_points});
    return {};
  }
};

}  // namespace

OperationInfo sanitize_key_points_operation() { return operation_info<SanitizeKeyPoints>(); }

}  // namespace penstock::inline v0
