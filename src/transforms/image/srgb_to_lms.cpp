// SRGBToLMS: sRGB to the answers of cones (CAT02).

#include "transforms/image/pathways.hpp"

namespace penstock::inline v0 {
namespace {

struct LmsParameters {
  template <class V>
  void fields(V&&) {}
};

class SRGBToLMS final : public ImageOperation<SRGBToLMS, LmsParameters> {
 public:
  static constexpr const char* kName = "SRGBToLMS";
  static constexpr const char* kSummary =
      "Makes the long, middle and short cones' answers (CAT02) from sRGB, as floats.";
  using ImageOperation::ImageOperation;

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    return describe_pathways(kName, in, /*from_rgb=*/true, /*channels=*/3);
  }
  void map_values(FloatTable& table) const override { linearise(table); }
  Status plan(const ImageSpec&, const NoDraw&, ImageEdits& edits) const {
    edits.push_back(cones_edit());
    return {};
  }
};

}  // namespace

OperationInfo srgb_to_lms_operation() { return operation_info<SRGBToLMS>(); }

}  // namespace penstock::inline v0
