// NormalizeLGN: (value - mean) / std of floats, whatever their channels are.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

struct NormalizeLgnParameters {
  std::vector<double> mean = {0.2};
  std::vector<double> std = {0.2};

  template <class V>
  void fields(V&& v) {
    v("mean", mean, "subtracted: one number, or one per channel");
    v("std", std, "divisor after that: one number, or one per channel");
  }
};

void normalise_floats(const FloatEdit& edit, const FloatRows& image) {
  const auto& by = *static_cast<const NormalizeLgnParameters*>(edit.drawn);
  for (int c = 0; c < image.channels; ++c) {
    const auto channel = static_cast<std::size_t>(c);
    const auto mean = static_cast<float>(by.mean[std::min(channel, by.mean.size() - 1)]);
    const auto std = static_cast<float>(by.std[std::min(channel, by.std.size() - 1)]);
    for (int y = 0; y < image.size.height; ++y) {
      for (int x = 0; x < image.size.width; ++x) {
        float& value = image.at(x, y, c);
        value = (value - mean) / std;
      }
    }
  }
}

class NormalizeLGN final : public ImageOperation<NormalizeLGN, NormalizeLgnParameters> {
 public:
  static constexpr const char* kName = "NormalizeLGN";
  static constexpr const char* kSummary =
      "Subtracts the mean and divides by the standard deviation, after operations on floats too.";
  using ImageOperation::ImageOperation;

  Status check() const override {
    for (const auto& [name, list] : {std::pair("mean", &p_.mean), std::pair("std", &p_.std)}) {
      for (const double number : *list) {
        if (!std::isfinite(static_cast<float>(number))) {
          return wrong(name, fmt::format("must be finite, got {}", number), "");
        }
      }
    }
    for (const double deviation : p_.std) {
      if (static_cast<float>(deviation) == 0.0F) {
        return wrong("std", "must not contain 0, also as float32", "");
      }
    }
    return {};
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    for (const auto& [name, list] : {std::pair("mean", &p_.mean), std::pair("std", &p_.std)}) {
      PENSTOCK_TRY(check_channels(kName, name, list->size(), in));
    }
    return ImageSpec{
        .size = in.size, .type = ElementType::float32, .channels = in.channels, .values_done = true};
  }

  Status plan(const ImageSpec&, const NoDraw&, ImageEdits& edits) const {
    edits.push_back(FloatEdit{.name = "normalise", .run = &normalise_floats, .drawn = &p_});
    return {};
  }
};

}  // namespace

OperationInfo normalize_lgn_operation() { return operation_info<NormalizeLGN>(); }

}  // namespace penstock::inline v0
