// LMSToMagno: light and dark.

#include "transforms/image/pathways.hpp"

namespace penstock::inline v0 {
namespace {

struct MagnoParameters {
  double sigma_c = 2.5;
  double sigma_s = 5.0;

  template <class V>
  void fields(V&& v) {
    v("sigma_c", sigma_c, "standard deviation of the center, in pixels");
    v("sigma_s", sigma_s, "standard deviation of the surround, in pixels");
  }
  template <class Check>
  Status each_sigmas(Check check) const {
    return check("sigma_c", "sigma_s", CenterSurround{sigma_c, sigma_s});
  }
  std::vector<Pathway> pathways() const { return {{.cones = kMagnoCones, .sigmas = {sigma_c, sigma_s}}}; }
};

class LMSToMagno final : public PathwayOperation<LMSToMagno, MagnoParameters> {
 public:
  static constexpr const char* kName = "LMSToMagno";
  static constexpr const char* kSummary =
      "Makes the two channels of the magnocellular pathway from L, M and S: light and dark.";
  static constexpr bool kFromRgb = false;
  using PathwayOperation::PathwayOperation;
};

}  // namespace

OperationInfo lms_to_magno_operation() { return operation_info<LMSToMagno>(); }

}  // namespace penstock::inline v0
