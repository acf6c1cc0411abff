// RandomRotation: Pillow's Image.rotate by a drawn angle.

#include <cmath>

#include "transforms/image/geometry_edits.hpp"
#include "transforms/image/size_rules.hpp"
#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

struct RotationParameters {
  std::vector<double> degrees;
  transforms::Interpolation interpolation = transforms::Interpolation::nearest;
  bool expand = false;
  std::optional<std::array<double, 2>> center;
  std::vector<int> fill = {0};
  transforms::MaskFill mask_fill = {};

  template <class V>
  void fields(V&& v) {
    v("degrees", degrees, "(min, max) angle, counter-clockwise; one number d means (-d, d)");
    v("interpolation", interpolation, "nearest, bilinear or bicubic");
    v("expand", expand, "make the image as large as the turned one needs, which the angle decides");
    v("center", center, "(x, y) in pixels that stays where it is; None is the middle");
    v("fill", fill, "value of the pixels that come from outside, one number or one per channel");
    v("mask_fill", mask_fill, transforms::kMaskFillDoc);
  }
};

struct DrawnAngle {
  double angle = 0;

  template <class V>
  void fields(V&& v) {
    v("angle", angle);
  }
};

class RandomRotation final : public ImageOperation<RandomRotation, RotationParameters, DrawnAngle> {
 public:
  static constexpr const char* kName = "RandomRotation";
  static constexpr const char* kSummary = "Turns the image by a random angle.";
  static constexpr bool kMovesPixels = true;
  using ImageOperation::ImageOperation;

  Status check() const override {
    const auto& d = p_.degrees;
    if (d.empty() || d.size() > 2 || !std::isfinite(d.front()) || !std::isfinite(d.back()) ||
        (d.size() == 1 ? d[0] < 0 : d[0] > d[1])) {
      return wrong("degrees", "must be a non-negative number of degrees, or (min, max)", "");
    }
    PENSTOCK_TRY(check_warp_filter(kName, p_.interpolation));
    if (p_.center && p_.expand) {
      return wrong("expand", "cannot be combined with center",
                   "omit one of them: the size is that of a turn around the middle");
    }
    return check_fill(kName, p_.fill, p_.mask_fill);
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    if (in.is_float()) {
      return geometry_after_values(kName);
    }
    PENSTOCK_TRY(check_warp_type(kName, in, p_.interpolation));
    PENSTOCK_TRY(check_fill(kName, p_.fill, in));
    return p_.expand ? with_size(in, {}) : in;
  }

  Status draw(const ImageSlots&, Draws& draws, DrawnAngle& drawn) const {
    const double low = p_.degrees.size() == 1 ? -p_.degrees[0] : p_.degrees[0];
    drawn.angle = static_cast<float>(draws.uniform(low, p_.degrees.back()));
    return {};
  }

  Status plan(const ImageSpec& in, const DrawnAngle& drawn, ImageEdits& edits) const {
    if (!std::isfinite(drawn.angle)) {
      return detail::wrong_drawn(kName, "angle", "must be finite");
    }
    push_rotation(in.size, {drawn.angle, p_.interpolation, fill_pixel(p_.fill, in), p_.expand, p_.center},
                  edits);
    return {};
  }
};

}  // namespace

OperationInfo random_rotation_operation() { return operation_info<RandomRotation>(); }

}  // namespace penstock::inline v0
