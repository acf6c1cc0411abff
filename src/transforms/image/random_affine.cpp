// RandomAffine: turned, shifted, scaled and sheared; torchvision's matrix, Pillow's pixels.

#include "transforms/image/geometry_edits.hpp"
#include "transforms/image/geometry_rules.hpp"
#include "transforms/operation_info.hpp"
#include "transforms/python_round.hpp"

namespace penstock::inline v0 {
namespace {

struct AffineParameters {
  std::vector<double> degrees;
  std::optional<std::array<double, 2>> translate;
  std::optional<std::array<double, 2>> scale;
  std::optional<std::vector<double>> shear;
  transforms::Interpolation interpolation = transforms::Interpolation::nearest;
  std::vector<int> fill = {0};
  std::optional<std::array<double, 2>> center;
  transforms::MaskFill mask_fill = {};

  template <class V>
  void fields(V&& v) {
    v("degrees", degrees, "(min, max) angle, clockwise; one number d means (-d, d)");
    v("translate", translate, "largest shift across and down, as shares of width and height, from 0 to 1");
    v("scale", scale, "(min, max) factor");
    v("shear", shear,
      "degrees: one number s means (-s, s) across, two are a range across, four a range across and one down");
    v("interpolation", interpolation, "nearest, bilinear or bicubic");
    v("fill", fill, "value of the pixels that come from outside, one number or one per channel");
    v("center", center, "(x, y) in pixels around which it is turned, scaled and sheared; None is the middle");
    v("mask_fill", mask_fill, transforms::kMaskFillDoc);
  }
};

struct DrawnAffine {
  double angle = 0;
  std::vector<int> translate;
  double scale = 1;
  std::vector<double> shear;

  template <class V>
  void fields(V&& v) {
    v("angle", angle);
    v("translate", translate);
    v("scale", scale);
    v("shear", shear);
  }
};

class RandomAffine final : public ImageOperation<RandomAffine, AffineParameters, DrawnAffine> {
 public:
  static constexpr const char* kName = "RandomAffine";
  static constexpr const char* kSummary =
      "Turns, shifts, scales and shears the image by random amounts; its size stays the same.";
  static constexpr bool kMovesPixels = true;
  using ImageOperation::ImageOperation;

  Status check() const override {
    const auto good = [](double low, double high) {
      return std::isfinite(low) && low <= high && std::isfinite(high);
    };
    const auto& d = p_.degrees;
    if (d.size() > 2 || (d.size() == 1 ? !good(0, d[0]) : !good(d.front(), d.back()))) {
      return wrong("degrees", "must be a non-negative number of degrees, or (min, max)", "");
    }
    for (const double share : p_.translate.value_or(std::array<double, 2>{})) {
      if (!(share >= 0) || !(share <= 1)) {
        return wrong("translate", "must be two numbers between 0 and 1", "");
      }
    }
    if (p_.scale && (!((*p_.scale)[0] > 0) || !good((*p_.scale)[0], (*p_.scale)[1]))) {
      return wrong("scale", "must be two positive numbers, the smaller one first", "");
    }
    if (p_.shear) {
      const auto& s = *p_.shear;
      if ((s.size() != 1 && s.size() != 2 && s.size() != 4) ||
          (s.size() == 1 ? !good(0, s[0]) : !good(s[0], s[1])) || (s.size() == 4 && !good(s[2], s[3]))) {
        return wrong("shear", "must be a non-negative number of degrees, or 2 or 4 numbers: (min, max) twice",
                     "");
      }
    }
    if (p_.center && !(std::isfinite((*p_.center)[0]) && std::isfinite((*p_.center)[1]))) {
      return wrong("center", "must be two finite numbers", "");
    }
    PENSTOCK_TRY(check_warp_filter(kName, p_.interpolation));
    return check_fill(kName, p_.fill, p_.mask_fill);
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    PENSTOCK_TRY(check_warp_type(kName, in, p_.interpolation));
    PENSTOCK_TRY(check_fill(kName, p_.fill, in));
    return moved_spec(kName, in, in.size);
  }

  Status draw(const ImageSlots& in, Draws& draws, DrawnAffine& drawn) const {
    const auto& d = p_.degrees;
    drawn.angle = uniform_float(draws, d.size() == 1 ? -d[0] : d[0], d.back());
    drawn.translate.assign(2, 0);
    if (p_.translate) {
      const double across = (*p_.translate)[0] * in.image.size.width;
      const double down = (*p_.translate)[1] * in.image.size.height;
      drawn.translate[0] = static_cast<int>(python_round(uniform_float(draws, -across, across)));
      drawn.translate[1] = static_cast<int>(python_round(uniform_float(draws, -down, down)));
    }
    drawn.scale = p_.scale ? uniform_float(draws, (*p_.scale)[0], (*p_.scale)[1]) : 1.0;
    drawn.shear.assign(2, 0.0);
    if (p_.shear) {
      const auto& s = *p_.shear;
      drawn.shear[0] = uniform_float(draws, s.size() == 1 ? -s[0] : s[0], s.size() == 1 ? s[0] : s[1]);
      drawn.shear[1] = s.size() == 4 ? uniform_float(draws, s[2], s[3]) : 0.0;
    }
    return {};
  }

  Status plan(const ImageSpec& in, const DrawnAffine& drawn, ImageEdits& edits) const {
    if (drawn.translate.size() != 2 || drawn.shear.size() != 2) {
      return detail::wrong_drawn(kName, "translate and shear", "must have two numbers each");
    }
    const double cx = p_.center ? (*p_.center)[0] : in.size.width * 0.5;
    const double cy = p_.center ? (*p_.center)[1] : in.size.height * 0.5;
    const AffineMatrix matrix =
        affine_matrix({drawn.angle,
                       {static_cast<double>(drawn.translate[0]), static_cast<double>(drawn.translate[1])},
                       drawn.scale,
                       {drawn.shear[0], drawn.shear[1]}},
                      cx, cy);
    const double determinant = matrix[0] * matrix[4] - matrix[1] * matrix[3];
    for (const double value : matrix) {
      if (!std::isfinite(value) || !std::isnormal(determinant)) {
        return detail::wrong_drawn(kName, "angle, scale or shear", "leaves nothing of the image");
      }
    }
    push_affine(in, {matrix, p_.interpolation, fill_pixel(p_.fill, in)}, edits);
    return {};
  }
};

}  // namespace

OperationInfo random_affine_operation() { return operation_info<RandomAffine>(); }

}  // namespace penstock::inline v0
