#include "transforms/kernels/half_floats.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <vector>

#include "core/each_target_for_test.hpp"
#include "core/half.hpp"

namespace penstock::inline v0 {
namespace {

TEST(HalfFloats, runs_the_target_that_is_forced) {
  for_each_target([](CpuTarget target) { EXPECT_EQ(half_target(), target); });
}

TEST(HalfFloats, are_the_same_on_every_target) {
  std::mt19937 random(5);
  std::vector<float> in = {0.0F, -0.0F, 1.0F, 65504.0F, 65519.0F, 65520.0F, 1e-8F, 6e-8F, -INFINITY, 3.0F};
  while (in.size() < 5000) {  // every exponent, and ties
    const auto bits = static_cast<std::uint32_t>(random()) & (in.size() % 2 == 0 ? 0xFFFFF000U : 0xFFFFFFFFU);
    const auto value = std::bit_cast<float>(bits);
    in.push_back(std::isnan(value) ? 0.25F : value);
  }
  for_each_target([&](CpuTarget) {
    for (const std::size_t count :
         {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{33}, in.size()}) {
      std::vector<std::uint16_t> out(count + 8, 0xA5A5);
      to_half(in.data(), count, out.data());
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(out[i], half_of(in[i])) << in[i];
      }
      for (std::size_t i = count; i < out.size(); ++i) {
        ASSERT_EQ(out[i], 0xA5A5) << "written past the end";
      }
    }
  });
}

}  // namespace
}  // namespace penstock::inline v0
