#include <gtest/gtest.h>

#include "transforms/kernels/box_blur.hpp"
#include "transforms/run_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using test::make;
using test::run_on;
using test::TestImage;

TEST(PillowGaussianBlur, is_the_kernel_with_the_drawn_radius) {
  const TransformPtr blur = make("PillowGaussianBlur", {{"radius", 1.5}});
  const TestImage image = TestImage::noise({33, 21}, 4);
  TestImage wanted = image;
  Scratch scratch;
  const std::size_t stride = 33 * 3;
  std::vector<std::uint8_t> in = image.bytes;
  in.resize(in.size() + 64);
  box_blur_three_times({in.data(), stride, image.size, 3}, {wanted.bytes.data(), stride, image.size, 3},
                       gaussian_blur_box(1.5F), scratch);
  EXPECT_EQ(run_on({blur}, image), wanted);
  EXPECT_FALSE(wanted == image);
}

TEST(PillowGaussianBlur, leaves_images_alone_that_it_is_not_drawn_for) {
  const TestImage image = TestImage::noise({13, 9}, 5);
  EXPECT_EQ(run_on({make("PillowGaussianBlur", {{"p", 0.0}})}, image), image);
  EXPECT_EQ(run_on({make("PillowGaussianBlur", {{"radius", 0.0}})}, image), image);
  EXPECT_NE(test::refusal("PillowGaussianBlur", {{"radius", -1.0}}).find("radius"), std::string::npos);
}

}  // namespace
}  // namespace penstock::inline v0
