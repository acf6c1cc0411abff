// RandomPhotometricDistort: SSD's changes of colour, each with a chance of its own; Pillow's arithmetic.

#include <fmt/format.h>

#include <cmath>

#include "transforms/image/color_edits.hpp"
#include "transforms/image/factor_range.hpp"
#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

struct DistortParameters {
  std::array<double, 2> brightness = {0.875, 1.125};
  std::array<double, 2> contrast = {0.5, 1.5};
  std::array<double, 2> saturation = {0.5, 1.5};
  std::array<double, 2> hue = {-0.05, 0.05};
  double p = 0.5;

  template <class V>
  void fields(V&& v) {
    v("brightness", brightness, "min and max factor");
    v("contrast", contrast, "min and max factor");
    v("saturation", saturation, "min and max factor");
    v("hue", hue, "min and max part of the colour circle, -0.5 to 0.5");
    v("p", p, "probability of each of the changes");
  }
};

struct DrawnDistort {
  bool apply_brightness = false;
  double brightness = 1;
  bool apply_contrast = false;
  double contrast = 1;
  bool apply_saturation = false;
  double saturation = 1;
  bool apply_hue = false;
  double hue = 0;
  bool contrast_before = false;
  bool permute = false;
  std::vector<int> permutation;

  template <class V>
  void fields(V&& v) {
    v("apply_brightness", apply_brightness);
    v("brightness", brightness);
    v("apply_contrast", apply_contrast);
    v("contrast", contrast);
    v("apply_saturation", apply_saturation);
    v("saturation", saturation);
    v("apply_hue", apply_hue);
    v("hue", hue);
    v("contrast_before", contrast_before);
    v("permute", permute);
    v("permutation", permutation);
  }
};

class RandomPhotometricDistort final
    : public ImageOperation<RandomPhotometricDistort, DistortParameters, DrawnDistort> {
 public:
  static constexpr const char* kName = "RandomPhotometricDistort";
  static constexpr const char* kSummary =
      "Changes brightness, contrast, saturation, hue and the order of channels, each with a given "
      "probability.";
  using ImageOperation::ImageOperation;

  Status check() const override {
    PENSTOCK_TRY(check_pair("brightness", p_.brightness, 0, HUGE_VAL));
    PENSTOCK_TRY(check_pair("contrast", p_.contrast, 0, HUGE_VAL));
    PENSTOCK_TRY(check_pair("saturation", p_.saturation, 0, HUGE_VAL));
    PENSTOCK_TRY(check_pair("hue", p_.hue, -0.5, 0.5));
    return check_chance(p_.p);
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override { return same_if_bytes(kName, in); }

  Status draw(const ImageSlots& in, Draws& draws, DrawnDistort& drawn) const {
    const auto part = [&](const std::array<double, 2>& range, bool& apply, double& factor) {
      apply = draws.chance(p_.p);
      factor = static_cast<float>(draws.uniform(range[0], range[1]));
    };
    part(p_.brightness, drawn.apply_brightness, drawn.brightness);
    part(p_.contrast, drawn.apply_contrast, drawn.contrast);
    part(p_.saturation, drawn.apply_saturation, drawn.saturation);
    part(p_.hue, drawn.apply_hue, drawn.hue);
    drawn.contrast_before = draws.chance(0.5);
    drawn.permute = draws.chance(p_.p);
    draw_permutation(in.image.channels, draws, drawn.permutation);
    return {};
  }

  Status plan(const ImageSpec& in, const DrawnDistort& drawn, ImageEdits& edits) const {
    PENSTOCK_TRY(check_drawn_factor(kName, "brightness", drawn.brightness));
    PENSTOCK_TRY(check_drawn_factor(kName, "contrast", drawn.contrast));
    PENSTOCK_TRY(check_drawn_factor(kName, "saturation", drawn.saturation));
    PENSTOCK_TRY(check_drawn_hue(kName, drawn.hue));
    PENSTOCK_TRY(check_permutation(kName, in.channels, drawn.permutation));
    if (drawn.apply_brightness) {
      edits.push_back(brightness_edit(drawn.brightness));
    }
    if (drawn.apply_contrast && drawn.contrast_before) {
      edits.push_back(contrast_edit(drawn.contrast));
    }
    if (drawn.apply_saturation) {
      edits.push_back(saturation_edit(drawn.saturation));
    }
    if (drawn.apply_hue) {
      edits.push_back(hue_edit(drawn.hue));
    }
    if (drawn.apply_contrast && !drawn.contrast_before) {
      edits.push_back(contrast_edit(drawn.contrast));
    }
    if (drawn.permute && in.channels > 1) {
      edits.push_back(permutation_edit(drawn.permutation));
    }
    return {};
  }

 private:
  Status check_pair(const char* name, const std::array<double, 2>& range, double low, double high) const {
    if (!(range[0] >= low) || !(range[0] <= range[1]) || !(range[1] <= high) || std::isinf(range[1])) {
      return wrong(
          name,
          fmt::format("must be two {}, the smaller one first, got ({}, {})",
                      low < 0 ? "numbers of -0.5 to 0.5" : "non-negative numbers", range[0], range[1]),
          "");
    }
    return {};
  }
};

}  // namespace

OperationInfo random_photometric_distort_operation() { return operation_info<RandomPhotometricDistort>(); }

}  // namespace penstock::inline v0
