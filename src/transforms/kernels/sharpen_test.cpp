#include "transforms/kernels/sharpen.hpp"

#include <gtest/gtest.h>

#include "transforms/kernels/byte_tables.hpp"
#include "transforms/kernels/every_target_for_test.hpp"

namespace penstock::inline v0 {
namespace {

TEST(Sharpen, runs_the_target_that_is_forced) {
  for_each_target([](CpuTarget target) { EXPECT_EQ(sharpen_target(), target); });
}

TEST(Sharpen, is_the_same_on_every_target) {
  for (const int channels : {1, 3, 4}) {
    check_every_target(
        channels, channels,
        [](const ConstPixelRows& in, const PixelRows& out, unsigned seed) {
          adjust_sharpness(in, out, static_cast<float>(seed % 3001) / 1000.0F);
        },
        /*in_place=*/false);
  }
}

TEST(Sharpen, blends_from_the_mean_of_the_neighbours_and_keeps_the_edges) {
  std::mt19937 random(3);
  GuardedImage in({19, 7}, 3, random), out({19, 7}, 3, random);
  in.fill(random);
  adjust_sharpness(in.rows(), out.rows(), 1.7F);
  for (int y = 0; y < 7; ++y) {
    for (int i = 0; i < 19 * 3; ++i) {
      const int x = i / 3;
      int wanted = in.rows().row(y)[i];
      if (x > 0 && x < 18 && y > 0 && y < 6) {
        int sum = 4 * wanted;
        for (int dy = -1; dy <= 1; ++dy) {
          for (const int dx : {-3, 0, 3}) {
            sum += in.rows().row(y + dy)[i + dx];
          }
        }
        wanted = blend(static_cast<std::uint8_t>(std::lround(sum / 13.0)), static_cast<std::uint8_t>(wanted),
                       1.7F);
      }
      ASSERT_EQ(int{out.rows().row(y)[i]}, wanted);
    }
  }
}

}  // namespace
}  // namespace penstock::inline v0
