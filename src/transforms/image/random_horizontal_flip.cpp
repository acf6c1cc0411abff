// RandomHorizontalFlip.

#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

class RandomHorizontalFlip final
    : public ImageOperation<RandomHorizontalFlip, transforms::RandomHorizontalFlip, Happens> {
 public:
  static constexpr const char* kName = "RandomHorizontalFlip";
  static constexpr const char* kSummary = "Mirrors left and right with a given probability.";
  static constexpr bool kMovesPixels = true;
  using ImageOperation::ImageOperation;

  Status check() const override { return check_chance(p_.p); }

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    if (in.is_float()) {
      return geometry_after_values(kName);
    }
    return ImageSpec(in);
  }

  Status draw(const ImageSlots&, Draws& draws, Happens& drawn) const {
    drawn.apply = draws.chance(p_.p);
    return {};
  }

  Status plan(const ImageSpec&, const Happens& drawn, ImageEdits& edits) const {
    if (drawn.apply) {
      edits.push_back(FlipEdit{});
    }
    return {};
  }
};

}  // namespace

transforms::RandomHorizontalFlip::operator TransformPtr() const {
  return std::make_shared<const penstock::RandomHorizontalFlip>(*this);
}
OperationInfo random_horizontal_flip_operation() { return operation_info<RandomHorizontalFlip>(); }

}  // namespace penstock::inline v0
