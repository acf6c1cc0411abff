#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "penstock/audio.hpp"

namespace penstock::inline v0 {
namespace {

TEST(decibels, of_amplitudes_and_powers) {
  const float values[] = {1.0F, 0.1F, -10.0F, 0.0F};
  float out[4];
  ASSERT_TRUE(amplitude_to_db(values, 4, {.top_db = std::nullopt}, out).ok());
  EXPECT_FLOAT_EQ(out[0], 0.0F);
  EXPECT_FLOAT_EQ(out[1], -20.0F);
  EXPECT_FLOAT_EQ(out[2], 20.0F);
  EXPECT_FLOAT_EQ(out[3], -100.0F);
  ASSERT_TRUE(amplitude_to_db(values, 4, {.ref = 10.0, .top_db = 80.0}, out).ok());
  EXPECT_FLOAT_EQ(out[2], 0.0F);
  EXPECT_FLOAT_EQ(out[3], -80.0F);
  ASSERT_TRUE(power_to_db(values, 2, {.amin = 1e-10, .top_db = 5.0}, out).ok());
  EXPECT_FLOAT_EQ(out[0], 0.0F);
  EXPECT_FLOAT_EQ(out[1], -5.0F);
}

TEST(decibels, refuse_impossible_settings) {
  float value = 1;
  EXPECT_FALSE(amplitude_to_db(&value, 1, {.amin = 0}, &value).ok());
  EXPECT_FALSE(amplitude_to_db(&value, 1, {.ref = NAN}, &value).ok());
  EXPECT_FALSE(amplitude_to_db(&value, 1, {.top_db = -1.0}, &value).ok());
}

TEST(mfcc, is_the_cosine_transform_of_decibels) {
  const MfccSettings settings{
      .mel = {.sample_rate = 8000, .power = 2, .n_mels = 40}, .n_mfcc = 13, .lifter = 22};
  std::vector<float> waves(2 * 3000);
  for (std::size_t i = 0; i < waves.size(); ++i) {
    waves[i] = static_cast<float>(std::sin(0.2 * static_cast<double>(i)) * (i < 3000 ? 1.0 : 0.001));
  }
  auto mel = MelSpectrogram::make(settings.mel);
  const std::size_t frames = *mel->frames(3000);
  std::vector<float> decibels(40 * frames);
  auto mfcc = Mfcc::make(settings);
  ASSERT_TRUE(mfcc.ok());
  std::vector<float> out(2 * 13 * frames);
  ASSERT_TRUE(mfcc->run(waves.data(), 2, 3000, out.data()).ok());
  for (std::size_t wave = 0; wave < 2; ++wave) {
    ASSERT_TRUE(mel->run(waves.data() + wave * 3000, 1, 3000, decibels.data()).ok());
    ASSERT_TRUE(power_to_db(decibels.data(), decibels.size(), {.amin = 1e-10}, decibels.data()).ok());
    for (std::size_t k = 0; k < 13; ++k) {
      const auto row = static_cast<double>(k);
      double sum = 0;
      for (std::size_t m = 0; m < 40; ++m) {
        sum += static_cast<double>(decibels[m * frames + 1]) *
               std::cos(std::numbers::pi * row * (2 * static_cast<double>(m) + 1) / 80);
      }
      sum *= std::sqrt((k == 0 ? 1.0 : 2.0) / 40) * (1 + 11 * std::sin(std::numbers::pi * (row + 1) / 22));
      EXPECT_NEAR(out[(wave * 13 + k) * frames + 1], sum, 2e-3) << k;
    }
  }
}

TEST(mfcc, refuses_impossible_settings) {
  EXPECT_FALSE(Mfcc::make({.mel = {.sample_rate = 8000}, .n_mfcc = 65}).ok());
  EXPECT_FALSE(Mfcc::make({.mel = {.sample_rate = 8000, .db_mult = 20.0F}}).ok());
  EXPECT_FALSE(Mfcc::make({.mel = {.sample_rate = 8000}, .lifter = -1}).ok());
  EXPECT_FALSE(Mfcc::make({.mel = {.sample_rate = 8000}, .top_db = -1.0}).ok());
}

}  // namespace
}  // namespace penstock::inline v0
