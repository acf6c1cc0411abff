// ClampKeyPoints: key points outside of the image go to its edge.

#include <algorithm>

#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

struct ClampPointsParameters {
  template <class V>
  void fields(V&&) {}
};

void clamp_points(const AnnotationEdit&, ImageSize image, const AnnotationItems& points) {
  for (std::size_t i = 0; i < points.numbers.size(); ++i) {
    points.numbers[i] = std::clamp(points.numbers[i], 0.0F,
                                   static_cast<float>((i % 2 == 0 ? image.width : image.height) - 1));
  }
}

class ClampKeyPoints final : public ImageOperation<ClampKeyPoints, ClampPointsParameters> {
 public:
  static constexpr const char* kName = "ClampKeyPoints";
  static constexpr const char* kSummary =
      "Moves keypoints outside of the image to the nearest pixel of its edge.";
  using ImageOperation::ImageOperation;

  Result<ImageSpec> describe(const ImageSpec& in) const override { return ImageSpec(in); }

  Status plan(const ImageSpec&, const NoDraw&, ImageEdits& edits) const {
    edits.push_back(
        AnnotationEdit{.name = "clamp keypoints", .of = AnnotationKind::keypoints, .run = &clamp_points});
    return {};
  }
};

}  // namespace

OperationInfo clamp_key_points_operation() { return operation_info<ClampKeyPoints>(); }

}  // namespace penstock::inline v0
