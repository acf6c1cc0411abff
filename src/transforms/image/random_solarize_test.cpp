#include <gtest/gtest.h>

#include "transforms/run_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using test::make;
using test::run_on;
using test::TestImage;

TEST(RandomSolarize, inverts_values_of_the_threshold_and_above) {
  const TestImage image = TestImage::noise({31, 17}, 6);
  for (const double threshold : {0.0, 127.5, 128.0, 255.0, 256.0}) {
    const TestImage made = run_on({make("RandomSolarize", {{"threshold", threshold}, {"p", 1.0}})}, image);
    for (std::size_t i = 0; i < image.bytes.size(); ++i) {
      ASSERT_EQ(made.bytes[i], image.bytes[i] < threshold ? image.bytes[i] : 255 - image.bytes[i]);
    }
  }
}

TEST(RandomSolarize, is_one_table_with_its_neighbours_and_the_write) {
  const std::vector<TransformPtr> list = {transforms::Resize{.size = 9},
                                          make("RandomSolarize", {{"threshold", 99.0}}),
                                          make("ColorJitter", {{"brightness", 0.5}}), transforms::ToFloat{}};
  const TestImage image = TestImage::noise({31, 17}, 7);
  for (std::uint64_t sample = 0; sample < 8; ++sample) {
    EXPECT_EQ(run_on(list, image, sample, Fuse::exact), run_on(list, image, sample, Fuse::off));
  }
  const auto program = ImageProgram::compile(list, MemoryFormat::channels_first).value();
  EXPECT_NE(
      program.describe().find("resize bilinear + solarize (p=0.5) + brightness + divide by 255 + write"),
      std::string::npos)
      << program.describe();
}

TEST(RandomSolarize, needs_a_threshold_and_bytes) {
  EXPECT_NE(test::refusal("RandomSolarize", {}).find("threshold is required"), std::string::npos);
  EXPECT_FALSE(ImageProgram::compile({transforms::ToFloat{}, make("RandomSolarize", {{"threshold", 9.0}})},
                                     MemoryFormat::channels_first)
                   .ok());
}

}  // namespace
}  // namespace penstock::inline v0
