// Normalize: (value - mean) / std in float32, one operation after the other, as torchvision computes it.

#include <fmt/format.h>

#include <cmath>

#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

class Normalize final : public Operation<Normalize, transforms::Normalize> {
 public:
  static constexpr const char* kName = "Normalize";
  static constexpr const char* kSummary =
      "Subtracts the mean and divides by the standard deviation; 8-bit values are divided by 255 before.";
  using Operation::Operation;

  Status check() const override {
    PENSTOCK_TRY(check_list("mean", p_.mean));
    PENSTOCK_TRY(check_list("std", p_.std));
    for (const double deviation : p_.std) {
      if (static_cast<float>(deviation) == 0.0F) {
        return wrong("std", "must not contain 0, also as float32", "");
      }
    }
    return {};
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    return ImageSpec{in.size, ElementType::float32};
  }

  void map_values(FloatTable& table) const override {
    for (std::size_t channel = 0; channel < 3; ++channel) {
      const auto mean = static_cast<float>(p_.mean[p_.mean.size() == 1 ? 0 : channel]);
      const auto deviation = static_cast<float>(p_.std[p_.std.size() == 1 ? 0 : channel]);
      table.simple =
          table.simple && table.mean[channel] == 0.0F && table.std[channel] == 1.0F;  // one such step
      table.mean[channel] = mean;
      table.std[channel] = deviation;
      for (float& value : table.values[channel]) {
        value = value - mean;
        value = value / deviation;
      }
    }
  }

 private:
  Status check_list(const char* parameter, const std::vector<double>& list) const {
    if (list.size() != 1 && list.size() != 3) {
      return wrong(parameter, fmt::format("must have 1 or 3 numbers, got {}", list.size()), "");
    }
    for (const double number : list) {
      if (!std::isfinite(static_cast<float>(number))) {
        return wrong(parameter, fmt::format("must be finite, got {}", number), "");
      }
    }
    return {};
  }
};

}  // namespace

transforms::Normalize::operator TransformPtr() const {
  return std::make_shared<const penstock::Normalize>(*this);
}
OperationInfo normalize_operation() { return operation_info<Normalize>(); }

}  // namespace penstock::inline v0
