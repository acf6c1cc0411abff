// RandomAutocontrast: each channel is stretched to 0 and 255; Pillow's arithmetic.

#include "transforms/image/by_chance.hpp"
#include "transforms/image/table_edits.hpp"

namespace penstock::inline v0 {
namespace {

class RandomAutocontrast final : public ByChance<RandomAutocontrast> {
 public:
  static constexpr const char* kName = "RandomAutocontrast";
  static constexpr const char* kSummary =
      "Stretches the values of each channel so that the smallest is 0 and the largest 255, with a given "
      "probability.";
  using ByChance::ByChance;

  TableEdit edit() const { return autocontrast_edit(); }
};

}  // namespace

OperationInfo random_autocontrast_operation() { return operation_info<RandomAutocontrast>(); }

}  // namespace penstock::inline v0
