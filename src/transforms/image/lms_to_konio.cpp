// LMSToKonio: blue against yellow.

#include "transforms/image/pathways.hpp"

namespace penstock::inline v0 {
namespace {

struct KonioParameters {
  double sigma_c = 2.5;
  double sigma_s = 6.5;

  template <class V>
  void fields(V&& v) {
    v("sigma_c", sigma_c, "standard deviation of the center, in pixels");
    v("sigma_s", sigma_s, "standard deviation of the surround, in pixels");
  }
  template <class Check>
  Status each_sigmas(Check check) const {
    return check("sigma_c", "sigma_s", CenterSurround{sigma_c, sigma_s});
  }
  std::vector<Pathway> pathways() const {
    return {{.cones = kKonioCones, .sigmas = {sigma_c, sigma_s}, .both = false}};
  }
};

class LMSToKonio final : public PathwayOperation<LMSToKonio, KonioParameters> {
 public:
  static constexpr const char* kName = "LMSToKonio";
  static constexpr const char* kSummary =
      "Makes the channel of the koniocellular pathway from L, M and S: blue against yellow.";
  static constexpr bool kFromRgb = false;
  using PathwayOperation::PathwayOperation;
};

}  // namespace

OperationInfo lms_to_konio_operation() { return operation_info<LMSToKonio>(); }

}  // namespace penstock::inline v0
