#include <gtest/gtest.h>

#include "transforms/distribution_for_test.hpp"
#include "transforms/run_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using test::make;
using test::run_on;
using test::TestImage;
using List = std::vector<double>;

TransformPtr zoomed(double zoom, double x, double y) {
  return make("RandomZoom", {{"p", 1.0},
                             {"zoom", zoom},
                             {"x", x},
                             {"y", y},
                             {"interpolation", std::string("nearest")},
                             {"fill", std::int64_t{9}}});
}

TEST(RandomZoom, looks_at_a_point_from_closer_or_further_away) {
  TestImage image = TestImage::noise({8, 8}, 1);
  TestImage closer = run_on({zoomed(0.5, 0, 0)}, image);
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 8; ++x) {
      EXPECT_EQ(closer.at(x, y), image.at(x / 2, y / 2));
    }
  }
  TestImage further = run_on({zoomed(2, 0.5, 0.5)}, image);
  EXPECT_EQ(further.at(1, 4), 9);
  EXPECT_EQ(further.at(3, 3), image.at(3, 3));
  EXPECT_EQ(run_on({zoomed(1, 0.3, 0.3)}, image), image);
}

TEST(RandomZoom, draws_from_its_ranges) {
  const TransformPtr zoom = make("RandomZoom", {{"p", 1.0}, {"x", List{0.2, 0.4}}});
  List zooms;
  List places;
  for (std::uint64_t sample = 0; sample < 2000; ++sample) {
    const Params drawn = test::drawn_by(zoom, {8, 8}, sample);
    zooms.push_back(test::value_of<double>(drawn, "zoom"));
    places.push_back(test::value_of<double>(drawn, "x"));
  }
  EXPECT_LT(test::uniform_distance(zooms, 0.5, 1), test::kUniformDistance);
  EXPECT_LT(test::uniform_distance(places, 0.2, 0.4), test::kUniformDistance);
  EXPECT_NE(test::refusal("RandomZoom", {{"zoom", 0.0}}).find("zoom"), std::string::npos);
}

}  // namespace
}  // namespace penstock::inline v0
