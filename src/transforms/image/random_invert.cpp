// RandomInvert: every value becomes 255 minus itself.

#include "transforms/image/by_chance.hpp"
#include "transforms/image/table_edits.hpp"

namespace penstock::inline v0 {
namespace {

class RandomInvert final : public ByChance<RandomInvert> {
 public:
  static constexpr const char* kName = "RandomInvert";
  static constexpr const char* kSummary = "Inverts all values, with a given probability.";
  using ByChance::ByChance;

  TableEdit edit() const { return invert_edit(); }
};

}  // namespace

OperationInfo random_invert_operation() { return operation_info<RandomInvert>(); }

}  // namespace penstock::inline v0
