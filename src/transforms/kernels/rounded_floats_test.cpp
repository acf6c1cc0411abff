#include "transforms/kernels/rounded_floats.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "core/each_target_for_test.hpp"
#include "core/half.hpp"

namespace penstock::inline v0 {
namespace {

/// Every exponent, ties, and what is no number if asked for.
std::vector<float> many_floats(bool with_nan) {
  std::mt19937 random(5);
  std::vector<float> floats = {0.0F,  -0.0F, 1.0F, 65504.0F, 65519.0F, 65520.0F,
                               1e-8F, 6e-8F, 3.0F, 0.5F,     INFINITY, -INFINITY};
  while (floats.size() < 5000) {
    const auto bits =
        static_cast<std::uint32_t>(random()) & (floats.size() % 2 == 0 ? 0xFFFFF000U : 0xFFFFFFFFU);
    const auto value = std::bit_cast<float>(bits);
    floats.push_back(std::isnan(value) && !with_nan ? 0.25F : value);
    floats.push_back(static_cast<float>(random() % 1200) / 1000 - 0.1F);
  }
  return floats;
}

template <class Element, class RoundOne>
void expect_same_on_every_target(ElementType type, const std::vector<float>& in, RoundOne one) {
  for_each_target([&](CpuTarget) {
    for (const std::size_t count :
         {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{33}, in.size()}) {
      std::vector<Element> out(count + 8, 0xA5);
      round_floats(in.data(), count, type, out.data());
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(out[i], one(in[i])) << in[i];
      }
      for (std::size_t i = count; i < out.size(); ++i) {
        ASSERT_EQ(out[i], 0xA5) << "written past the end";
      }
    }
  });
}

TEST(RoundedFloats, run_the_target_that_is_forced) {
  for_each_target([](CpuTarget target) { EXPECT_EQ(rounding_target(), target); });
}

TEST(RoundedFloats, are_the_same_on_every_target) {
  expect_same_on_every_target<std::uint16_t>(ElementType::float16, many_floats(false), half_of);
  expect_same_on_every_target<std::uint16_t>(ElementType::bfloat16, many_floats(true), bfloat_of);
  expect_same_on_every_target<std::uint8_t>(ElementType::uint8, many_floats(true), byte_of);
}

TEST(RoundedFloats, round_to_the_even_one_of_two_bfloats) {
  EXPECT_EQ(bfloat_of(1.0F), 0x3F80);
  EXPECT_EQ(bfloat_of(std::bit_cast<float>(0x3F808000U)), 0x3F80);  // half way, down to even
  EXPECT_EQ(bfloat_of(std::bit_cast<float>(0x3F818000U)), 0x3F82);  // half way, up to even
  EXPECT_EQ(bfloat_of(std::bit_cast<float>(0x3F808001U)), 0x3F81);
  EXPECT_EQ(bfloat_of(std::bit_cast<float>(0x7F7FFFFFU)), 0x7F80);  // the largest one becomes infinite
  EXPECT_EQ(bfloat_of(std::bit_cast<float>(0x7F800001U)), 0x7FC0);
}

TEST(RoundedFloats, give_every_value_of_an_image_back) {
  for (int value = 0; value < 256; ++value) {
    EXPECT_EQ(byte_of(static_cast<float>(value) / 255.0F), value);
  }
  for (int value = 0; value < 65536; ++value) {  // as torchvision shifts them
    ASSERT_EQ(byte_of(static_cast<float>(value) / 65535.0F), value >> 8);
  }
  EXPECT_EQ(byte_of(-0.5F), 0);
  EXPECT_EQ(byte_of(1.5F), 255);
  EXPECT_EQ(byte_of(NAN), 0);
}

}  // namespace
}  // namespace penstock::inline v0
