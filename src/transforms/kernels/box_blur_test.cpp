#include "transforms/kernels/box_blur.hpp"

#include <gtest/gtest.h>

#include "core/each_target_for_test.hpp"
#include "transforms/kernels/alpha.hpp"
#include "transforms/kernels/pixel_rows_for_test.hpp"

namespace penstock::inline v0 {
namespace {

TEST(BoxBlur, runs_the_target_that_is_forced) {
  for_each_target([](CpuTarget target) { EXPECT_EQ(blur_target(), target); });
}

TEST(BoxBlur, is_the_same_on_every_target) {
  for_each_target([](CpuTarget target) {
    std::mt19937 random(15);
    Scratch scratch;
    for (const ImageSize size : kOddSizes) {
      for (const int channels : {1, 3, 4}) {
        for (const float radius : {0.1F, 0.9F, 1.9F, 7.3F, 150.0F}) {
          GuardedImage in(size, channels, random), wanted(size, channels, random),
              got(size, channels, random);
          in.fill(random);
          const BlurBox box = gaussian_blur_box(radius);
          ASSERT_TRUE(force_cpu_target_for_test(CpuTarget::scalar).ok());
          box_blur_three_times(in.rows(), wanted.rows(), box, scratch);
          ASSERT_TRUE(force_cpu_target_for_test(target).ok());
          box_blur_three_times(in.rows(), got.rows(), box, scratch);
          expect_same(got.rows(), wanted.rows());
          got.check_guards();
          box_blur_three_times(in.rows(), in.rows(), box, scratch);
          expect_same(in.rows(), wanted.rows());
          in.check_guards();
          if (::testing::Test::HasFatalFailure()) {
            return;
          }
        }
      }
    }
  });
}

TEST(BoxBlur, weights_of_a_box_are_one_in_all) {
  for (int i = 1; i < 3000; ++i) {
    const BlurBox box = gaussian_blur_box(static_cast<float>(i) / 50.0F);
    const std::uint64_t sum =
        std::uint64_t{box.inner} * static_cast<std::uint64_t>(2 * box.reach + 1) + 2 * box.edge;
    ASSERT_LE(sum, 1U << 24);
    ASSERT_GE(sum, (1U << 24) - 1);
  }
}

TEST(Alpha, multiplied_and_divided_by_opaque_nothing_changes) {
  std::mt19937 random(16);
  GuardedImage in({17, 9}, 4, random), there({17, 9}, 4, random), back({17, 9}, 4, random);
  in.fill(random);
  for (int y = 0; y < 9; ++y) {
    for (int x = 0; x < 17; ++x) {
      in.rows().row(y)[x * 4 + 3] = 255;
    }
  }
  multiply_by_alpha(in.rows(), there.rows());
  expect_same(there.rows(), in.rows());
  divide_by_alpha(there.rows(), back.rows());
  expect_same(back.rows(), in.rows());
}

TEST(Alpha, half_covered_pixels_are_rounded_as_in_pillow) {
  const std::uint8_t in[4 + kRowSlack] = {200, 3, 255, 128};
  std::uint8_t there[4], back[4];
  multiply_by_alpha({in, 4, {1, 1}, 4}, {there, 4, {1, 1}, 4});
  EXPECT_EQ(std::vector<int>(there, there + 4), (std::vector<int>{100, 2, 128, 128}));
  divide_by_alpha({there, 4, {1, 1}, 4}, {back, 4, {1, 1}, 4});
  EXPECT_EQ(std::vector<int>(back, back + 4), (std::vector<int>{199, 3, 255, 128}));
}

}  // namespace
}  // namespace penstock::inline v0
