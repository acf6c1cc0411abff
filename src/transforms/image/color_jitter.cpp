// ColorJitter: brightness, contrast, saturation and hue, in a drawn order; Pillow's arithmetic.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "transforms/image/color_edits.hpp"
#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

using OptionalRange = std::optional<std::vector<double>>;

struct JitterParameters {
  OptionalRange brightness;
  OptionalRange contrast;
  OptionalRange saturation;
  OptionalRange hue;

  template <class V>
  void fields(V&& v) {
    v("brightness", brightness, "(smallest, largest) factor; one number b means (max(0, 1 - b), 1 + b)");
    v("contrast", contrast, "(smallest, largest) factor; one number as with brightness");
    v("saturation", saturation, "(smallest, largest) factor; one number as with brightness");
    v("hue", hue, "(smallest, largest) part of the colour circle, -0.5 to 0.5; one number h means (-h, h)");
  }
};

struct DrawnJitter {
  std::vector<int> order;  ///< 0 brightness, 1 contrast, 2 saturation, 3 hue
  double brightness = 1;
  double contrast = 1;
  double saturation = 1;
  double hue = 0;

  template <class V>
  void fields(V&& v) {
    v("order", order);
    v("brightness", brightness);
    v("contrast", contrast);
    v("saturation", saturation);
    v("hue", hue);
  }
};

struct JitterRange {
  double low = 0;
  double high = 0;
};

class ColorJitter final : public ImageOperation<ColorJitter, JitterParameters, DrawnJitter> {
 public:
  static constexpr const char* kName = "ColorJitter";
  static constexpr const char* kSummary =
      "Changes brightness, contrast, saturation and hue by random amounts, in a random order.";
  using ImageOperation::ImageOperation;

  Status check() const override {
    for (const auto& [name, given] :
         {std::pair("brightness", &p_.brightness), std::pair("contrast", &p_.contrast),
          std::pair("saturation", &p_.saturation)}) {
      PENSTOCK_TRY(check_range(name, *given, 0, HUGE_VAL));
    }
    return check_range("hue", p_.hue, -0.5, 0.5);
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override { return same_if_bytes(kName, in); }

  Status draw(const ImageSlots&, Draws& draws, DrawnJitter& drawn) const {
    drawn.order = {0, 1, 2, 3};
    for (std::size_t left = 4; left > 1; --left) {
      std::swap(drawn.order[left - 1], drawn.order[static_cast<std::size_t>(draws.below(left))]);
    }
    drawn.brightness = factor(p_.brightness, 1, draws);
    drawn.contrast = factor(p_.contrast, 1, draws);
    drawn.saturation = factor(p_.saturation, 1, draws);
    drawn.hue = factor(p_.hue, 0, draws);
    return {};
  }

  Status plan(const ImageSpec&, const DrawnJitter& drawn, ImageEdits& edits) const {
    for (const int part : drawn.order) {
      if (part == 0 && range_of(p_.brightness, 1)) {
        edits.push_back(brightness_edit(drawn.brightness));
      } else if (part == 1 && range_of(p_.contrast, 1)) {
        edits.push_back(contrast_edit(drawn.contrast));
      } else if (part == 2 && range_of(p_.saturation, 1)) {
        edits.push_back(saturation_edit(drawn.saturation));
      } else if (part == 3 && range_of(p_.hue, 0)) {
        if (!(std::abs(drawn.hue) <= 0.5)) {
          return detail::wrong_drawn(kName, "hue",
                                     fmt::format("must be between -0.5 and 0.5, got {}", drawn.hue));
        }
        edits.push_back(hue_edit(drawn.hue));
      }
    }
    return {};
  }

 private:
  /// None where the part takes no edit.
  static std::optional<JitterRange> range_of(const OptionalRange& given, double center) {
    if (!given) {
      return std::nullopt;
    }
    JitterRange range{given->front(), given->back()};
    if (given->size() == 1) {
      range = {center - given->front(), center + given->front()};
      range.low = center == 1 ? std::max(range.low, 0.0) : range.low;
    }
    return range.low == center && range.high == center ? std::nullopt : std::optional(range);
  }
  /// As torchvision has them: float32.
  static double factor(const OptionalRange& given, double center, Draws& draws) {
    const auto range = range_of(given, center);
    return range ? static_cast<float>(draws.uniform(range->low, range->high)) : center;
  }
  Status check_range(const char* name, const OptionalRange& given, double low, double high) const {
    if (!given) {
      return {};
    }
    const bool one = given->size() == 1;
    const double first = given->front();
    const double last = given->back();
    const bool good = given->size() <= 2 && std::isfinite(first) && std::isfinite(last) && first <= last &&
                      (one ? first >= 0 && first <= high : first >= low && last <= high);
    return good ? Status()
                : wrong(name,
                        low < 0 ? "must be between 0 and 0.5, or (min, max) between -0.5 and 0.5"
                                : "must be a non-negative number, or (min, max) of such numbers",
                        "");
  }
};

}  // namespace

OperationInfo color_jitter_operation() { return operation_info<ColorJitter>(); }

}  // namespace penstock::inline v0
