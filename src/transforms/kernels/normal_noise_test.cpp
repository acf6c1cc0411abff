#include "transforms/kernels/normal_noise.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/each_target_for_test.hpp"

namespace penstock::inline v0 {
namespace {

constexpr Draws::State kStart{.key = {123456789, 987654321}, .sample = 0x100000005, .op = 3, .drawn = 6};

std::vector<float> some_noise(std::size_t count, std::uint32_t first = 0) {
  std::vector<float> noise(count + 64);
  normal_noise(kStart, first, count, noise.data());
  noise.resize(count);
  return noise;
}

TEST(NormalNoise, runs_the_target_that_is_forced_and_gives_the_same_on_each) {
  std::vector<float> scalar;
  for_each_target([&](CpuTarget target) {
    EXPECT_EQ(noise_target(), target);
    const std::vector<float> noise = some_noise(10007);
    scalar = target == CpuTarget::scalar ? noise : scalar;
    EXPECT_TRUE(noise == scalar);
  });
}

TEST(NormalNoise, is_box_and_mullers_of_the_blocks_that_follow) {
  const std::vector<float> noise = some_noise(4000);
  for (std::uint32_t block = 0; block < 1000; ++block) {
    // The blocks after the two that hold the numbers drawn so far.
    const auto words = detail::philox4x32_10({5, 1, 3, block + 2}, kStart.key);
    const auto between = [](std::uint32_t word) { return ((word >> 9) + 0.5) * 0x1p-23; };
    for (std::size_t pair = 0; pair < 2; ++pair) {
      const double radius = std::sqrt(-2 * std::log(between(words[2 * pair])));
      const double angle = 2 * M_PI * between(words[2 * pair + 1]);
      ASSERT_NEAR(noise[4 * block + 2 * pair], radius * std::cos(angle), 2e-6);
      ASSERT_NEAR(noise[4 * block + 2 * pair + 1], radius * std::sin(angle), 2e-6);
    }
  }
  const std::vector<float> later = some_noise(40, 100);
  EXPECT_TRUE(std::equal(later.begin(), later.end(), noise.begin() + 400));
}

TEST(NormalNoise, is_distributed_normally) {
  std::vector<float> noise = some_noise(200000);
  std::sort(noise.begin(), noise.end());
  const auto n = static_cast<double>(noise.size());
  double distance = 0;
  for (std::size_t i = 0; i < noise.size(); ++i) {
    const double expected = 0.5 * std::erfc(-noise[i] / std::sqrt(2.0));
    distance = std::max(distance, std::abs(expected - static_cast<double>(i) / n));
  }
  EXPECT_LT(distance * std::sqrt(n), 1.95);  // Kolmogorov and Smirnov: one in a thousand
}

TEST(NormalNoise, is_added_to_bytes_in_whole_numbers) {
  const std::vector<float> noise = some_noise(300);
  std::vector<float> padded = noise;
  padded.resize(noise.size() + 64);
  std::vector<std::uint8_t> in(300 + 64);
  std::iota(in.begin(), in.end(), std::uint8_t{0});
  for (const bool clip : {true, false}) {
    for (const bool fourth : {true, false}) {
      for_each_target([&](CpuTarget) {
        std::vector<std::uint8_t> out(301, 0xA5);
        add_noise(in.data(), 300, fourth, padded.data(), {.shift = 3.5F, .scale = 40.0F, .clip = clip},
                  out.data());
        for (std::size_t i = 0; i < 300; ++i) {
          const float scaled = noise[i] * 40.0F;
          const int sum = in[i] + static_cast<int>(scaled + 3.5F);
          const int wanted = fourth && i % 4 == 3 ? in[i] : clip ? std::clamp(sum, 0, 255) : sum & 255;
          ASSERT_EQ(int{out[i]}, wanted) << i;
        }
        EXPECT_EQ(out[300], 0xA5);
      });
    }
  }
}

}  // namespace
}  // namespace penstock::inline v0
