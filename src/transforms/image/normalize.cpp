// Normalize: (value - mean) / std in float32, one operation after the other, as torchvision computes it.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

class Normalize final : public ImageOperation<Normalize, transforms::Normalize> {
 public:
  static constexpr const char* kName = "Normalize";
  static constexpr const char* kSummary =
      "Subtracts the mean and divides by the standard deviation; integers become floats as by ToFloat first.";
  using ImageOperation::ImageOperation;

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
    if (in.values_done) {
      return Error{ErrorKind::invalid,
                   "Normalize cannot follow an operation on floats",
                   "put RandomErasing behind Normalize, or before ToFloat",
                   {}};
    }
    for (const auto& [parameter, list] : {std::pair("mean", &p_.mean), std::pair("std", &p_.std)}) {
      PENSTOCK_TRY(check_channels(kName, parameter, list->size(), in));
    }
    return ImageSpec{in.size, ElementType::float32, in.channels};
  }

  void map_values(FloatTable& table) const override {
    FloatTable::Shift by;
    for (std::size_t channel = 0; channel < FloatTable::kChannels; ++channel) {
      by.mean[channel] = static_cast<float>(p_.mean[std::min(channel, p_.mean.size() - 1)]);
      by.std[channel] = static_cast<float>(p_.std[std::min(channel, p_.std.size() - 1)]);
    }
    table.shift(by);
  }

 private:
  Status check_list(const char* parameter, const std::vector<double>& list) const {
    if (list.size() != 1 && list.size() != 3 && list.size() != 4) {
      return wrong(parameter,
                   fmt::format("must be one number, or one for each channel, got {} numbers", list.size()),
                   "");
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
