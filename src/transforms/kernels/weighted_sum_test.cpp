#include "transforms/kernels/weighted_sum.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "core/each_target_for_test.hpp"

namespace penstock::inline v0 {
namespace {

TEST(WeightedSum, runs_the_target_that_is_forced) {
  for_each_target([](CpuTarget target) { EXPECT_EQ(weighted_sum_target(), target); });
}

TEST(WeightedSum, rounds_every_product_and_sum_and_cuts_off) {
  std::mt19937 random(5);
  constexpr std::size_t kCount = 1003;
  std::array<std::vector<std::uint8_t>, 4> rows;
  std::array<const std::uint8_t*, 4> pointers{};
  for (std::size_t row = 0; row < rows.size(); ++row) {
    rows[row].resize(kCount);
    for (std::uint8_t& value : rows[row]) {
      value = static_cast<std::uint8_t>(random());
    }
    pointers[row] = rows[row].data();
  }
  for (const std::array<float, 4>& weights : {std::array<float, 4>{0.25F, 0.3F, 0.1F, 0.35F},
                                              {1.0F, 0.0F, 0.0F, 0.0F},
                                              {2.0F, -1.0F, 0.5F, 0.0F}}) {
    std::vector<std::uint8_t> wanted(kCount);
    for (std::size_t i = 0; i < kCount; ++i) {
      float sum = 0;
      for (std::size_t row = 0; row < rows.size(); ++row) {
        const volatile float product = weights[row] * static_cast<float>(rows[row][i]);
        sum = sum + product;
      }
      wanted[i] = static_cast<std::uint8_t>(sum < 0 ? 0 : sum > 255 ? 255 : sum);
    }
    for_each_target([&](CpuTarget) {
      for (const std::size_t count :
           {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{65}, kCount}) {
        std::vector<std::uint8_t> out(kCount + 8, 0xA5);
        weighted_sum(pointers, weights, count, out.data());
        for (std::size_t i = 0; i < out.size(); ++i) {
          ASSERT_EQ(out[i], i < count ? wanted[i] : 0xA5) << i;
        }
      }
    });
  }
}

}  // namespace
}  // namespace penstock::inline v0
