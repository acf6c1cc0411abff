// Gamma: a power of each value; torchvision's adjust_gamma on Pillow images.

#include <cmath>

#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

struct GammaParameters {
  std::vector<double> gamma;
  double gain = 1.0;

  template <class V>
  void fields(V&& v) {
    v("gamma", gamma, "exponent of values from 0 to 1, above 1 darker; one number, or (min, max)");
    v("gain", gain, "factor of the result");
  }
};

struct DrawnGamma {
  double gamma = 1;

  template <class V>
  void fields(V&& v) {
    v("gamma", gamma);
  }
};

class Gamma final : public ImageOperation<Gamma, GammaParameters, DrawnGamma> {
 public:
  static constexpr const char* kName = "Gamma";
  static constexpr const char* kSummary =
      "Raises values to a power, as torchvision's adjust_gamma does on Pillow images.";
  using ImageOperation::ImageOperation;

  Status check() const override {
    const auto& range = p_.gamma;
    if (range.size() > 2 || !(range.front() >= 0) || !(range.front() <= range.back()) ||
        !std::isfinite(range.back())) {
      return wrong("gamma", "must be a non-negative number, or (min, max) of such numbers", "");
    }
    if (!(p_.gain >= 0) || !std::isfinite(p_.gain)) {
      return wrong("gain", "must be a non-negative number", "");
    }
    return {};
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override { return same_if_bytes(kName, in); }

  Status draw(const ImageSlots&, Draws& draws, DrawnGamma& drawn) const {
    drawn.gamma =
        p_.gamma.size() == 1 ? p_.gamma[0] : static_cast<float>(draws.uniform(p_.gamma[0], p_.gamma[1]));
    return {};
  }

  Status plan(const ImageSpec&, const DrawnGamma& drawn, ImageEdits& edits) const {
    if (!(drawn.gamma >= 0)) {
      return detail::wrong_drawn(kName, "gamma", "must be a non-negative number");
    }
    edits.push_back(
        TableEdit{.name = "gamma",
                  .make = [](const TableEdit& edit, const ImageStatistics&,
                             std::size_t) { return gamma_table(edit.numbers[0], edit.numbers[1]); },
                  .numbers = {drawn.gamma, p_.gain}});
    return {};
  }
};

}  // namespace

OperationInfo gamma_operation() { return operation_info<Gamma>(); }

}  // namespace penstock::inline v0
