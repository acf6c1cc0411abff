#include <gtest/gtest.h>

#include <cmath>

#include "transforms/run_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using test::make;
using test::run_on;
using test::TestImage;
using List = std::vector<double>;

constexpr const char* kBlend = "RandomBackgroundBlend";

/// A square of 10 x 10 pixels of one colour in the middle of a transparent canvas.
TestImage square(std::uint8_t opacity) {
  TestImage image = TestImage::filled({20, 20}, 0, 4);
  for (int y = 5; y < 15; ++y) {
    for (int x = 5; x < 15; ++x) {
      image.at(x, y, 0) = 200;
      image.at(x, y, 1) = 40;
      image.at(x, y, 3) = opacity;
    }
  }
  return image;
}

TEST(RandomBackgroundBlend, shows_the_background_where_the_image_is_transparent) {
  TestImage out = run_on({make(kBlend, {{"background", std::string("constant")},
                                        {"fill", std::vector<std::int64_t>{10, 20, 30}}})},
                         square(51));
  EXPECT_EQ(out.channels, 3);
  EXPECT_EQ(out.at(0, 0, 0), 10);
  EXPECT_EQ(out.at(0, 0, 2), 30);
  EXPECT_EQ(out.at(7, 7, 0), 48);  // a fifth of 200 and four of 10
  EXPECT_EQ(out.at(7, 7, 1), 24);
  TestImage opaque = run_on({make(kBlend)}, square(255));
  EXPECT_EQ(opaque.at(7, 7, 0), 200);
  EXPECT_EQ(opaque.at(0, 0, 0), 0);
}

TEST(RandomBackgroundBlend, fades_what_can_be_seen) {
  TestImage round =
      run_on({make(kBlend, {{"fade_mode", std::string("circular")}, {"fade_radius", List{0.25, 0.5}}})},
             square(255));
  EXPECT_EQ(round.at(10, 10), 200);
  EXPECT_EQ(round.at(5, 5), 0);
  EXPECT_GT(round.at(13, 10), 0);
  EXPECT_LT(round.at(13, 10), 200);
  TestImage edges =
      run_on({make(kBlend, {{"fade_mode", std::string("cosine")}, {"inset", 0.4}})}, square(255));
  EXPECT_EQ(edges.at(5, 10), 0);
  EXPECT_EQ(edges.at(7, 10), 100);  // two pixels of four
  EXPECT_EQ(edges.at(9, 10), 200);
  EXPECT_EQ(edges,
            run_on({make(kBlend, {{"fade_mode", std::string("cosine")}, {"inset", 4.0}})}, square(255)));
  EXPECT_EQ(run_on({make(kBlend, {{"fade_mode", std::string("cosine")}, {"inset", 4.0}})}, square(0)),
            TestImage::filled({20, 20}, 0));
}

TEST(RandomBackgroundBlend, draws_noise_and_chances_for_each_image) {
  const TransformPtr blend = make(kBlend, {{"background", std::string("power_law")}, {"p_background", 0.5}});
  int black = 0;
  for (std::uint64_t sample = 0; sample < 400; ++sample) {
    TestImage out = run_on({blend}, square(255), sample);
    EXPECT_EQ(out.at(7, 7), 200);
    bool all = true;
    for (int y = 0; y < 5; ++y) {
      for (int x = 0; x < 20; ++x) {
        all = all && out.at(x, y) == 0;
      }
    }
    black += all ? 1 : 0;
  }
  EXPECT_NEAR(black, 200, 50);
  const TransformPtr always = make(kBlend, {{"background", std::string("power_law")}});
  EXPECT_NE(run_on({always}, square(0), 1), run_on({always}, square(0), 2));
}

TEST(RandomBackgroundBlend, refuses_what_cannot_be) {
  EXPECT_NE(test::refusal(kBlend, {{"fade_mode", std::string("circular")}}).find("fade_radius"),
            std::string::npos);
  EXPECT_NE(test::refusal(kBlend, {{"fade_mode", std::string("cosine")}}).find("inset"), std::string::npos);
  EXPECT_NE(test::refusal(kBlend, {{"fade_mode", std::string("square")}}), "no error");
  EXPECT_NE(test::refusal(kBlend, {{"p_background", 2.0}}).find("p_background"), std::string::npos);
  const auto program = ImageProgram::compile({make(kBlend)}, MemoryFormat::channels_first);
  ASSERT_FALSE(program.ok());
  EXPECT_NE(program.error().to_string().find("mode=\"RGBA\""), std::string::npos);
}

}  // namespace
}  // namespace penstock::inline v0
