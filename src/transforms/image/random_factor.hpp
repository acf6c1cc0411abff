#pragma once
// Operations on 8-bit colours that change one property by a drawn factor, with a given probability.

#include <fmt/format.h>

#include <cmath>

#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {

struct FactorParameters {
  double p = 1.0;
  std::array<double, 2> scale_range = {0.6, 1.4};

  template <class V>
  void fields(V&& v) {
    v("p", p, "probability of its being done");
    v("scale_range", scale_range, "min and max factor; 1 changes nothing");
  }
};

struct DrawnFactor {
  bool apply = false;
  double factor = 1;

  template <class V>
  void fields(V&& v) {
    v("apply", apply);
    v("factor", factor);
  }
};

/// `Self` brings kName, kSummary and edit(factor).
template <class Self>
class RandomFactor : public ImageOperation<Self, FactorParameters, DrawnFactor> {
 public:
  using ImageOperation<Self, FactorParameters, DrawnFactor>::ImageOperation;

  Status check() const override {
    const auto& [low, high] = this->p_.scale_range;
    if (!(low >= 0) || !(low <= high) || !std::isfinite(high)) {
      return this->wrong(
          "scale_range",
          fmt::format("must be two non-negative numbers, the smaller one first, got ({}, {})", low, high),
          "");
    }
    return this->check_chance(this->p_.p);
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override { return same_if_bytes(Self::kName, in); }

  Status draw(const ImageSlots&, Draws& draws, DrawnFactor& drawn) const {
    drawn.apply = draws.chance(this->p_.p);
    drawn.factor = static_cast<float>(draws.uniform(this->p_.scale_range[0], this->p_.scale_range[1]));
    return {};
  }
  Status plan(const ImageSpec&, const DrawnFactor& drawn, ImageEdits& edits) const {
    if (drawn.apply) {
      edits.push_back(Self::edit(drawn.factor));
    }
    return {};
  }
};

}  // namespace penstock::inline v0
