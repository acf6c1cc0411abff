// RandomHorizontalFlip.

#include <fmt/format.h>

#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

class RandomHorizontalFlip final : public Operation<RandomHorizontalFlip, transforms::RandomHorizontalFlip> {
 public:
  static constexpr const char* kName = "RandomHorizontalFlip";
  static constexpr const char* kSummary = "Mirrors left and right with a given probability.";
  using Operation::Operation;

  Status check() const override {
    if (!(p_.p >= 0) || !(p_.p <= 1)) {
      return wrong("p", fmt::format("must be between 0 and 1, got {}", p_.p), "");
    }
    return {};
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    if (in.type != ElementType::uint8) {
      return geometry_after_values(kName);
    }
    return ImageSpec(in);
  }

  Status plan(ImageSize, Draws& draws, GeometrySteps& steps) const override {
    if (draws.chance(p_.p)) {
      steps.push_back(FlipStep{});
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
