// ColorJitter: brightness, contrast, saturation and hue, in a drawn order; Pillow's arithmetic.

#include <algorithm>
#include <iterator>
#include <utility>

#include "transforms/image/color_edits.hpp"
#include "transforms/image/factor_range.hpp"
#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

struct JitterParameters {
  OptionalRange brightness;
  OptionalRange contrast;
  OptionalRange saturation;
  OptionalRange hue;

  template <class V>
  void fields(V&& v) {
    v("brightness", brightness, "(min, max) factor; one number b means (max(0, 1 - b), 1 + b)");
    v("contrast", contrast, "(min, max) factor; one number as with brightness");
    v("saturation", saturation, "(min, max) factor; one number as with brightness");
    v("hue", hue, "(min, max) part of the colour circle, -0.5 to 0.5; one number h means (-h, h)");
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

class ColorJitter final : public ImageOperation<ColorJitter, JitterParameters, DrawnJitter> {
 public:
  static constexpr const char* kName = "ColorJitter";
  static constexpr const char* kSummary =
      "Changes brightness, contrast, saturation and hue by random amounts, in a random order.";
  using ImageOperation::ImageOperation;

  Status check() const override {
    PENSTOCK_TRY(check_factors(kName, "brightness", p_.brightness));
    PENSTOCK_TRY(check_factors(kName, "contrast", p_.contrast));
    PENSTOCK_TRY(check_factors(kName, "saturation", p_.saturation));
    return check_hue(kName, p_.hue, 0.5);
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override { return same_if_bytes(kName, in); }

  Status draw(const ImageSlots&, Draws& draws, DrawnJitter& drawn) const {
    drawn.order = {0, 1, 2, 3};
    for (std::size_t left = 4; left > 1; --left) {
      std::swap(drawn.order[left - 1], drawn.order[static_cast<std::size_t>(draws.below(left))]);
    }
    drawn.brightness = draw_factor(p_.brightness, 1, draws);
    drawn.contrast = draw_factor(p_.contrast, 1, draws);
    drawn.saturation = draw_factor(p_.saturation, 1, draws);
    drawn.hue = draw_factor(p_.hue, 0, draws);
    return {};
  }

  Status plan(const ImageSpec&, const DrawnJitter& drawn, ImageEdits& edits) const {
    constexpr int kParts[] = {0, 1, 2, 3};
    if (!std::is_permutation(drawn.order.begin(), drawn.order.end(), std::begin(kParts), std::end(kParts))) {
      return detail::wrong_drawn(kName, "order", "must have each of 0, 1, 2 and 3 once");
    }
    PENSTOCK_TRY(check_drawn_factor(kName, "brightness", drawn.brightness));
    PENSTOCK_TRY(check_drawn_factor(kName, "contrast", drawn.contrast));
    PENSTOCK_TRY(check_drawn_factor(kName, "saturation", drawn.saturation));
    PENSTOCK_TRY(check_drawn_hue(kName, drawn.hue));
    for (const int part : drawn.order) {
      if (part == 0 && factor_range(p_.brightness, 1)) {
        edits.push_back(brightness_edit(drawn.brightness));
      } else if (part == 1 && factor_range(p_.contrast, 1)) {
        edits.push_back(contrast_edit(drawn.contrast));
      } else if (part == 2 && factor_range(p_.saturation, 1)) {
        edits.push_back(saturation_edit(drawn.saturation));
      } else if (part == 3 && factor_range(p_.hue, 0)) {
        edits.push_back(hue_edit(drawn.hue));
      }
    }
    return {};
  }
};

}  // namespace

OperationInfo color_jitter_operation() { return operation_info<ColorJitter>(); }

}  // namespace penstock::inline v0
