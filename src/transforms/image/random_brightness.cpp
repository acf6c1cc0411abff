// RandomBrightness: brightness by a drawn factor.

#include "transforms/image/color_edits.hpp"
#include "transforms/image/random_factor.hpp"

namespace penstock::inline v0 {
namespace {

class RandomBrightness final : public RandomFactor<RandomBrightness> {
 public:
  static constexpr const char* kName = "RandomBrightness";
  static constexpr const char* kSummary =
      "Multiplies all values by a random factor, as ColorJitter does: slipstream's operation with Pillow's "
      "arithmetic.";
  using RandomFactor::RandomFactor;

  static TableEdit edit(double factor) { return brightness_edit(factor); }
};

}  // namespace

OperationInfo random_brightness_operation() { return operation_info<RandomBrightness>(); }

}  // namespace penstock::inline v0
