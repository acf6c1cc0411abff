// RandomPosterize: only the upper bits of each value stay.

#include <fmt/format.h>

#include "transforms/image/by_chance.hpp"
#include "transforms/image/table_edits.hpp"

namespace penstock::inline v0 {
namespace {

struct PosterizeParameters {
  RequiredInt bits;
  double p = 0.5;

  template <class V>
  void fields(V&& v) {
    v("bits", bits, "how many of the 8 bits stay; none give black");
    v("p", p, "probability of its being done");
  }
};

class RandomPosterize final : public ByChance<RandomPosterize, PosterizeParameters> {
 public:
  static constexpr const char* kName = "RandomPosterize";
  static constexpr const char* kSummary =
      "Keeps only the upper bits of each value, with a given probability.";
  using ByChance::ByChance;

  Status check() const override {
    if (p_.bits.value < 0 || p_.bits.value > 8) {
      return wrong("bits", fmt::format("must be between 0 and 8, got {}", p_.bits.value), "");
    }
    return ByChance::check();
  }

  TableEdit edit() const { return posterize_edit(p_.bits.value); }
};

}  // namespace

OperationInfo random_posterize_operation() { return operation_info<RandomPosterize>(); }

}  // namespace penstock::inline v0
