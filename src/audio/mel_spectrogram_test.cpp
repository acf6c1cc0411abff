#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "audio/mel_bank.hpp"
#include "core/counting_new_for_test.hpp"
#include "penstock/audio.hpp"

namespace penstock::inline v0 {
namespace {

/// With noise, so that no bin is nearly nothing.
std::vector<float> tones(std::size_t count) {
  std::vector<float> values(count);
  std::uint32_t random = 1;
  for (std::size_t i = 0; i < count; ++i) {
    const auto t = static_cast<double>(i);
    random = random * 1664525 + 1013904223;
    values[i] = static_cast<float>(0.4 * std::sin(0.3 * t) + 0.2 * std::sin(1.1 * t * (1 + t * 1e-5)) +
                                   0.1 * (static_cast<double>(random) * 0x1p-31 - 1));
  }
  return values;
}

/// By the definition, in double precision.
double expected_value(const MelSettings& s, const std::vector<float>& wave, std::size_t mel,
                      std::size_t frame) {
  const auto window = audio_window(s.window, s.win_length.value_or(s.n_fft), s.n_fft);
  const MelBank bank = MelBank::of(s);
  const MelBank::Row& row = bank.rows[mel];
  double sum = 0;
  for (int k = row.first; k < row.first + row.count; ++k) {
    std::complex<double> bin = 0;
    for (int i = 0; i < s.n_fft; ++i) {
      const long at = static_cast<long>(frame) * s.hop_length + i - (s.center ? s.n_fft / 2 : 0);
      const bool inside = at >= 0 && at < static_cast<long>(wave.size());
      const double value = inside ? static_cast<double>(wave[static_cast<std::size_t>(at)]) : 0.0;
      const double angle = -2 * std::numbers::pi * (static_cast<double>(k) * i / s.n_fft);
      bin += value * static_cast<double>(window[static_cast<std::size_t>(i)]) * std::polar(1.0, angle);
    }
    sum += std::pow(std::abs(bin), s.power) *
           static_cast<double>(bank.weights[row.weights + static_cast<std::size_t>(k - row.first)]);
  }
  return s.db_mult ? static_cast<double>(*s.db_mult) * std::log10(std::max(sum, 1e-10)) : sum;
}

void expect_definition(MelSettings settings, std::size_t samples) {
  settings.sample_rate = 8000;
  SCOPED_TRACE(testing::Message() << "n_fft " << settings.n_fft);
  const auto wave = tones(samples);
  auto mel = MelSpectrogram::make(settings);
  ASSERT_TRUE(mel.ok()) << mel.error().to_string();
  const std::size_t frames = *mel->frames(samples);
  std::vector<float> out(frames * static_cast<std::size_t>(settings.n_mels));
  ASSERT_TRUE(mel->run(wave.data(), 1, samples, out.data()).ok());
  double largest = 0;
  double error = 0;
  for (std::size_t m = 0; m < static_cast<std::size_t>(settings.n_mels); ++m) {
    for (const std::size_t t : {std::size_t{0}, frames / 2, frames - 1}) {
      const double exact = expected_value(settings, wave, m, t);
      largest = std::max(largest, std::abs(exact));
      error = std::max(error, std::abs(exact - static_cast<double>(out[m * frames + t])));
    }
  }
  EXPECT_LE(error, 2e-6 * largest);
}

TEST(mel_spectrogram, equals_its_definition_at_every_kind_of_size) {
  for (const int n_fft : {64, 128, 256, 512, 1024, 2, 6, 30, 63, 77, 101, 202, 400, 441}) {
    expect_definition({.n_fft = n_fft, .hop_length = 50, .n_mels = std::min(20, n_fft / 2)}, 2000);
  }
}

TEST(mel_spectrogram, equals_its_definition_with_other_settings) {
  expect_definition({.center = true}, 1500);
  expect_definition({.n_fft = 300, .win_length = 200, .window = AudioWindow::blackman, .power = 2}, 1500);
  expect_definition({.window = AudioWindow::bartlett, .power = 1.5, .htk = true, .norm = MelNorm::none},
                    1500);
  expect_definition({.fmin = 300, .fmax = 3000, .db_mult = 20.0F}, 1500);
}

TEST(mel_spectrogram, frames_are_counted_as_librosa_does) {
  const auto frames = [](MelSettings settings, std::size_t samples) {
    settings.sample_rate = 8000;
    return *MelSpectrogram::make(settings)->frames(samples);
  };
  EXPECT_EQ(frames({}, 512), 1U);
  EXPECT_EQ(frames({}, 639), 1U);
  EXPECT_EQ(frames({}, 640), 2U);
  EXPECT_EQ(frames({.center = true}, 1), 1U);
  EXPECT_EQ(frames({.center = true}, 1280), 11U);
  EXPECT_EQ(frames({.n_fft = 401, .hop_length = 100, .center = true}, 1000), 10U);
}

TEST(mel_spectrogram, refuses_waves_that_are_too_short) {
  const auto mel = MelSpectrogram::make({.sample_rate = 8000});
  const auto frames = mel->frames(511);
  ASSERT_FALSE(frames.ok());
  EXPECT_EQ(frames.error().kind, ErrorKind::invalid);
  EXPECT_THAT(frames.error().to_string(), testing::HasSubstr("511 samples"));
  EXPECT_FALSE(MelSpectrogram::make({.sample_rate = 8000, .center = true})->frames(0).ok());
}

TEST(mel_spectrogram, short_waves_are_mirrored_as_often_as_it_takes) {
  const MelSettings settings{.sample_rate = 8000,
                             .n_fft = 64,
                             .hop_length = 16,
                             .center = true,
                             .pad_mode = AudioPadding::reflect,
                             .n_mels = 8};
  MelSettings plain = settings;
  plain.center = false;
  for (const std::size_t samples : {1, 2, 3, 7, 31, 32, 33, 40}) {
    std::vector<float> wave(samples);
    for (std::size_t i = 0; i < samples; ++i) {
      wave[i] = static_cast<float>((i * 37 + 11) % 29) / 29;
    }
    std::vector<float> long_wave;  // walks to and fro between both ends
    const int last = static_cast<int>(samples) - 1;
    for (int i = -32; i < static_cast<int>(samples) + 32; ++i) {
      int at = i;
      while (last > 0 && (at < 0 || at > last)) {
        at = at < 0 ? -at : 2 * last - at;
      }
      long_wave.push_back(wave[static_cast<std::size_t>(last == 0 ? 0 : at)]);
    }
    auto mirrored = MelSpectrogram::make(settings).value();
    auto expected = MelSpectrogram::make(plain).value();
    const std::size_t frames = mirrored.frames(samples).value();
    ASSERT_EQ(frames, expected.frames(long_wave.size()).value());
    std::vector<float> got(8 * frames);
    std::vector<float> wanted(8 * frames);
    ASSERT_TRUE(mirrored.run(wave.data(), 1, samples, got.data()));
    ASSERT_TRUE(expected.run(long_wave.data(), 1, long_wave.size(), wanted.data()));
    EXPECT_EQ(got, wanted) << samples;
  }
}

TEST(mel_spectrogram, refuses_impossible_settings) {
  const std::pair<MelSettings, const char*> wrong[] = {
      {{}, "sample_rate"},
      {{.sample_rate = 8000, .n_fft = 1}, "n_fft"},
      {{.sample_rate = 8000, .hop_length = 0}, "hop_length"},
      {{.sample_rate = 8000, .win_length = 513}, "win_length"},
      {{.sample_rate = 8000, .power = 0}, "power"},
      {{.sample_rate = 8000, .power = NAN}, "power"},
      {{.sample_rate = 8000, .n_mels = 0}, "n_mels"},
      {{.sample_rate = 8000, .fmin = -1}, "fmin"},
      {{.sample_rate = 8000, .fmin = 4000}, "fmax"},
      {{.sample_rate = 8000, .db_mult = HUGE_VALF}, "db_mult"}};
  for (const auto& [settings, name] : wrong) {
    const auto mel = MelSpectrogram::make(settings);
    ASSERT_FALSE(mel.ok()) << name;
    EXPECT_EQ(mel.error().kind, ErrorKind::invalid);
    EXPECT_THAT(mel.error().message, testing::HasSubstr(name));
  }
}

TEST(mel_spectrogram, nan_stays_in_its_frames) {
  auto wave = tones(512 + 128 * 9);
  wave[700] = NAN;
  auto mel =
      MelSpectrogram::make({.sample_rate = 8000, .window = AudioWindow::rectangular, .db_mult = 20.0F});
  std::vector<float> out(64 * 10);
  ASSERT_TRUE(mel->run(wave.data(), 1, wave.size(), out.data()).ok());
  for (std::size_t t = 0; t < 10; ++t) {
    const bool holds_it = t * 128 <= 700 && 700 < t * 128 + 512;
    EXPECT_EQ(std::isnan(out[t]), holds_it) << t;
    EXPECT_EQ(std::isnan(out[63 * 10 + t]), holds_it) << t;
  }
}

TEST(mel_spectrogram, steady_calls_allocate_nothing) {
  const auto waves = tones(100 * 512);
  auto mel = MelSpectrogram::make({.sample_rate = 4096, .center = true, .db_mult = 20.0F});
  std::vector<std::uint16_t> out(100 * 64 * 5);
  ASSERT_TRUE(mel->run(waves.data(), 10, 512, out.data()).ok());
  const std::uint64_t before = allocations;
  ASSERT_TRUE(mel->run(waves.data(), 100, 512, out.data()).ok());
  EXPECT_EQ(allocations - before, 0U);
}

}  // namespace
}  // namespace penstock::inline v0
