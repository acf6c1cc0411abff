#include "transforms/image/geometry_edits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

namespace penstock::inline v0 {
namespace {

constexpr double kRadian = std::numbers::pi / 180.0;

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

ImageSize enclosing(const AffineMatrix& matrix, ImageSize size) {
  const double w = size.width;
  const double h = size.height;
  const Point corners[] = {mapped(matrix, 0, 0), mapped(matrix, w, 0), mapped(matrix, w, h),
                           mapped(matrix, 0, h)};
  const auto [left, right] = std::minmax({corners[0].x, corners[1].x, corners[2].x, corners[3].x});
  const auto [top, bottom] = std::minmax({corners[0].y, corners[1].y, corners[2].y, corners[3].y});
  return {static_cast<int>(std::ceil(right) - std::floor(left)),
          static_cast<int>(std::ceil(bottom) - std::floor(top))};
}

}  // namespace

void push_rotation(ImageSize image, const Rotation& rotation, ImageEdits& edits) {
  double angle = std::fmod(rotation.angle, 360.0);
  angle = angle < 0 ? angle + 360.0 : angle;
  if (!rotation.center) {
    if (angle == 0) {
      return;
    }
    const bool whole = rotation.expand || image.width == image.height;
    if (angle == 180 || (whole && (angle == 90 || angle == 270))) {
      edits.push_back(MoveEdit{angle == 180 ? Move::turn_180 : angle == 90 ? Move::turn_90 : Move::turn_270});
      return;
    }
  }
  const double turn = -(angle * kRadian);
  const double cosine = round_15(std::cos(turn));
  const double sine = round_15(std::sin(turn));
  AffineMatrix matrix = {cosine, sine, 0.0, -sine, cosine, 0.0};
  const double center_x = rotation.center ? (*rotation.center)[0] : image.width / 2.0;
  const double center_y = rotation.center ? (*rotation.center)[1] : image.height / 2.0;
  const Point shift = mapped(matrix, -center_x, -center_y);
  matrix[2] = shift.x + center_x;
  matrix[5] = shift.y + center_y;
  ImageSize result = image;
  if (rotation.expand) {
    result = enclosing(matrix, image);
    const Point moved =
        mapped(matrix, -(result.width - image.width) / 2.0, -(result.height - image.height) / 2.0);
    matrix[2] = moved.x;
    matrix[5] = moved.y;
  }
  edits.push_back(WarpEdit{result, {matrix, rotation.filter, rotation.fill}});
}

AffineMatrix affine_matrix(const AffineNumbers& numbers, double center_x, double center_y) {
  const double turn = numbers.angle * kRadian;
  const double sx = numbers.shear[0] * kRadian;
  const double sy = numbers.shear[1] * kRadian;
  const double cos_sy = std::cos(sy);
  const double tan_sx = std::tan(sx);
  const double x = center_x + numbers.translate[0];
  const double y = center_y + numbers.translate[1];
  const double a = std::cos(turn - sy) / cos_sy;
  const double b = -(a * tan_sx + std::sin(turn));
  const double c = std::sin(turn - sy) / cos_sy;
  const double d = std::cos(turn) - c * tan_sx;
  AffineMatrix m = {d / numbers.scale, -b / numbers.scale, 0.0, -c / numbers.scale, a / numbers.scale, 0.0};
  m[2] += center_x - m[0] * x - m[1] * y;
  m[5] += center_y - m[3] * x - m[4] * y;
  return m;
}

void push_affine(const ImageSpec& in, const Warp& warp, ImageEdits& edits) {
  // Filters multiply and divide by alpha, which rounds, also where nothing moves.
  const bool filters_alpha = in.channels == 4 && warp.filter != transforms::Interpolation::nearest;
  if (filters_alpha || warp.matrix != AffineMatrix{1, 0, 0, 0, 1, 0}) {
    edits.push_back(WarpEdit{in.size, warp});
  }
}

}  // namespace penstock::inline v0
