// RandomVerticalFlip.

#include "transforms/image/geometry_rules.hpp"
#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

struct VerticalFlipParameters {
  double p = 0.5;

  template <class V>
  void fields(V&& v) {
    v("p", p, "probability of turning it upside down");
  }
};

class RandomVerticalFlip final : public ImageOperation<RandomVerticalFlip, VerticalFlipParameters, Happens> {
 public:
  static constexpr const char* kName = "RandomVerticalFlip";
  static constexpr const char* kSummary = "Mirrors top and bottom with a given probability.";
  static constexpr bool kMovesPixels = true;
  using ImageOperation::ImageOperation;

  Status check() const override { return check_chance(p_.p); }
  Result<ImageSpec> describe(const ImageSpec& in) const override { return moved_spec(kName, in, in.size); }

  Status draw(const ImageSlots&, Draws& draws, Happens& drawn) const {
    drawn.apply = draws.chance(p_.p);
    return {};
  }

  Status plan(const ImageSpec&, const Happens& drawn, ImageEdits& edits) const {
    if (drawn.apply) {
      edits.push_back(FlipEdit{.down = true});
    }
    return {};
  }
};

}  // namespace

OperationInfo random_vertical_flip_operation() { return operation_info<RandomVerticalFlip>(); }

}  // namespace penstock::inline v0
