#include "transforms/kernels/gaussian_blur.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "transforms/kernels/every_target_for_test.hpp"

namespace penstock::inline v0 {
namespace {

TEST(GaussianBlurKernel, runs_the_target_that_is_forced) {
  for_each_target([](CpuTarget target) { EXPECT_EQ(gaussian_blur_target(), target); });
}

TEST(GaussianBlurKernel, is_the_same_on_every_target) {
  for (const int channels : {1, 3, 4}) {
    check_every_target(channels, channels, [](const ConstPixelRows& in, const PixelRows& out, unsigned seed) {
      Scratch scratch;
      const BlurKernel kernel{static_cast<int>(seed % 12) * 2 + 1, static_cast<int>(seed / 12 % 12) * 2 + 1};
      gaussian_blur(in, out, kernel, 0.1 + seed % 1000 / 200.0, scratch);
    });
  }
}

int mirrored_at_edges(int i, int length) {
  while (length > 1 && (i < 0 || i >= length)) {
    i = i < 0 ? -i : 2 * (length - 1) - i;
  }
  return length == 1 ? 0 : i;
}

TEST(GaussianBlurKernel, is_the_weighted_mean_of_a_mirrored_neighbourhood) {
  std::mt19937 random(5);
  Scratch scratch;
  for (const ImageSize size : {ImageSize{23, 17}, ImageSize{1, 1}, ImageSize{3, 2}, ImageSize{2, 40}}) {
    GuardedImage in(size, 3, random), out(size, 3, random);
    in.fill(random);
    const double sigma = 1.8;
    gaussian_blur(in.rows(), out.rows(), {7, 11}, sigma, scratch);
    const auto bell = [&](int k) { return std::exp(-k * k / (2 * sigma * sigma)); };
    for (int y = 0; y < size.height; ++y) {
      for (int i = 0; i < size.width * 3; ++i) {
        double sum = 0, weights = 0;
        for (int dy = -5; dy <= 5; ++dy) {
          for (int dx = -3; dx <= 3; ++dx) {
            const int x = mirrored_at_edges(i / 3 + dx, size.width);
            weights += bell(dx) * bell(dy);
            sum += bell(dx) * bell(dy) * in.rows().row(mirrored_at_edges(y + dy, size.height))[x * 3 + i % 3];
          }
        }
        ASSERT_NEAR(out.rows().row(y)[i], sum / weights, 0.5001) << size.width << " x " << size.height;
      }
    }
  }
}

}  // namespace
}  // namespace penstock::inline v0
