// RGBToMagno: light and dark.

#include "transforms/image/pathways.hpp"

namespace penstock::inline v0 {
namespace {

struct RgbMagnoParameters {
  double magno_sigma_c = 2.5;
  double magno_sigma_s = 5.0;

  template <class V>
  void fields(V&& v) {
    v("magno_sigma_c", magno_sigma_c, "standard deviation of the center, in pixels");
    v("magno_sigma_s", magno_sigma_s, "standard deviation of the surround, in pixels");
  }
  template <class Check>
  Status each_sigmas(Check check) const {
    return check("magno_sigma_c", "magno_sigma_s", CenterSurround{magno_sigma_c, magno_sigma_s});
  }
  std::vector<Pathway> pathways() const {
    return {{.cones = kMagnoCones, .sigmas = {magno_sigma_c, magno_sigma_s}}};
  }
};

class RGBToMagno final : public PathwayOperation<RGBToMagno, RgbMagnoParameters> {
 public:
  static constexpr const char* kName = "RGBToMagno";
  static constexpr const char* kSummary =
      "Makes the two channels of the magnocellular pathway from sRGB: light and dark.";
  static constexpr bool kFromRgb = true;
  using PathwayOperation::PathwayOperation;
};

}  // namespace

OperationInfo rgb_to_magno_operation() { return operation_info<RGBToMagno>(); }

}  // namespace penstock::inline v0
