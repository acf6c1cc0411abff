#include "audio/kernels/mel_kernel.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "core/each_target_for_test.hpp"
#include "penstock/audio.hpp"

namespace penstock::inline v0 {
namespace {

std::vector<float> noise(std::size_t count, std::uint64_t seed) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    values[i] = static_cast<float>(static_cast<std::int64_t>(seed) >> 32) * 0x1p-31F;
  }
  return values;
}

struct Case {
  MelSettings settings;
  std::size_t waves;
  std::size_t samples;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  const auto add = [&all](std::size_t waves, std::size_t samples, MelSettings settings) {
    settings.sample_rate = 8000;
    all.push_back({settings, waves, samples});
  };
  add(37, 512, {});                                            // one frame per wave
  add(1, 512 + 128 * 40, {.db_mult = 20.0F});                  // many frames of one wave
  add(3, 512 + 128 * 20 + 5, {.power = 2, .db_mult = 10.0F});  // frames of two waves in one vector
  add(2, 700, {.n_fft = 256, .hop_length = 33, .center = true, .pad_mode = AudioPadding::reflect});
  add(2, 100,
      {.n_fft = 256, .win_length = 100, .center = true, .pad_mode = AudioPadding::edge, .power = 0.7});
  add(2, 900, {.n_fft = 401, .hop_length = 160, .center = true, .n_mels = 23, .htk = true});  // odd and prime
  add(1, 900, {.n_fft = 360, .window = AudioWindow::hamming, .norm = MelNorm::none});
  add(1, 900, {.n_fft = 2, .hop_length = 3, .n_mels = 1});
  add(1, 20000, {.n_fft = 8192, .hop_length = 1000, .n_mels = 128});
  return all;
}

/// As bits, with one NaN for all.
std::vector<std::uint32_t> bits_of(const std::vector<float>& values) {
  std::vector<std::uint32_t> bits;
  for (const float value : values) {
    bits.push_back(std::isnan(value) ? 0x7fc00000 : std::bit_cast<std::uint32_t>(value));
  }
  return bits;
}

template <class T>
std::vector<T> run(const Case& c, const std::vector<float>& waves, T fill) {
  auto mel = MelSpectrogram::make(c.settings);
  const auto frames = mel->frames(c.samples);
  const std::size_t size = c.waves * static_cast<std::size_t>(c.settings.n_mels) * *frames;
  std::vector<T> out(size + 1, fill);
  EXPECT_TRUE(mel->run(waves.data(), c.waves, c.samples, out.data()).ok());
  EXPECT_EQ(std::memcmp(&out.back(), &fill, sizeof fill), 0) << "written past the end";
  out.pop_back();
  return out;
}

TEST(mel_kernel, targets_are_equal_bit_for_bit) {
  print_untried_targets();
  for (const Case& c : cases()) {
    SCOPED_TRACE(testing::Message() << "n_fft " << c.settings.n_fft << ", samples " << c.samples);
    auto waves = noise(c.waves * c.samples, 7);
    waves.back() = std::numeric_limits<float>::quiet_NaN();
    waves[c.samples / 2] = 1e30F;  // infinite when squared
    std::vector<float> expected;
    std::vector<std::uint16_t> expected_halves;
    for_each_target([&](CpuTarget target) {
      ASSERT_EQ(mel_target(), target);
      const auto floats = run(c, waves, -7.0F);
      const auto halves = run(c, waves, std::uint16_t{0xbeef});
      if (target == CpuTarget::scalar) {
        expected = floats;
        expected_halves = halves;
      }
      ASSERT_EQ(bits_of(floats), bits_of(expected));
      for (std::size_t i = 0; i < halves.size(); ++i) {
        const bool both_nan = (halves[i] & 0x7fff) > 0x7c00 && (expected_halves[i] & 0x7fff) > 0x7c00;
        ASSERT_TRUE(both_nan || halves[i] == expected_halves[i]) << i;
      }
    });
  }
}

TEST(mel_kernel, halves_are_the_floats_rounded) {
  const Case c{{.sample_rate = 8000, .db_mult = 20.0F}, 3, 2000};
  const auto waves = noise(c.waves * c.samples, 3);
  for_each_target([&](CpuTarget) {
    const auto floats = run(c, waves, 0.0F);
    const auto halves = run(c, waves, std::uint16_t{0});
    for (std::size_t i = 0; i < floats.size(); ++i) {
      ASSERT_EQ(halves[i], half_of(floats[i]));
    }
  });
}

TEST(mel_kernel, half_of_rounds_to_nearest_even) {
  const std::pair<float, int> known[] = {
      {0.0F, 0x0000},         {-0.0F, 0x8000},        {1.0F, 0x3c00},           {-2.0F, 0xc000},
      {65504.0F, 0x7bff},     {65519.0F, 0x7bff},     {65520.0F, 0x7c00},       {1e10F, 0x7c00},
      {0x1p-24F, 0x0001},     {0x1p-25F, 0x0000},     {0x1.8p-24F, 0x0002},     {0x1p-14F, 0x0400},
      {0x1.ff8p-15F, 0x03ff}, {1 + 0x1p-11F, 0x3c00}, {1 + 0x1.8p-10F, 0x3c02}, {-HUGE_VALF, 0xfc00}};
  for (const auto& [value, half] : known) {
    EXPECT_EQ(half_of(value), half) << value;
  }
  EXPECT_GT(half_of(NAN) & 0x7fff, 0x7c00);
}

TEST(mel_kernel, logarithms_are_right_to_the_last_digits) {
  std::vector<float> values = {1e-10F, 1.0F, 10.0F, 0.70710677F, 0.7071068F, 3e38F, 1.2e-38F};
  for (int i = 0; i < 5000; ++i) {
    values.push_back(static_cast<float>(std::pow(10.0, -37.9 + 0.0152 * i)));
  }
  std::vector<float> out(values.size());
  for_each_target([&](CpuTarget) {
    scaled_log10(values.data(), values.size(), std::numeric_limits<float>::min(), 1.0F, out.data());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double exact = std::log10(static_cast<double>(values[i]));
      ASSERT_NEAR(out[i], exact, 1.2e-7 * std::max(1.0, std::abs(exact))) << values[i];
    }
  });
}

TEST(mel_kernel, logarithms_of_odd_values) {
  const float values[] = {0.0F, -1.0F, std::numeric_limits<float>::quiet_NaN(), HUGE_VALF, 1e-20F};
  for_each_target([&](CpuTarget) {
    float out[5];
    scaled_log10(values, 5, 1e-10F, 20.0F, out);
    EXPECT_FLOAT_EQ(out[0], -200.0F);
    EXPECT_FLOAT_EQ(out[1], -200.0F);
    EXPECT_TRUE(std::isnan(out[2]));
    EXPECT_EQ(out[3], HUGE_VALF);
    EXPECT_FLOAT_EQ(out[4], -200.0F);
  });
}

}  // namespace
}  // namespace penstock::inline v0
