#include <gtest/gtest.h>

#include <map>

#include "transforms/kernels/byte_tables.hpp"
#include "transforms/run_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using test::make;
using test::run_on;
using test::TestImage;

TEST(ColorJitter, draws_every_order_and_factors_of_its_ranges) {
  const TransformPtr jitter = make("ColorJitter", {{"brightness", 0.5}, {"hue", 0.1}});
  std::map<std::vector<std::int64_t>, int> orders;
  for (std::uint64_t sample = 0; sample < 2400; ++sample) {
    const Params drawn = test::drawn_by(jitter, {8, 8}, sample);
    ++orders[test::value_of<std::vector<std::int64_t>>(drawn, "order")];
    EXPECT_GE(test::value_of<double>(drawn, "brightness"), 0.5);
    EXPECT_LE(test::value_of<double>(drawn, "brightness"), 1.5);
    EXPECT_LE(std::abs(test::value_of<double>(drawn, "hue")), static_cast<double>(0.1F));
    EXPECT_EQ(test::value_of<double>(drawn, "contrast"), 1.0);
  }
  EXPECT_EQ(orders.size(), 24u);
  for (const auto& [order, count] : orders) {
    EXPECT_NEAR(count, 100, 50);
  }
}

TEST(ColorJitter, a_part_that_is_not_asked_for_takes_no_edit) {
  const TestImage image = TestImage::noise({12, 7}, 3);
  EXPECT_EQ(run_on({make("ColorJitter")}, image), image);
  EXPECT_EQ(run_on({make("ColorJitter", {{"hue", 0.0}, {"contrast", std::vector<double>{1.0, 1.0}}})}, image),
            image);
  const TestImage brighter =
      run_on({make("ColorJitter", {{"brightness", std::vector<double>{1.5, 1.5}}})}, image);
  const ByteTable table = blend_table(0, 1.5F);
  for (std::size_t i = 0; i < image.bytes.size(); ++i) {
    ASSERT_EQ(brighter.bytes[i], table[image.bytes[i]]);
  }
}

TEST(ColorJitter, refuses_what_is_no_range) {
  for (const Params& params :
       {Params{{"brightness", -0.1}}, Params{{"hue", 0.6}}, Params{{"hue", std::vector<double>{-0.6, 0.1}}},
        Params{{"contrast", std::vector<double>{2.0, 1.0}}}, Params{{"saturation", std::string("much")}}}) {
    EXPECT_NE(test::refusal("ColorJitter", params).find("ColorJitter: " + params[0].first),
              std::string::npos);
  }
}

}  // namespace
}  // namespace penstock::inline v0
