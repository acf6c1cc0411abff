// RGBToLGN: five channels of the lateral geniculate nucleus.

#include "transforms/image/pathways.hpp"

namespace penstock::inline v0 {
namespace {

struct LgnParameters {
  double parvo_sigma_c = 1.5;
  double parvo_sigma_s = 5.0;
  double magno_sigma_c = 2.5;
  double magno_sigma_s = 5.0;
  double konio_sigma_c = 2.5;
  double konio_sigma_s = 6.5;

  template <class V>
  void fields(V&& v) {
    v("parvo_sigma_c", parvo_sigma_c, "of parvo: standard deviation of the center, in pixels");
    v("parvo_sigma_s", parvo_sigma_s, "of parvo: standard deviation of the surround, in pixels");
    v("magno_sigma_c", magno_sigma_c, "of magno: standard deviation of the center, in pixels");
    v("magno_sigma_s", magno_sigma_s, "of magno: standard deviation of the surround, in pixels");
    v("konio_sigma_c", konio_sigma_c, "of konio: standard deviation of the center, in pixels");
    v("konio_sigma_s", konio_sigma_s, "of konio: standard deviation of the surround, in pixels");
  }
  template <class Check>
  Status each_sigmas(Check check) const {
    PENSTOCK_TRY(check("parvo_sigma_c", "parvo_sigma_s", CenterSurround{parvo_sigma_c, parvo_sigma_s}));
    PENSTOCK_TRY(check("magno_sigma_c", "magno_sigma_s", CenterSurround{magno_sigma_c, magno_sigma_s}));
    return check("konio_sigma_c", "konio_sigma_s", CenterSurround{konio_sigma_c, konio_sigma_s});
  }
  std::vector<Pathway> pathways() const {
    return {{.cones = kParvoCones, .sigmas = {parvo_sigma_c, parvo_sigma_s}},
            {.cones = kMagnoCones, .sigmas = {magno_sigma_c, magno_sigma_s}},
            {.cones = kKonioCones, .sigmas = {konio_sigma_c, konio_sigma_s}, .both = false}};
  }
};

class RGBToLGN final : public PathwayOperation<RGBToLGN, LgnParameters> {
 public:
  static constexpr const char* kName = "RGBToLGN";
  static constexpr const char* kSummary =
      "Makes five channels from sRGB, as cells of the lateral geniculate nucleus answer: two parvo, two "
      "magno, one konio.";
  static constexpr bool kFromRgb = true;
  using PathwayOperation::PathwayOperation;
};

}  // namespace

OperationInfo rgb_to_lgn_operation() { return operation_info<RGBToLGN>(); }

}  // namespace penstock::inline v0
