// RandomColorJitterHSV: value, contrast, saturation and hue, in this order; Pillow's arithmetic.

#include "transforms/image/color_edits.hpp"
#include "transforms/image/factor_range.hpp"
#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

struct HsvParameters {
  double p = 1.0;
  OptionalRange hue = {{0.0}};
  OptionalRange saturation = {{0.0}};
  OptionalRange value = {{0.0}};
  OptionalRange contrast = {{0.0}};

  template <class V>
  void fields(V&& v) {
    v("p", p, "probability of its being done");
    v("hue", hue, "(min, max) part of the colour circle, -0.5 to 0.5; one number h means (-h, h)");
    v("saturation", saturation, "(min, max) factor; one number s means (max(0, 1 - s), 1 + s)");
    v("value", value, "(min, max) factor of brightness; one number as with saturation");
    v("contrast", contrast, "(min, max) factor; one number as with saturation");
  }
};

struct DrawnHsv {
  bool apply = false;
  double hue = 0;
  double saturation = 1;
  double value = 1;
  double contrast = 1;

  template <class V>
  void fields(V&& v) {
    v("apply", apply);
    v("hue", hue);
    v("saturation", saturation);
    v("value", value);
    v("contrast", contrast);
  }
};

class RandomColorJitterHSV final : public ImageOperation<RandomColorJitterHSV, HsvParameters, DrawnHsv> {
 public:
  static constexpr const char* kName = "RandomColorJitterHSV";
  static constexpr const char* kSummary =
      "Changes value, contrast, saturation and hue by random amounts, in this order: slipstream's operation "
      "with Pillow's arithmetic.";
  using ImageOperation::ImageOperation;

  Status check() const override {
    PENSTOCK_TRY(check_hue(kName, p_.hue, 0.5));
    PENSTOCK_TRY(check_factors(kName, "saturation", p_.saturation));
    PENSTOCK_TRY(check_factors(kName, "value", p_.value));
    PENSTOCK_TRY(check_factors(kName, "contrast", p_.contrast));
    return check_chance(p_.p);
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override { return same_if_bytes(kName, in); }

  Status draw(const ImageSlots&, Draws& draws, DrawnHsv& drawn) const {
    drawn.apply = draws.chance(p_.p);
    drawn.hue = draw_factor(p_.hue, 0, draws);
    drawn.saturation = draw_factor(p_.saturation, 1, draws);
    drawn.value = draw_factor(p_.value, 1, draws);
    drawn.contrast = draw_factor(p_.contrast, 1, draws);
    return {};
  }

  Status plan(const ImageSpec&, const DrawnHsv& drawn, ImageEdits& edits) const {
    if (!drawn.apply) {
      return {};
    }
    // What was drawn decides, so that params do the same in an operation with other ranges.
    if (drawn.value != 1) {
      edits.push_back(brightness_edit(drawn.value));
    }
    if (drawn.contrast != 1) {
      edits.push_back(contrast_edit(drawn.contrast));
    }
    if (drawn.saturation != 1) {
      edits.push_back(saturation_edit(drawn.saturation));
    }
    if (drawn.hue != 0) {
      PENSTOCK_TRY(check_drawn_hue(kName, drawn.hue));
      edits.push_back(hue_edit(drawn.hue));
    }
    return {};
  }
};

}  // namespace

OperationInfo random_color_jitter_hsv_operation() { return operation_info<RandomColorJitterHSV>(); }

}  // namespace penstock::inline v0
