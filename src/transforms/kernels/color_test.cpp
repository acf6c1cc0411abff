#include "transforms/kernels/color.hpp"

#include <gtest/gtest.h>

#include "transforms/kernels/byte_tables.hpp"
#include "transforms/kernels/every_target_for_test.hpp"

namespace penstock::inline v0 {
namespace {

float factor_of(unsigned seed) { return static_cast<float>(seed % 3001) / 1000.0F; }

ByteTable random_table(unsigned seed) {
  std::mt19937 random(seed);
  ByteTable table;
  for (auto& value : table) {
    value = static_cast<std::uint8_t>(random());
  }
  return table;
}

TEST(ColorKernels, run_the_target_that_is_forced) {
  for_each_target([](CpuTarget target) {
    EXPECT_EQ(color_target(), target);
    EXPECT_EQ(tables_target(), target);
  });
}

TEST(ByteTables, one_table_is_the_same_on_every_target) {
  for (const int channels : {1, 3, 4}) {
    check_every_target(channels, channels, [](const ConstPixelRows& in, const PixelRows& out, unsigned seed) {
      apply_table(in, out, random_table(seed));
    });
  }
}

TEST(ByteTables, a_table_for_each_channel_is_the_same_on_every_target) {
  for (const int channels : {1, 3, 4}) {
    check_every_target(channels, channels,
                       [&](const ConstPixelRows& in, const PixelRows& out, unsigned seed) {
                         const ByteTable tables[4] = {random_table(seed), random_table(seed + 1),
                                                      random_table(seed + 2), random_table(seed + 3)};
                         apply_tables(in, out, std::span(tables).first(static_cast<std::size_t>(channels)));
                       });
  }
}

TEST(ByteTables, masks_and_any_other_table_give_what_the_table_says_for_every_byte) {
  std::vector<ByteTable> tables = {identity_table(), invert_table(), random_table(3), random_table(4)};
  for (int bits = 0; bits <= 8; ++bits) {
    tables.push_back(posterize_table(bits));
    tables.push_back(joined(posterize_table(bits), invert_table()));
    for (const double threshold : {0.0, 1.0, 100.5, 128.0, 255.0, 256.0}) {
      tables.push_back(joined(solarize_table(threshold), posterize_table(bits)));
    }
  }
  const std::size_t with_form = tables.size();
  for (int i = 7; i < 256; i += 7) {  // one value is another
    tables.push_back(posterize_table(i % 9));
    tables.back()[static_cast<std::size_t>(i)] ^= 5;
  }
  for_each_target([&](CpuTarget) {
    std::array<std::uint8_t, 256 + kRowSlack> room{};
    const ByteTable in = identity_table();
    std::copy(in.begin(), in.end(), room.begin());
    for (std::size_t i = 0; i < tables.size(); ++i) {
      const ByteMap map({&tables[i], 1});
      EXPECT_EQ(masked_table(tables[i]).has_value(), i < with_form && i != 2 && i != 3) << i;
      ByteTable out{};
      map.apply({room.data(), 256, {256, 1}, 1}, {out.data(), 256, {256, 1}, 1});
      ASSERT_EQ(out, tables[i]) << i;
      apply_table({room.data(), 256, {256, 1}, 1}, {out.data(), 256, {256, 1}, 1}, tables[i]);
      ASSERT_EQ(out, tables[i]) << i;
    }
  });
}

TEST(ByteTables, say_what_they_are_called_for) {
  EXPECT_EQ(solarize_table(128)[127], 127);
  EXPECT_EQ(solarize_table(128)[128], 127);
  EXPECT_EQ(solarize_table(256), identity_table());
  EXPECT_EQ(solarize_table(100.5)[100], 100);
  EXPECT_EQ(solarize_table(100.5)[101], 154);
  EXPECT_EQ(posterize_table(8), identity_table());
  EXPECT_EQ(posterize_table(3)[0xFF], 0xE0);
  EXPECT_EQ(posterize_table(0)[0xFF], 0);
  EXPECT_EQ(joined(invert_table(), invert_table()), identity_table());
  EXPECT_EQ(autocontrast_table(10, 10), identity_table());
  EXPECT_EQ(autocontrast_table(10, 20)[10], 0);
  EXPECT_EQ(autocontrast_table(10, 20)[20], 255);
  std::array<std::uint32_t, 256> one_level{};
  one_level[7] = 1000;
  EXPECT_EQ(equalize_table(one_level), identity_table());
}

TEST(Gray, is_the_same_on_every_target) {
  for (const int channels : {3, 4}) {
    for (const int out_channels : {1, channels}) {
      check_every_target(channels, out_channels,
                         [](const ConstPixelRows& in, const PixelRows& out, unsigned) { to_gray(in, out); });
    }
  }
}

TEST(Gray, the_mean_is_that_of_the_gray_values_on_every_target) {
  for_each_target([](CpuTarget) {
    std::mt19937 random(8);
    for (const ImageSize size : kOddSizes) {
      for (const int channels : {1, 3, 4}) {
        GuardedImage in(size, channels, random);
        in.fill(random);
        std::uint64_t sum = 0;
        for (int y = 0; y < size.height; ++y) {
          for (int x = 0; x < size.width; ++x) {
            const std::uint8_t* p = in.rows().row(y) + static_cast<std::ptrdiff_t>(x) * channels;
            sum += channels == 1 ? p[0] : gray_of(p[0], p[1], p[2]);
          }
        }
        const auto pixels = static_cast<std::uint64_t>(size.width * size.height);
        ASSERT_EQ(gray_mean(in.rows()), (2 * sum + pixels) / (2 * pixels));
      }
    }
  });
}

TEST(Saturation, is_the_same_on_every_target) {
  for (const int channels : {1, 3, 4}) {
    check_every_target(channels, channels, [](const ConstPixelRows& in, const PixelRows& out, unsigned seed) {
      adjust_saturation(in, out, factor_of(seed));
    });
  }
}

TEST(Hue, is_the_same_on_every_target) {
  for (const int channels : {1, 3, 4}) {
    check_every_target(channels, channels, [](const ConstPixelRows& in, const PixelRows& out, unsigned seed) {
      adjust_hue(in, out, static_cast<std::uint8_t>(seed));
    });
  }
}

// Every 7th of all colours, each with a shift of its own.
TEST(Hue, of_colours_from_the_whole_cube_is_the_same_on_every_target) {
  constexpr int kWidth = 4096;
  std::vector<std::uint8_t> in(kWidth * 3 + kRowSlack), wanted(kWidth * 3), got(kWidth * 3);
  const auto run = [&](CpuTarget target, std::uint8_t shift, std::vector<std::uint8_t>& out) {
    ASSERT_TRUE(force_cpu_target_for_test(target).ok());
    adjust_hue({in.data(), kWidth * 3, {kWidth, 1}, 3}, {out.data(), kWidth * 3, {kWidth, 1}, 3}, shift);
  };
  for_each_target([&](CpuTarget target) {
    for (std::uint32_t color = 0; color < 1U << 24;) {
      for (std::size_t x = 0; x < kWidth; ++x, color += 7) {
        for (std::size_t c = 0; c < 3; ++c) {
          in[x * 3 + c] = static_cast<std::uint8_t>(color >> (8 * c));
        }
      }
      const auto shift = static_cast<std::uint8_t>(color >> 13);
      run(CpuTarget::scalar, shift, wanted);
      run(target, shift, got);
      ASSERT_EQ(got, wanted);
    }
  });
}

}  // namespace
}  // namespace penstock::inline v0
