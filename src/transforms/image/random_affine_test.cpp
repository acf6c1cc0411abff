#include <gtest/gtest.h>

#include "transforms/distribution_for_test.hpp"
#include "transforms/run_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using test::drawn_by;
using test::make;
using test::run_on;
using test::TestImage;
using List = std::vector<double>;

TEST(RandomAffine, shifts_by_whole_pixels_and_fills_what_comes_from_outside) {
  const TransformPtr shift = make("RandomAffine", {{"degrees", 0.0},
                                                   {"translate", List{0.5, 0.5}},
                                                   {"interpolation", std::string("bicubic")},
                                                   {"fill", std::int64_t{9}}});
  TestImage image = TestImage::noise({11, 7}, 1);
  for (std::uint64_t sample = 0; sample < 30; ++sample) {
    const auto moved =
        test::value_of<std::vector<std::int64_t>>(drawn_by(shift, image.size, sample), "translate");
    TestImage out = run_on({shift}, image, sample);
    for (int y = 0; y < 7; ++y) {
      for (int x = 0; x < 11; ++x) {
        const int from_x = x - static_cast<int>(moved[0]);
        const int from_y = y - static_cast<int>(moved[1]);
        const bool inside = from_x >= 0 && from_x < 11 && from_y >= 0 && from_y < 7;
        ASSERT_EQ(out.at(x, y, 2), inside ? image.at(from_x, from_y, 2) : 9);
      }
    }
  }
}

TEST(RandomAffine, draws_float32_numbers_of_its_ranges) {
  const TransformPtr affine = make("RandomAffine", {{"degrees", 30.0},
                                                    {"translate", List{0.1, 0.2}},
                                                    {"scale", List{0.5, 2.0}},
                                                    {"shear", List{-5.0, 10.0, 1.0, 2.0}}});
  List angles;
  List scales;
  List across;
  List down;
  std::array<int, 21> shifts{};
  for (std::uint64_t sample = 0; sample < 4000; ++sample) {
    const Params drawn = drawn_by(affine, {100, 50}, sample);
    angles.push_back(test::value_of<double>(drawn, "angle"));
    EXPECT_EQ(angles.back(), static_cast<double>(static_cast<float>(angles.back())));
    scales.push_back(test::value_of<double>(drawn, "scale"));
    const auto shear = test::value_of<List>(drawn, "shear");
    across.push_back(shear[0]);
    down.push_back(shear[1]);
    ++shifts.at(
        static_cast<std::size_t>(test::value_of<std::vector<std::int64_t>>(drawn, "translate")[0] + 10));
  }
  EXPECT_LT(test::uniform_distance(angles, -30, 30), test::kUniformDistance);
  EXPECT_LT(test::uniform_distance(scales, 0.5, 2), test::kUniformDistance);
  EXPECT_LT(test::uniform_distance(across, -5, 10), test::kUniformDistance);
  EXPECT_LT(test::uniform_distance(down, 1, 2), test::kUniformDistance);
  // Rounded: the outermost two have half of the others' share.
  EXPECT_LT(test::unevenness(std::span(shifts).subspan(1, 19)), test::kUnevenness);
}

TEST(RandomAffine, refuses_what_it_cannot_do) {
  const auto refused = [](const char* name, ParamValue value) {
    return test::refusal("RandomAffine", {{"degrees", 5.0}, {name, std::move(value)}}).find(name) !=
           std::string::npos;
  };
  EXPECT_TRUE(refused("translate", List{0.5, 1.5}));
  EXPECT_TRUE(refused("scale", List{0.0, 1.0}));
  EXPECT_TRUE(refused("shear", List{1.0, 2.0, 3.0}));
  EXPECT_TRUE(refused("interpolation", std::string("lanczos")));
}

}  // namespace
}  // namespace penstock::inline v0
