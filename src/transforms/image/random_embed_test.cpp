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
using List = std::vector<double>;

TEST(RandomEmbed, puts_the_image_where_it_was_drawn) {
  const TransformPtr embed = make("RandomEmbed", {{"canvas_size", std::vector<std::int64_t>{20, 30}},
                                                  {"x_range", List{0.0, 1.0}},
                                                  {"y_range", 1.0},
                                                  {"background", std::string("constant")},
                                                  {"fill", std::int64_t{9}}});
  TestImage image = TestImage::noise({10, 6}, 1);
  List places;
  for (std::uint64_t sample = 0; sample < 2000; ++sample) {
    const Params drawn = drawn_by(embed, image.size, sample);
    EXPECT_EQ(test::value_of<std::int64_t>(drawn, "top"), 14);
    places.push_back((static_cast<double>(test::value_of<std::int64_t>(drawn, "left")) + 0.5) / 20);
  }
  std::array<int, 20> counts{};
  for (const double place : places) {
    ++counts.at(static_cast<std::size_t>(place * 20));
  }
  EXPECT_LT(test::unevenness(counts), test::kUnevenness);
  TestImage out = run_on({embed}, image, 4);
  const int left = static_cast<int>(test::value_of<std::int64_t>(drawn_by(embed, image.size, 4), "left"));
  EXPECT_EQ(out.size, (ImageSize{30, 20}));
  EXPECT_EQ(out.at(left + 9, 19, 2), image.at(9, 5, 2));
  EXPECT_EQ(out.at(left, 13), 9);
}

// Neighbours are the more alike the steeper the power falls.
TEST(RandomEmbed, surrounds_the_image_with_noise_of_a_power_law) {
  const auto roughness = [](double alpha, std::uint64_t sample) {
    TestImage image = TestImage::noise({4, 4}, 1);
    const TransformPtr embed = make("RandomEmbed", {{"canvas_size", std::int64_t{64}},
                                                    {"x_range", 0.0},
                                                    {"y_range", 0.0},
                                                    {"background", std::string("power_law")},
                                                    {"alpha_range", alpha}});
    TestImage out = run_on({embed}, image, sample);
    EXPECT_EQ(out.at(3, 3, 1), image.at(3, 3, 1));
    double steps = 0;
    for (int y = 10; y < 64; ++y) {
      for (int x = 1; x < 64; ++x) {
        steps += std::abs(out.at(x, y) - out.at(x - 1, y));
      }
    }
    return steps / (54 * 63);
  };
  for (std::uint64_t sample = 0; sample < 5; ++sample) {
    EXPECT_GT(roughness(0, sample), 1.5 * roughness(2, sample));
    EXPECT_GT(roughness(2, sample), 1.5 * roughness(4, sample));
  }
}

TEST(RandomEmbed, fades_into_the_background) {
  const auto embedded = [](Params params, std::uint64_t sample) {
    params.emplace_back("canvas_size", std::int64_t{40});
    params.emplace_back("fade_radius", List{0.25, 0.5});
    return run_on({make("RandomEmbed", params)}, TestImage::filled({20, 20}, 200), sample);
  };
  TestImage on_gray = embedded({{"background", std::string("constant")}, {"fill", std::int64_t{100}}}, 1);
  EXPECT_EQ(on_gray.at(20, 20), 200);
  EXPECT_EQ(on_gray.at(10, 10), 100) << "a corner is outside of the outer circle";
  EXPECT_EQ(on_gray.at(5, 20), 100);
  // 3.5 pixels of 5 beyond the inner circle, which has a radius of 5; sigma is 5 / 3.
  const double beyond = std::sqrt(8.5 * 8.5 + 0.25) - 5;
  EXPECT_EQ(on_gray.at(28, 20), std::nearbyint(100 + 100 * std::exp(-0.5 * std::pow(beyond * 3 / 5, 2))));
  TestImage on_noise = embedded({{"background", std::string("power_law")}}, 1);
  TestImage noise = run_on({make("RandomEmbed", {{"canvas_size", std::int64_t{40}},
                                                 {"background", std::string("power_law")},
                                                 {"fade_radius", List{0.0, 1e-9}}})},
                           TestImage::filled({20, 20}, 200), 1);
  EXPECT_EQ(on_noise.at(20, 20), 200);
  EXPECT_EQ(on_noise.at(10, 10), noise.at(10, 10));
  EXPECT_EQ(on_noise.at(3, 3), noise.at(3, 3));
  int faded = 0;
  for (std::uint64_t sample = 0; sample < 400; ++sample) {
    faded += embedded({{"p_fade", 0.25}}, sample).at(10, 10) == 0 ? 1 : 0;
  }
  EXPECT_NEAR(faded, 100, 35);
  EXPECT_NE(test::refusal("RandomEmbed", {{"canvas_size", std::int64_t{8}}, {"fade_radius", List{0.5, 0.5}}})
                .find("fade_radius"),
            std::string::npos);
}

TEST(RandomEmbed, keeps_a_part_of_a_larger_image) {
  EXPECT_NE(
      test::refusal("RandomEmbed", {{"canvas_size", std::int64_t{8}}, {"x_range", 2.0}}).find("x_range"),
      std::string::npos);
  TestImage image = TestImage::noise({9, 3}, 2);
  TestImage out = run_on({make("RandomEmbed", {{"canvas_size", std::int64_t{5}}})}, image);
  EXPECT_EQ(out.size, (ImageSize{5, 5}));
  EXPECT_EQ(out.at(0, 1), image.at(2, 0));
  EXPECT_EQ(out.at(4, 3), image.at(6, 2));
  EXPECT_EQ(out.at(2, 0), 0);
}

}  // namespace
}  // namespace penstock::inline v0
