#include <gtest/gtest.h>

#include "transforms/distribution_for_test.hpp"
#include "transforms/run_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using test::make;
using test::run_on;
using test::TestImage;

TEST(RandomVerticalFlip, turns_rows_upside_down) {
  TestImage image = TestImage::noise({5, 4}, 1);
  TestImage flipped = run_on({make("RandomVerticalFlip", {{"p", 1.0}})}, image);
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 5; ++x) {
      EXPECT_EQ(flipped.at(x, y, 1), image.at(x, 3 - y, 1));
    }
  }
  EXPECT_EQ(run_on({make("RandomVerticalFlip", {{"p", 0.0}})}, image), image);
}

TEST(RandomVerticalFlip, happens_as_often_as_it_should) {
  const TransformPtr flip = make("RandomVerticalFlip", {{"p", 0.5}});
  std::array<int, 2> counts{};
  for (std::uint64_t sample = 0; sample < 4000; ++sample) {
    ++counts[test::value_of<bool>(test::drawn_by(flip, {8, 8}, sample), "apply") ? 1 : 0];
  }
  EXPECT_LT(test::unevenness(counts), test::kUnevenness);
}

}  // namespace
}  // namespace penstock::inline v0
