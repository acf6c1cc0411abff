#pragma once
// Operations on 8-bit colours that happen or do not, with nothing else to draw.

#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {

struct ChanceParameters {
  double p = 0.5;

  template <class V>
  void fields(V&& v) {
    v("p", p, "probability of its being done");
  }
};

/// `Parameters` has a p; `Self` brings kName, kSummary and edit(), what happens then.
template <class Self, class Parameters = ChanceParameters>
class ByChance : public ImageOperation<Self, Parameters, Happens> {
 public:
  using ImageOperation<Self, Parameters, Happens>::ImageOperation;

  Status check() const override { return this->check_chance(this->p_.p); }
  Result<ImageSpec> describe(const ImageSpec& in) const override { return same_if_bytes(Self::kName, in); }

  Status draw(const ImageSlots&, Draws& draws, Happens& drawn) const {
    drawn.apply = draws.chance(this->p_.p);
    return {};
  }
  Status plan(const ImageSpec&, const Happens& drawn, ImageEdits& edits) const {
    if (drawn.apply) {
      edits.push_back(this->self().edit());
    }
    return {};
  }
};

}  // namespace penstock::inline v0
