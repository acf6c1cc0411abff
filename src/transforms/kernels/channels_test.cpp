#include "transforms/kernels/channels.hpp"

#include <gtest/gtest.h>

#include "transforms/kernels/every_target_for_test.hpp"

namespace penstock::inline v0 {
namespace {

constexpr std::array<std::array<int, 3>, 6> kOrders = {
    {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}};

TEST(Channels, run_the_target_that_is_forced) {
  for_each_target([](CpuTarget target) { EXPECT_EQ(channels_target(), target); });
}

TEST(Channels, are_the_same_on_every_target) {
  for (const int channels : {3, 4}) {
    check_every_target(channels, channels, [](const ConstPixelRows& in, const PixelRows& out, unsigned seed) {
      permute_channels(in, out, kOrders[seed % 6]);
    });
    check_every_target(channels, channels, [](const ConstPixelRows& in, const PixelRows& out, unsigned seed) {
      std::mt19937 random(seed);
      ColorMatrix matrix;
      for (auto& row : matrix.by) {
        for (float& value : row) {
          value = static_cast<float>(random() % 4001) / 1000.0F - 2.0F;
        }
      }
      matrix.offset = static_cast<float>(random() % 300) - 150.0F;
      mix_colors(in, out, matrix);
    });
  }
  check_every_target(1, 3,
                     [](const ConstPixelRows& in, const PixelRows& out, unsigned) { spread_gray(in, out); });
}

TEST(Channels, go_where_the_order_says_and_mix_as_the_matrix_says) {
  std::mt19937 random(9);
  GuardedImage in({33, 2}, 4, random), out({33, 2}, 4, random);
  in.fill(random);
  for (const auto& order : kOrders) {
    permute_channels(in.rows(), out.rows(), order);
    for (int i = 0; i < 33 * 4; ++i) {
      const int channel = i % 4 == 3 ? 3 : order[static_cast<std::size_t>(i % 4)];
      ASSERT_EQ(out.rows().row(1)[i], in.rows().row(1)[i - i % 4 + channel]);
    }
  }
  mix_colors(in.rows(), out.rows(), {.by = {{{1, 0, 0}, {0.5, 0.5, 0}, {0, 0, -1}}}, .offset = 100});
  for (int x = 0; x < 33; ++x) {
    const std::uint8_t* from = in.rows().row(0) + x * 4;
    const std::uint8_t* to = out.rows().row(0) + x * 4;
    ASSERT_EQ(int{to[0]}, std::min(255, from[0] + 100));
    ASSERT_EQ(int{to[1]}, std::min(255, static_cast<int>(std::nearbyint((from[0] + from[1]) / 2.0 + 100))));
    ASSERT_EQ(int{to[2]}, std::max(0, 100 - from[2]));
    ASSERT_EQ(int{to[3]}, int{from[3]});
  }
}

}  // namespace
}  // namespace penstock::inline v0
