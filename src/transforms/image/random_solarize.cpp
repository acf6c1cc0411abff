// RandomSolarize: values from a threshold on are inverted.

#include <cmath>

#include "transforms/image/table_edits.hpp"
#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

struct SolarizeParameters {
  RequiredNumber threshold;
  double p = 0.5;

  template <class V>
  void fields(V&& v) {
    v("threshold", threshold, "values of this and above become 255 minus the value");
    v("p", p, "probability of inverting");
  }
};

class RandomSolarize final : public ImageOperation<RandomSolarize, SolarizeParameters, Happens> {
 public:
  static constexpr const char* kName = "RandomSolarize";
  static constexpr const char* kSummary = "Inverts all values from a threshold on, with a given probability.";
  using ImageOperation::ImageOperation;

  Status check() const override {
    if (!std::isfinite(p_.threshold.value)) {
      return wrong("threshold", "must be a number, got nan", "");
    }
    return check_chance(p_.p);
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override { return same_if_bytes(kName, in); }

  Status draw(const ImageSlots&, Draws& draws, Happens& drawn) const {
    drawn.apply = draws.chance(p_.p);
    return {};
  }

  Status plan(const ImageSpec&, const Happens& drawn, ImageEdits& edits) const {
    if (drawn.apply) {
      edits.push_back(solarize_edit(p_.threshold.value));
    }
    return {};
  }
};

}  // namespace

OperationInfo random_solarize_operation() { return operation_info<RandomSolarize>(); }

}  // namespace penstock::inline v0
