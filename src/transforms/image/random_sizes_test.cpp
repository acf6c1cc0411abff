// RandomZoomOut, RandomResize, RandomShortestSize, ScaleJitter, ResizeShortCropLong, DirectRandomResizedCrop:
// sizes and places that are drawn.
#include <gtest/gtest.h>

#include <cmath>

#include "transforms/distribution_for_test.hpp"
#include "transforms/run_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using test::drawn_by;
using test::make;
using test::run_on;
using test::TestImage;
using Whole = std::vector<std::int64_t>;
using List = std::vector<double>;

std::int64_t whole_of(const Params& drawn, const char* name) {
  return test::value_of<std::int64_t>(drawn, name);
}

TEST(RandomZoomOut, puts_the_image_on_a_larger_canvas) {
  const TransformPtr zoom = make("RandomZoomOut", {{"p", 1.0}, {"fill", std::int64_t{9}}});
  TestImage image = TestImage::noise({10, 6}, 1);
  std::vector<double> places;
  for (std::uint64_t sample = 0; sample < 2000; ++sample) {
    const Params drawn = drawn_by(zoom, {400, 300}, sample);
    const auto left = whole_of(drawn, "left");
    const auto right = whole_of(drawn, "right");
    ASSERT_GE(left, 0);
    ASSERT_GE(right, 0);
    ASSERT_LT(left + right, 1200);
    // The other side has the same ratio, truncated.
    ASSERT_NEAR(static_cast<double>(whole_of(drawn, "top") + whole_of(drawn, "bottom")),
                static_cast<double>(left + right) * 0.75, 1.01);
    if (left + right > 300) {
      places.push_back(static_cast<double>(left) / static_cast<double>(left + right));
    }
  }
  EXPECT_LT(test::uniform_distance(places, 0, 1), test::kUniformDistance);
  const Params drawn = drawn_by(zoom, image.size, 3);
  TestImage out = run_on({zoom}, image, 3);
  const int left = static_cast<int>(whole_of(drawn, "left"));
  const int top = static_cast<int>(whole_of(drawn, "top"));
  EXPECT_EQ(out.size.width, 10 + left + whole_of(drawn, "right"));
  EXPECT_EQ(out.at(left + 9, top + 5), image.at(9, 5));
  EXPECT_EQ(run_on({make("RandomZoomOut", {{"p", 0.0}})}, image), image);
}

TEST(RandomResize, draws_lengths_below_max_size) {
  const TransformPtr resize =
      make("RandomResize", {{"min_size", std::int64_t{10}}, {"max_size", std::int64_t{15}}});
  std::array<int, 5> counts{};
  for (std::uint64_t sample = 0; sample < 3000; ++sample) {
    ++counts.at(static_cast<std::size_t>(whole_of(drawn_by(resize, {40, 30}, sample), "size") - 10));
  }
  EXPECT_LT(test::unevenness(counts), test::kUnevenness);
  const TestImage out = run_on({resize}, TestImage::noise({40, 30}, 1), 7);
  EXPECT_EQ(out.size.height, whole_of(drawn_by(resize, {40, 30}, 7), "size"));
  EXPECT_EQ(out.size.width, out.size.height * 40 / 30);
}

TEST(RandomShortestSize, chooses_a_length_and_keeps_the_longer_side_below_its_bound) {
  const TransformPtr resize =
      make("RandomShortestSize", {{"min_size", Whole{20, 30, 40}}, {"max_size", std::int64_t{50}}});
  std::array<int, 3> counts{};
  for (std::uint64_t sample = 0; sample < 1500; ++sample) {
    const Params drawn = drawn_by(resize, {100, 80}, sample);
    const auto height = whole_of(drawn, "height");
    ASSERT_TRUE(height == 20 || height == 30 || height == 40) << height;
    ++counts.at(static_cast<std::size_t>(height / 10 - 2));
  }
  EXPECT_LT(test::unevenness(counts), test::kUnevenness);
  const Params narrow = drawn_by(resize, {100, 20}, 1);
  EXPECT_EQ(whole_of(narrow, "width"), 50);
  EXPECT_EQ(whole_of(narrow, "height"), 10);
}

TEST(ScaleJitter, scales_what_fits_the_target) {
  const TransformPtr jitter = make("ScaleJitter", {{"target_size", Whole{200, 1000}}});
  std::vector<double> factors;
  for (std::uint64_t sample = 0; sample < 1500; ++sample) {
    const Params drawn = drawn_by(jitter, {1000, 1000}, sample);
    factors.push_back(static_cast<double>(whole_of(drawn, "width")) / 200 + 0.0025);
  }
  EXPECT_LT(test::uniform_distance(factors, 0.1, 2.0), test::kUniformDistance);
  // The first number goes with the width.
  EXPECT_LE(whole_of(drawn_by(jitter, {100, 10}, 1), "width"), 400);
}

TEST(ResizeShortCropLong, keeps_a_square_at_the_place_that_was_drawn) {
  TestImage image = TestImage::noise({30, 10}, 1);
  const auto cut = [&](double x) {
    return run_on({make("ResizeShortCropLong", {{"size", std::int64_t{10}}, {"x_range", x}})}, image);
  };
  EXPECT_EQ(cut(0).at(0, 0), image.at(0, 0));
  EXPECT_EQ(cut(0.5).at(0, 0), image.at(10, 0));
  EXPECT_EQ(cut(1).at(9, 9), image.at(29, 9));
  const TransformPtr any =
      make("ResizeShortCropLong", {{"size", Whole{5, 8}}, {"x_range", List{0.25, 0.75}}});
  std::array<int, 4> sizes{};
  std::vector<double> places;
  for (std::uint64_t sample = 0; sample < 2000; ++sample) {
    const Params drawn = drawn_by(any, image.size, sample);
    ++sizes.at(static_cast<std::size_t>(whole_of(drawn, "size") - 5));
    places.push_back(test::value_of<double>(drawn, "x"));
  }
  EXPECT_LT(test::unevenness(sizes), test::kUnevenness);
  EXPECT_LT(test::uniform_distance(places, 0.25, 0.75), test::kUniformDistance);
  EXPECT_EQ(run_on({any}, image).size.width, run_on({any}, image).size.height);
}

TEST(DirectRandomResizedCrop, draws_ratio_then_longer_side_then_place_without_retries) {
  const TransformPtr crop = make("DirectRandomResizedCrop", {{"size", std::int64_t{8}}});
  std::vector<double> ratios;
  std::vector<double> lengths;
  std::vector<double> places;
  for (std::uint64_t sample = 0; sample < 4000; ++sample) {
    const Params drawn = drawn_by(crop, {4000, 3000}, sample);
    const auto width = static_cast<double>(whole_of(drawn, "width"));
    const auto height = static_cast<double>(whole_of(drawn, "height"));
    const double area = width * height / 12e6;
    ASSERT_GE(area, 0.0798);
    ASSERT_LE(area, 1.0002);
    const double ratio = width / height;
    ratios.push_back(std::log(ratio));
    const double stretch = std::max(ratio, 1 / ratio);
    const double least = std::sqrt(12e6 * 0.08 * stretch);
    const double most = ratio >= 1 ? std::min(4000.0, 3000 * ratio) : 3000.0;
    lengths.push_back((std::max(width, height) - least) /
                      (std::min(most, std::sqrt(12e6 * stretch)) - least));
    if (width < 3900) {
      places.push_back(static_cast<double>(whole_of(drawn, "left")) / (4000 - width));
    }
  }
  EXPECT_LT(test::uniform_distance(ratios, std::log(0.75), std::log(4.0 / 3)), test::kUniformDistance);
  EXPECT_LT(test::uniform_distance(lengths, 0, 1), test::kUniformDistance);
  EXPECT_LT(test::uniform_distance(places, 0, 1), test::kUniformDistance);
  // No ratio that is allowed fits: the nearest one that does.
  const Params thin = drawn_by(crop, {1, 1000}, 1);
  EXPECT_EQ(whole_of(thin, "width"), 1);
}

TEST(RandomSizes, refuse_what_they_cannot_do) {
  EXPECT_NE(test::refusal("RandomZoomOut", {{"side_range", List{0.5, 2.0}}}).find("side_range"),
            std::string::npos);
  EXPECT_NE(test::refusal("RandomResize", {{"min_size", std::int64_t{9}}, {"max_size", std::int64_t{8}}})
                .find("min_size"),
            std::string::npos);
  EXPECT_NE(test::refusal("RandomShortestSize", {{"min_size", Whole{4, 0}}}).find("min_size"),
            std::string::npos);
  EXPECT_NE(test::refusal("ScaleJitter", {{"target_size", std::int64_t{8}}, {"scale_range", List{2.0, 1.0}}})
                .find("scale_range"),
            std::string::npos);
  EXPECT_NE(
      test::refusal("ResizeShortCropLong", {{"size", std::int64_t{8}}, {"x_range", 1.5}}).find("x_range"),
      std::string::npos);
  EXPECT_NE(test::refusal("DirectRandomResizedCrop", {{"size", std::int64_t{8}}, {"scale", List{0.5, 2.0}}})
                .find("scale"),
            std::string::npos);
}

}  // namespace
}  // namespace penstock::inline v0
