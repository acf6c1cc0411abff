#include <gtest/gtest.h>

#include "transforms/coordinates.hpp"
#include "transforms/distribution_for_test.hpp"
#include "transforms/run_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using test::drawn_by;
using test::make;
using test::run_on;
using test::TestImage;

TEST(RandomPerspective, moves_the_corners_to_where_they_were_drawn) {
  const TransformPtr view = make("RandomPerspective", {{"p", 1.0}});
  const auto program = ImageProgram::compile({view}, MemoryFormat::channels_last);
  const auto workspace = program->make_workspace();
  for (std::uint64_t sample = 0; sample < 50; ++sample) {
    ASSERT_TRUE(program->resolve(*workspace, {60, 40}, {3, 4, sample}).ok());
    const auto to = test::value_of<std::vector<std::int64_t>>(workspace->drawn[0]->values(), "endpoints");
    std::vector<float> corners = {0, 0, 59, 0, 59, 39, 0, 39};
    move_points(workspace->edits, {60, 40}, {corners, {}, {}});
    for (std::size_t i = 0; i < 8; ++i) {
      EXPECT_NEAR(corners[i], static_cast<double>(to[i]), 2e-3);
    }
  }
}

TEST(RandomPerspective, draws_corners_in_their_quarters) {
  const TransformPtr view = make("RandomPerspective", {{"p", 1.0}});
  std::array<int, 16> left{};
  std::array<int, 11> bottom{};
  for (std::uint64_t sample = 0; sample < 4000; ++sample) {
    const auto to = test::value_of<std::vector<std::int64_t>>(drawn_by(view, {60, 40}, sample), "endpoints");
    ++left.at(static_cast<std::size_t>(to[0]));
    ++bottom.at(static_cast<std::size_t>(to[7] - 29));
  }
  EXPECT_LT(test::unevenness(left), test::kUnevenness);
  EXPECT_LT(test::unevenness(bottom), test::kUnevenness);
}

TEST(RandomPerspective, leaves_an_image_without_an_inside_alone) {
  const TestImage thin = TestImage::noise({1, 30}, 1);
  EXPECT_EQ(run_on({make("RandomPerspective", {{"p", 1.0}})}, thin), thin);
  EXPECT_NE(test::refusal("RandomPerspective", {{"distortion_scale", 1.5}}).find("distortion_scale"),
            std::string::npos);
}

}  // namespace
}  // namespace penstock::inline v0
