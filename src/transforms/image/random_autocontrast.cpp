// RandomAutocontrast: each channel is stretched to 0 and 255; Pillow's arithmetic.

#include <algorithm>

#include "transforms/image/by_chance.hpp"

namespace penstock::inline v0 {
namespace {

class RandomAutocontrast final : public ByChance<RandomAutocontrast> {
 public:
  static constexpr const char* kName = "RandomAutocontrast";
  static constexpr const char* kSummary =
      "Stretches the values of each channel so that the smallest is 0 and the largest 255, with a given "
      "probability.";
  using ByChance::ByChance;

  TableEdit edit() const {
    return {.name = "autocontrast",
            .make =
                [](const TableEdit&, const ImageStatistics& image, std::size_t channel) {
                  const auto& counts = image.histogram[channel];
                  const auto used = [](std::uint32_t count) { return count != 0; };
                  const auto* first = std::find_if(counts.begin(), counts.end(), used);
                  const auto last = std::find_if(counts.rbegin(), counts.rend(), used);
                  return autocontrast_table(static_cast<std::uint8_t>(first - counts.begin()),
                                            static_cast<std::uint8_t>(counts.rend() - last - 1));
                },
            .needs = TableEdit::Needs::histogram};
  }
};

}  // namespace

OperationInfo random_autocontrast_operation() { return operation_info<RandomAutocontrast>(); }

}  // namespace penstock::inline v0
