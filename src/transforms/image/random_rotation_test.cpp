#include <gtest/gtest.h>

#include "transforms/run_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using test::make;
using test::run_on;
using test::TestImage;

TransformPtr turned(double angle, bool expand = false) {
  return make(
      "RandomRotation",
      {{"degrees", std::vector<double>{angle, angle}}, {"expand", expand}, {"fill", std::int64_t{7}}});
}

TEST(RandomRotation, by_quarters_moves_pixels_and_keeps_them) {
  const TestImage square = TestImage::noise({9, 9}, 1);
  EXPECT_EQ(run_on({turned(0)}, square), square);
  EXPECT_EQ(run_on({turned(90), turned(270)}, square), square);
  EXPECT_EQ(run_on({turned(180), turned(-180)}, square), square);
  TestImage oblong = TestImage::noise({3, 2}, 2);
  TestImage upright = run_on({turned(90, true)}, oblong);
  ASSERT_EQ(upright.size, (ImageSize{2, 3}));
  EXPECT_EQ(upright.at(0, 0), oblong.at(2, 0));  // counter-clockwise: the upper right corner comes first
  EXPECT_EQ(upright.at(1, 2), oblong.at(0, 1));
}

TEST(RandomRotation, keeps_the_size_and_fills_the_corners_unless_it_expands) {
  TestImage kept = run_on({turned(45)}, TestImage::filled({20, 20}, 200));
  EXPECT_EQ(kept.size, (ImageSize{20, 20}));
  EXPECT_EQ(kept.at(0, 0), 7);
  EXPECT_EQ(kept.at(10, 10), 200);
  const TestImage larger = run_on({turned(45, true)}, TestImage::filled({20, 20}, 200));
  EXPECT_EQ(larger.size, (ImageSize{30, 30}));  // 28.3, from floor to ceiling
}

TEST(RandomRotation, draws_angles_of_its_range_as_float32) {
  const TransformPtr rotation = make("RandomRotation", {{"degrees", 30.0}});
  double least = 0;
  double greatest = 0;
  for (std::uint64_t sample = 0; sample < 500; ++sample) {
    const auto angle = test::value_of<double>(test::drawn_by(rotation, {8, 8}, sample), "angle");
    EXPECT_EQ(angle, static_cast<double>(static_cast<float>(angle)));
    least = std::min(least, angle);
    greatest = std::max(greatest, angle);
  }
  EXPECT_GE(least, -30.0);
  EXPECT_LT(least, -28.0);
  EXPECT_LE(greatest, 30.0);
  EXPECT_GT(greatest, 28.0);
}

TEST(RandomRotation, refuses_what_it_cannot_do) {
  EXPECT_NE(test::refusal("RandomRotation", {{"degrees", -3.0}}).find("degrees"), std::string::npos);
  EXPECT_NE(test::refusal("RandomRotation", {{"degrees", 3.0}, {"interpolation", std::string("box")}})
                .find("interpolation"),
            std::string::npos);
}

}  // namespace
}  // namespace penstock::inline v0
