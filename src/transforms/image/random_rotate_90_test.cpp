#include <gtest/gtest.h>

#include "transforms/distribution_for_test.hpp"
#include "transforms/run_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using test::make;
using test::run_on;
using test::TestImage;

TEST(RandomRotate90, turns_counter_clockwise_and_exchanges_the_sides) {
  const TransformPtr turn = make("RandomRotate90", {{"p", 1.0}});
  TestImage image = TestImage::noise({5, 3}, 1);
  for (std::uint64_t sample = 0; sample < 20; ++sample) {
    const auto turns = test::value_of<std::int64_t>(test::drawn_by(turn, image.size, sample), "turns");
    TestImage turned = run_on({turn}, image, sample);
    EXPECT_EQ(turned.size, turns % 2 == 0 ? image.size : (ImageSize{3, 5}));
    const std::array corners = {image.at(0, 0), image.at(4, 0), image.at(4, 2), image.at(0, 2)};
    EXPECT_EQ(turned.at(0, 0), corners[static_cast<std::size_t>(turns)]);
  }
}

TEST(RandomRotate90, draws_every_turn_equally_often) {
  const TransformPtr turn = make("RandomRotate90", {{"p", 1.0}});
  std::array<int, 4> counts{};
  for (std::uint64_t sample = 0; sample < 4000; ++sample) {
    ++counts[static_cast<std::size_t>(
        test::value_of<std::int64_t>(test::drawn_by(turn, {8, 8}, sample), "turns"))];
  }
  EXPECT_LT(test::unevenness(counts), test::kUnevenness);
}

}  // namespace
}  // namespace penstock::inline v0
