// LMSToParvo: red against green.

#include "transforms/image/pathways.hpp"

namespace penstock::inline v0 {
namespace {

struct ParvoParameters {
  double sigma_c = 1.5;
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
  std::vector<Pathway> pathways() const { return {{.cones = kParvoCones, .sigmas = {sigma_c, sigma_s}}}; }
};

class LMSToParvo final : public PathwayOperation<LMSToParvo, ParvoParameters> {
 public:
  static constexpr const char* kName = "LMSToParvo";
  static constexpr const char* kSummary =
      "Makes the two channels of the parvocellular pathway from L, M and S: red against green, and green "
      "against red.";
  static constexpr bool kFromRgb = false;
  using PathwayOperation::PathwayOperation;
};

}  // namespace

OperationInfo lms_to_parvo_operation() { return operation_info<LMSToParvo>(); }

}  // namespace penstock::inline v0
