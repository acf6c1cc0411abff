// RandomAdjustSharpness: smoother or sharper than it was; Pillow's arithmetic.

#include <cmath>

#include "transforms/image/by_chance.hpp"
#include "transforms/image/color_edits.hpp"

namespace penstock::inline v0 {
namespace {

struct SharpnessParameters {
  RequiredNumber sharpness_factor;
  double p = 0.5;

  template <class V>
  void fields(V&& v) {
    v("sharpness_factor", sharpness_factor, "0 is smooth, 1 changes nothing, 2 is twice as sharp");
    v("p", p, "probability of its being done");
  }
};

class RandomAdjustSharpness final : public ByChance<RandomAdjustSharpness, SharpnessParameters> {
 public:
  static constexpr const char* kName = "RandomAdjustSharpness";
  static constexpr const char* kSummary =
      "Makes images smoother or sharper by a factor, with a given probability.";
  using ByChance::ByChance;

  Status check() const override {
    if (!(p_.sharpness_factor.value >= 0) || !std::isfinite(p_.sharpness_factor.value)) {
      return wrong("sharpness_factor", "must be a non-negative number", "");
    }
    return ByChance::check();
  }

  PixelsEdit edit() const { return sharpness_edit(p_.sharpness_factor.value); }
};

}  // namespace

OperationInfo random_adjust_sharpness_operation() { return operation_info<RandomAdjustSharpness>(); }

}  // namespace penstock::inline v0
