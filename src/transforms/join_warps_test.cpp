#include "transforms/join_warps.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace penstock::inline v0 {
namespace {

constexpr ImageSize kSize{60, 40};

WarpEdit turned(double degrees, transforms::Interpolation filter = transforms::Interpolation::bilinear) {
  const double angle = degrees * 3.141592653589793 / 180;
  const double c = std::cos(angle), s = std::sin(angle);
  const double x = kSize.width / 2.0, y = kSize.height / 2.0;
  return {kSize, {{c, s, x - c * x - s * y, -s, c, y + s * x - c * y}, filter, {}}};
}

/// Where the middle of a pixel comes from.
std::array<double, 2> source_of(const WarpEdit& edit, double x, double y) {
  const AffineMatrix& m = edit.warp.matrix;
  const auto p = edit.warp.perspective.value_or(std::array<double, 2>{0, 0});
  const double by = p[0] * x + p[1] * y + 1;
  return {(m[0] * x + m[1] * y + m[2]) / by, (m[3] * x + m[4] * y + m[5]) / by};
}

void expect_same_map(const ImageEdits& edits, const std::array<double, 2>& from, double x, double y) {
  ASSERT_EQ(edits.size(), 1u);
  const auto made = source_of(std::get<WarpEdit>(edits[0]), x, y);
  EXPECT_NEAR(made[0], from[0], 1e-9);
  EXPECT_NEAR(made[1], from[1], 1e-9);
}

TEST(join_warps, two_turns_are_one) {
  ImageEdits edits = {turned(10), turned(25)};
  join_warps(edits);
  expect_same_map(edits, source_of(turned(35), 3.5, 7.5), 3.5, 7.5);
}

TEST(join_warps, takes_in_crops) {
  ImageEdits edits = {turned(10), CropEdit{{5, 6, 20, 30}}};
  join_warps(edits);
  expect_same_map(edits, source_of(turned(10), 5 + 3.5, 6 + 7.5), 3.5, 7.5);
  EXPECT_EQ(std::get<WarpEdit>(edits[0]).size, (ImageSize{20, 30}));
}

TEST(join_warps, knows_perspective) {
  WarpEdit first = turned(10);
  first.warp.perspective = {0.001, -0.002};
  WarpEdit second = turned(5);
  second.warp.perspective = {-0.003, 0.001};
  const auto [x, y] = source_of(second, 3.5, 7.5);
  ImageEdits edits = {first, second};
  join_warps(edits);
  expect_same_map(edits, source_of(first, x, y), 3.5, 7.5);
}

TEST(join_warps, leaves_the_others_as_they_are) {
  const auto nearest = transforms::Interpolation::nearest;
  WarpEdit filled = turned(5);
  filled.warp.fill = {9, 9, 9, 9};
  const ImageEdits apart[] = {{turned(10), turned(5, nearest)},
                              {turned(10), filled},
                              {turned(10), ResizeEdit{{30, 20}}, turned(5)},
                              {CropEdit{{5, 6, 20, 30}}, turned(5)},
                              {turned(10), FlipEdit{}},
                              {turned(10), CropEdit{{5, 6, 20, 30}, /*centers_only=*/true}}};
  for (const ImageEdits& list : apart) {
    ImageEdits edits = list;
    join_warps(edits);
    EXPECT_EQ(edits.size(), list.size());
  }
}

}  // namespace
}  // namespace penstock::inline v0
