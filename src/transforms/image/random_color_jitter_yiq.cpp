// RandomColorJitterYIQ: hue, saturation, value, brightness and contrast as one matrix, as DALI's color_twist.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "transforms/image/factor_range.hpp"
#include "transforms/kernels/channels.hpp"
#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

struct YiqParameters {
  double p = 0.8;
  OptionalRange hue = {{0.0}};
  OptionalRange saturation = {{0.0}};
  OptionalRange value = {{0.0}};
  OptionalRange brightness = {{0.0}};
  OptionalRange contrast = {{0.0}};

  template <class V>
  void fields(V&& v) {
    v("p", p, "probability of its being done");
    v("hue", hue, "(min, max) angle in degrees, -180 to 180; one number h means (-h, h)");
    v("saturation", saturation, "(min, max) factor; one number s means (max(0, 1 - s), 1 + s)");
    v("value", value, "(min, max) factor; one number as with saturation");
    v("brightness", brightness, "(min, max) factor after contrast; one number as with saturation");
    v("contrast", contrast, "(min, max) factor around the middle gray; one number as with saturation");
  }
};

struct DrawnYiq {
  bool apply = false;
  double hue = 0;
  double saturation = 1;
  double value = 1;
  double brightness = 1;
  double contrast = 1;

  template <class V>
  void fields(V&& v) {
    v("apply", apply);
    v("hue", hue);
    v("saturation", saturation);
    v("value", value);
    v("brightness", brightness);
    v("contrast", contrast);
  }
};

using YiqMatrix = std::array<std::array<double, 3>, 3>;

constexpr YiqMatrix kToYiq = {{{0.299, 0.587, 0.114}, {0.596, -0.274, -0.321}, {0.211, -0.523, 0.311}}};

YiqMatrix yiq_product(const YiqMatrix& a, const YiqMatrix& b) {
  YiqMatrix made{};
  for (std::size_t y = 0; y < 3; ++y) {
    for (std::size_t x = 0; x < 3; ++x) {
      made[y][x] = a[y][0] * b[0][x] + a[y][1] * b[1][x] + a[y][2] * b[2][x];
    }
  }
  return made;
}

YiqMatrix yiq_inverse(const YiqMatrix& m) {
  const auto minor_of = [&](std::size_t y, std::size_t x) {
    const std::size_t a = (y + 1) % 3, b = (y + 2) % 3, c = (x + 1) % 3, d = (x + 2) % 3;
    return m[a][c] * m[b][d] - m[a][d] * m[b][c];
  };
  const double whole = m[0][0] * minor_of(0, 0) + m[0][1] * minor_of(0, 1) + m[0][2] * minor_of(0, 2);
  YiqMatrix made{};
  for (std::size_t y = 0; y < 3; ++y) {
    for (std::size_t x = 0; x < 3; ++x) {
      made[y][x] = minor_of(x, y) / whole;
    }
  }
  return made;
}

ColorMatrix yiq_matrix(const DrawnYiq& drawn) {
  const double angle = drawn.hue * (std::numbers::pi / 180);
  const double turned = drawn.value * drawn.saturation * std::cos(angle);
  const double crossed = drawn.value * drawn.saturation * std::sin(angle);
  const YiqMatrix change = {{{drawn.value, 0, 0}, {0, turned, -crossed}, {0, crossed, turned}}};
  const YiqMatrix colors = yiq_product(yiq_inverse(kToYiq), yiq_product(change, kToYiq));
  ColorMatrix made;
  for (std::size_t y = 0; y < 3; ++y) {
    for (std::size_t x = 0; x < 3; ++x) {
      made.by[y][x] = static_cast<float>(drawn.brightness * drawn.contrast * colors[y][x]);
    }
  }
  made.offset = static_cast<float>(127.5 * (1 - drawn.contrast) * drawn.brightness);
  return made;
}

/// Gray has no colour to turn.
ByteTable yiq_table(const DrawnYiq& drawn) {
  ByteTable table = identity_table();
  const auto by = static_cast<float>(drawn.brightness * drawn.contrast * drawn.value);
  const float offset = yiq_matrix(drawn).offset;
  for (std::uint8_t& value : table) {
    const float product = by * value;
    value = static_cast<std::uint8_t>(std::nearbyint(std::clamp(product + offset, 0.0F, 255.0F)));
  }
  return table;
}

class RandomColorJitterYIQ final : public ImageOperation<RandomColorJitterYIQ, YiqParameters, DrawnYiq> {
 public:
  static constexpr const char* kName = "RandomColorJitterYIQ";
  static constexpr const char* kSummary =
      "Changes hue, saturation, value, brightness and contrast by random amounts, as one matrix in YIQ: "
      "slipstream's "
      "operation, DALI's color_twist, in float32 and rounded.";
  using ImageOperation::ImageOperation;

  Status check() const override {
    PENSTOCK_TRY(check_hue(kName, p_.hue, 180));
    PENSTOCK_TRY(check_factors(kName, "saturation", p_.saturation));
    PENSTOCK_TRY(check_factors(kName, "value", p_.value));
    PENSTOCK_TRY(check_factors(kName, "brightness", p_.brightness));
    PENSTOCK_TRY(check_factors(kName, "contrast", p_.contrast));
    return check_chance(p_.p);
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override { return same_if_bytes(kName, in); }

  Status draw(const ImageSlots&, Draws& draws, DrawnYiq& drawn) const {
    drawn.apply = draws.chance(p_.p);
    drawn.hue = draw_factor(p_.hue, 0, draws);
    drawn.saturation = draw_factor(p_.saturation, 1, draws);
    drawn.value = draw_factor(p_.value, 1, draws);
    drawn.brightness = draw_factor(p_.brightness, 1, draws);
    drawn.contrast = draw_factor(p_.contrast, 1, draws);
    return {};
  }

  Status plan(const ImageSpec&, const DrawnYiq& drawn, ImageEdits& edits) const {
    if (drawn.apply) {
      edits.push_back(PixelsEdit{
          .name = "YIQ",
          .run =
              [](const PixelsEdit& edit, const ConstPixelRows& from, const PixelRows& to, Scratch&) {
                const auto& values = *static_cast<const DrawnYiq*>(edit.drawn);
                if (from.channels == 1) {
                  apply_table(from, to, yiq_table(values));
                } else {
                  mix_colors(from, to, yiq_matrix(values));
                }
              },
          .in_place = true,
          .drawn = &drawn});
    }
    return {};
  }
};

}  // namespace

OperationInfo random_color_jitter_yiq_operation() { return operation_info<RandomColorJitterYIQ>(); }

}  // namespace penstock::inline v0
