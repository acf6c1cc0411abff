// RandomApply: a list of operations happens or does not.

#include "transforms/composite/batch_composite.hpp"

namespace penstock::inline v0 {
namespace {

struct ApplyParameters {
  HeldOperations transforms;
  double p = 0.5;

  template <class V>
  void fields(V&& v) {
    v("transforms", transforms, "operations on images, or on whole batches, all of which run or none");
    v("p", p, "probability of running them");
  }
};

class RandomApply final : public CompositeOperation<RandomApply, ApplyParameters> {
 public:
  static constexpr const char* kName = "RandomApply";
  static constexpr const char* kSummary = "Runs a list of operations with a given probability.";
  using CompositeOperation::CompositeOperation;

  Status check_choice() const { return check_chance(p_.p); }

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    PENSTOCK_ASSIGN(const ImageSpec out, held_.describe_all(kName, in));
    return either(in, out);
  }

  void choose(Draws& draws, std::vector<int>& chosen) const {
    if (draws.chance(p_.p)) {
      choose_all(chosen);
    }
  }
};

}  // namespace

OperationInfo random_apply_operation() { return composite_info<RandomApply>(); }

}  // namespace penstock::inline v0
