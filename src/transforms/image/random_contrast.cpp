// RandomContrast: contrast by a drawn factor.

#include "transforms/image/color_edits.hpp"
#include "transforms/image/random_factor.hpp"

namespace penstock::inline v0 {
namespace {

class RandomContrast final : public RandomFactor<RandomContrast> {
 public:
  static constexpr const char* kName = "RandomContrast";
  static constexpr const char* kSummary =
      "Moves all values from or to their mean gray by a random factor, as ColorJitter does: slipstream's "
      "operation with Pillow's arithmetic.";
  using RandomFactor::RandomFactor;

  static TableEdit edit(double factor) { return contrast_edit(factor); }
};

}  // namespace

OperationInfo random_contrast_operation() { return operation_info<RandomContrast>(); }

}  // namespace penstock::inline v0
