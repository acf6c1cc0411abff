// RandomRotation: Pillow's Image.rotate by a drawn angle.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

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

  template <class V>
  void fields(V&& v) {
    v("degrees", degrees, "(smallest, largest) angle, counter-clockwise; one number d means (-d, d)");
    v("interpolation", interpolation, "nearest, bilinear or bicubic");
    v("expand", expand, "make the image as large as the turned one needs, which the angle decides");
    v("center", center, "(x, y) in pixels that stays where it is; None is the middle");
    v("fill", fill, "value of the pixels that come from outside, one number or one per channel");
  }
};

struct DrawnAngle {
  double angle = 0;

  template <class V>
  void fields(V&& v) {
    v("angle", angle);
  }
};

/// Python's round(x, 15).
double round_15(double x) {
  char text[32];
  const auto end = fmt::format_to_n(text, sizeof text, "{:.15f}", x).out;
  double rounded = x;
  std::from_chars(text, end, rounded);
  return rounded;
}

struct Point {
  double x = 0;
  double y = 0;
};

Point mapped(const AffineMatrix& m, double x, double y) {
  return {m[0] * x + m[1] * y + m[2], m[3] * x + m[4] * y + m[5]};
}

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
    return check_fill(kName, p_.fill);
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    if (in.is_float()) {
      return geometry_after_values(kName);
    }
    PENSTOCK_TRY(check_warp_type(kName, in, p_.interpolation));
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
    const ImageSize size = in.size;
    double angle = std::fmod(drawn.angle, 360.0);
    angle = angle < 0 ? angle + 360.0 : angle;
    if (!p_.center) {
      if (angle == 0) {
        return {};
      }
      const bool whole = p_.expand || size.width == size.height;
      if (angle == 180 || (whole && (angle == 90 || angle == 270))) {
        edits.push_back(MoveEdit{angle == 180  ? Move::turn_180
                                 : angle == 90 ? Move::turn_90
                                               : Move::turn_270});
        return {};
      }
    }
    const double turn = -(angle * (std::numbers::pi / 180.0));
    const double cosine = round_15(std::cos(turn));
    const double sine = round_15(std::sin(turn));
    AffineMatrix matrix = {cosine, sine, 0.0, -sine, cosine, 0.0};
    const double center_x = p_.center ? (*p_.center)[0] : size.width / 2.0;
    const double center_y = p_.center ? (*p_.center)[1] : size.height / 2.0;
    const Point shift = mapped(matrix, -center_x, -center_y);
    matrix[2] = shift.x + center_x;
    matrix[5] = shift.y + center_y;
    ImageSize result = size;
    if (p_.expand) {
      result = enclosing(matrix, size);
      const Point moved =
          mapped(matrix, -(result.width - size.width) / 2.0, -(result.height - size.height) / 2.0);
      matrix[2] = moved.x;
      matrix[5] = moved.y;
    }
    edits.push_back(WarpEdit{result, {matrix, p_.interpolation, fill_bytes(p_.fill)}});
    return {};
  }

 private:
  static ImageSize enclosing(const AffineMatrix& matrix, ImageSize size) {
    const double w = size.width;
    const double h = size.height;
    const Point corners[] = {mapped(matrix, 0, 0), mapped(matrix, w, 0), mapped(matrix, w, h),
                             mapped(matrix, 0, h)};
    const auto [left, right] = std::minmax({corners[0].x, corners[1].x, corners[2].x, corners[3].x});
    const auto [top, bottom] = std::minmax({corners[0].y, corners[1].y, corners[2].y, corners[3].y});
    return {static_cast<int>(std::ceil(right) - std::floor(left)),
            static_cast<int>(std::ceil(bottom) - std::floor(top))};
  }
};

}  // namespace

OperationInfo random_rotation_operation() { return operation_info<RandomRotation>(); }

}  // namespace penstock::inline v0
