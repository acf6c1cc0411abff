// RandomChoice: one operation of a list.

#include <fmt/format.h>

#include <cmath>

#include "transforms/composite/batch_composite.hpp"

namespace penstock::inline v0 {
namespace {

struct ChoiceParameters {
  HeldOperations transforms;
  std::optional<std::vector<double>> p;

  template <class V>
  void fields(V&& v) {
    v("transforms", transforms,
      "operations on images, or on whole batches, or lists of them, of which one runs");
    v("p", p, "weight of each; None: all alike");
  }
};

class RandomChoice final : public CompositeOperation<RandomChoice, ChoiceParameters> {
 public:
  static constexpr const char* kName = "RandomChoice";
  static constexpr const char* kSummary = "Runs one operation of a list, chosen at random.";
  using CompositeOperation::CompositeOperation;

  Status check_choice() const {
    if (!p_.p) {
      return {};
    }
    if (p_.p->size() != p_.transforms.list.size()) {
      return wrong("p",
                   fmt::format("has {} numbers for {} operations", p_.p->size(), p_.transforms.list.size()),
                   "pass a weight for each");
    }
    double sum = 0;
    for (const double weight : *p_.p) {
      if (!(weight >= 0) || !std::isfinite(weight)) {
        return wrong("p", fmt::format("must be numbers of 0 and above, got {}", weight), "");
      }
      sum += weight;
    }
    if (!(sum > 0) || !std::isfinite(sum)) {
      return wrong("p", "must have a number above 0", "");
    }
    return {};
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    PENSTOCK_ASSIGN(ImageSpec spec, held_.describe(kName, 0, in));
    for (std::size_t i = 1; i < held_.operations().size(); ++i) {
      PENSTOCK_ASSIGN(const ImageSpec other, held_.describe(kName, i, in));
      spec = either(spec, other);
    }
    return spec;
  }

  void choose(Draws& draws, std::vector<int>& chosen) const {
    const std::size_t count = held_.operations().size();
    if (!p_.p) {
      chosen.push_back(static_cast<int>(draws.below(count)));
      return;
    }
    double sum = 0;
    for (const double weight : *p_.p) {
      sum += weight;
    }
    double left = draws.uniform() * sum;
    int number = -1;
    for (std::size_t i = 0; i < count && left >= 0; ++i) {
      if ((*p_.p)[i] > 0) {  // what weighs nothing is not chosen by rounding either
        number = static_cast<int>(i);
        left -= (*p_.p)[i];
      }
    }
    chosen.push_back(number);
  }
};

}  // namespace

OperationInfo random_choice_operation() { return composite_info<RandomChoice>(); }

}  // namespace penstock::inline v0
