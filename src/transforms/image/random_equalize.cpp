// RandomEqualize: each channel's histogram is made flat; Pillow's arithmetic.

#include "transforms/image/by_chance.hpp"
#include "transforms/image/table_edits.hpp"

namespace penstock::inline v0 {
namespace {

class RandomEqualize final : public ByChance<RandomEqualize> {
 public:
  static constexpr const char* kName = "RandomEqualize";
  static constexpr const char* kSummary =
      "Spreads the values of each channel so that all are used about equally often, with a given "
      "probability.";
  using ByChance::ByChance;

  TableEdit edit() const { return equalize_edit(); }
};

}  // namespace

OperationInfo random_equalize_operation() { return operation_info<RandomEqualize>(); }

}  // namespace penstock::inline v0
