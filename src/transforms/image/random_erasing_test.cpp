#include <gtest/gtest.h>

#include "transforms/run_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using test::make;
using test::run_on;
using test::TestImage;

TEST(RandomErasing, gives_one_rectangle_inside_the_image_the_value) {
  const TransformPtr erasing = make("RandomErasing", {{"p", 1.0}, {"value", std::int64_t{9}}});
  for (std::uint64_t sample = 0; sample < 50; ++sample) {
    const Params drawn = test::drawn_by(erasing, {30, 20}, sample);
    const auto top = test::value_of<std::int64_t>(drawn, "top");
    const auto left = test::value_of<std::int64_t>(drawn, "left");
    const auto height = test::value_of<std::int64_t>(drawn, "height");
    const auto width = test::value_of<std::int64_t>(drawn, "width");
    ASSERT_TRUE(top >= 0 && left >= 0 && top + height <= 20 && left + width <= 30);
    TestImage image = run_on({erasing}, TestImage::filled({30, 20}, 200), sample);
    for (int y = 0; y < 20; ++y) {
      for (int x = 0; x < 30; ++x) {
        const bool inside = y >= top && y < top + height && x >= left && x < left + width;
        ASSERT_EQ(image.at(x, y), inside ? 9 : 200) << x << " " << y;
      }
    }
  }
}

TEST(RandomErasing, happens_as_often_as_told) {
  int happened = 0;
  const TransformPtr erasing = make("RandomErasing", {{"p", 0.25}});
  for (std::uint64_t sample = 0; sample < 2000; ++sample) {
    happened += test::value_of<bool>(test::drawn_by(erasing, {30, 30}, sample), "apply") ? 1 : 0;
  }
  EXPECT_NEAR(happened, 500, 80);
}

TEST(RandomErasing, works_on_floats_behind_normalize_and_nothing_maps_them_afterwards) {
  const TransformPtr erasing = make("RandomErasing", {{"p", 1.0}, {"value", 2.5}});
  const TransformPtr normalize = transforms::Normalize{.mean = {0.5}, .std = {0.25}};
  const TestImage image = run_on({normalize, erasing}, TestImage::filled({16, 16}, 0), 1);
  int erased = 0;
  for (std::size_t i = 0; i < 16 * 16 * 3; ++i) {
    float value = 0;
    std::memcpy(&value, image.bytes.data() + i * sizeof value, sizeof value);
    ASSERT_TRUE(value == 2.5F || value == -2.0F) << value;
    erased += value == 2.5F ? 1 : 0;
  }
  EXPECT_GT(erased, 0);
  EXPECT_FALSE(
      ImageProgram::compile({transforms::ToFloat{}, erasing, normalize}, MemoryFormat::channels_last).ok());
}

TEST(RandomErasing, noise_is_the_same_for_the_same_draw) {
  const TransformPtr erasing = make("RandomErasing", {{"p", 1.0}, {"value", std::string("random")}});
  const TestImage image = TestImage::filled({24, 24}, 0);
  EXPECT_EQ(run_on({erasing}, image, 5), run_on({erasing}, image, 5));
  EXPECT_FALSE(run_on({erasing}, image, 5) == run_on({erasing}, image, 6));
}

TEST(RandomErasing, refuses_bytes_out_of_range) {
  EXPECT_FALSE(
      ImageProgram::compile({make("RandomErasing", {{"value", 300.0}})}, MemoryFormat::channels_last).ok());
  EXPECT_FALSE(ImageProgram::compile({make("RandomErasing", {{"value", std::vector<double>{1, 2}}})},
                                     MemoryFormat::channels_last)
                   .ok());
}

}  // namespace
}  // namespace penstock::inline v0
