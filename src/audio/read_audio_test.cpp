#include "audio/read_audio.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <vector>

#include "audio/resample.hpp"
#include "codecs/test_recordings.hpp"
#include "io/temporary_folder_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using ::testing::HasSubstr;

constexpr int kRate = 8000;
constexpr int kFrames = 4000;

std::int16_t sample_of(int frame, int channel) { return static_cast<std::int16_t>(frame * 3 + channel * 7); }

/// Half a second of 16-bit samples.
std::vector<std::uint8_t> make_wav(int channels) {
  std::vector<std::int16_t> samples;
  for (int frame = 0; frame < kFrames; ++frame) {
    for (int channel = 0; channel < channels; ++channel) {
      samples.push_back(sample_of(frame, channel));
    }
  }
  return test::wav_of(samples, static_cast<std::uint16_t>(channels), kRate);
}

std::vector<float> read(AudioReader& reader, const ClipInfo& clip) {
  std::vector<float> out(clip.frames * static_cast<std::uint64_t>(clip.channels));
  EXPECT_TRUE(reader.read(out.data(), clip.frames));
  return out;
}

TEST(ReadAudio, slices_begin_and_end_at_the_frame) {
  const auto file = make_wav(1);
  AudioReader reader;
  for (int first = 0; first <= kFrames; first += 37) {
    for (const int count : {0, 1, 100, kFrames}) {
      const auto clip = reader.open(file, {.start = static_cast<double>(first) / kRate,
                                           .duration = static_cast<double>(count) / kRate});
      ASSERT_TRUE(clip) << clip.error().to_string();
      ASSERT_EQ(clip->frames, static_cast<std::uint64_t>(std::min(count, kFrames - first)));
      const std::vector<float> got = read(reader, *clip);
      for (std::size_t i = 0; i < got.size(); ++i) {
        ASSERT_EQ(got[i], static_cast<float>(sample_of(first + static_cast<int>(i), 0)) / 32768.0F);
      }
    }
  }
}

TEST(ReadAudio, every_frame_is_found_at_its_own_time) {
  for (const int rate : {1, 7, 8000, 11025, 44100, 48000, 192000}) {
    for (std::uint64_t frame = 0; frame < 2'000'000; frame += 997) {
      ASSERT_EQ(frame_at(static_cast<double>(frame) / rate, rate), frame) << rate;
    }
  }
  EXPECT_EQ(frame_at(0.99999, 1), 0U);
  EXPECT_GT(frame_at(1e300, 48000), 1ULL << 60);
}

TEST(ReadAudio, mono_is_the_mean_of_the_channels) {
  for (const int channels : {1, 2, 3, 6}) {
    const auto file = make_wav(channels);
    AudioReader reader;
    const auto clip = reader.open(file, {.start = 0.01});
    ASSERT_TRUE(clip);
    EXPECT_EQ(clip->channels, 1);
    const std::vector<float> mono = read(reader, *clip);
    const auto all = reader.open(file, {.start = 0.01, .mono = false});
    ASSERT_TRUE(all);
    ASSERT_EQ(all->channels, channels);
    ASSERT_EQ(all->frames, mono.size());
    const std::vector<float> planes = read(reader, *all);
    for (std::size_t i = 0; i < mono.size(); ++i) {
      float sum = 0;
      for (int c = 0; c < channels; ++c) {
        const float sample = planes[static_cast<std::size_t>(c) * mono.size() + i];
        ASSERT_EQ(sample, static_cast<float>(sample_of(static_cast<int>(i) + 80, c)) / 32768.0F);
        sum += sample;
      }
      ASSERT_EQ(mono[i], sum / static_cast<float>(channels));
    }
  }
}

TEST(ReadAudio, a_file_is_read_by_its_path_and_errors_name_it) {
  const TemporaryFolder folder;
  const auto bytes = make_wav(2);
  const std::string good = folder.write("good.wav", bytes);
  const auto audio = read_audio(good, {.start = 0.25, .mono = false});
  ASSERT_TRUE(audio) << audio.error().to_string();
  EXPECT_EQ(audio->frames, 2000U);
  EXPECT_EQ(audio->channels, 2);
  EXPECT_EQ(audio->rate, kRate);
  EXPECT_EQ(audio->samples[2000], static_cast<float>(sample_of(2000, 1)) / 32768.0F);
  const std::string cut = folder.write("cut.wav", ByteSpan(bytes).first(bytes.size() - 1));
  const auto damaged = read_audio(cut, {});
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().kind, ErrorKind::corrupt);
  EXPECT_THAT(damaged.error().to_string(), HasSubstr("cut.wav"));
  const auto missing = read_audio(folder.path() + "/none.wav", {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::not_found);
}

TEST(ReadAudio, impossible_requests_name_the_value) {
  const auto file = make_wav(1);
  AudioReader reader;
  const auto message = [&](const AudioRequest& request) {
    const auto clip = reader.open(file, request);
    return clip ? std::string() : clip.error().to_string();
  };
  EXPECT_THAT(message({.start = -1}), HasSubstr("start must be a non-negative number of seconds, got -1"));
  EXPECT_THAT(message({.start = std::nan("")}),
              HasSubstr("start must be a non-negative number of seconds, got nan"));
  EXPECT_THAT(message({.start = std::numeric_limits<double>::infinity()}),
              HasSubstr("start must be a non-negative number of seconds, got inf"));
  EXPECT_THAT(message({.start = 1}), HasSubstr("past the end of a recording of 0.5 seconds"));
  EXPECT_THAT(message({.duration = -0.5}),
              HasSubstr("duration must be a non-negative number of seconds, got -0.5"));
  EXPECT_THAT(message({.duration = std::nan("")}),
              HasSubstr("duration must be a non-negative number of seconds, got nan"));
  EXPECT_THAT(message({.sample_rate = 0}),
              HasSubstr("sample_rate must be between 1 and 16777216 frames per second, got 0"));
  EXPECT_EQ(message({.duration = std::numeric_limits<double>::infinity()}), "");
}

TEST(ReadAudio, a_clip_that_would_be_too_long_is_refused) {
  if (!can_resample().ok()) {
    GTEST_SKIP() << "built without soxr";
  }
  // Half a second of 1 Hz, so to speak: as the header says, its 4,000 frames last an hour.
  auto file = make_wav(1);
  const std::uint32_t rate = 1;
  std::memcpy(file.data() + 24, &rate, sizeof rate);
  AudioReader reader;
  const auto clip = reader.open(file, {.sample_rate = 1 << 24});
  ASSERT_FALSE(clip.ok());
  EXPECT_EQ(clip.error().kind, ErrorKind::unsupported);
  EXPECT_THAT(clip.error().message, HasSubstr("too long to be read at once"));
}

/// Noise, so that every sample is heard in those around it.
std::vector<std::uint8_t> noise_wav(int seconds, int rate, std::uint16_t channels) {
  std::vector<std::int16_t> samples;
  std::uint32_t random = 1;
  for (int i = 0; i < seconds * rate * channels; ++i) {
    random = random * 1664525 + 1013904223;
    samples.push_back(static_cast<std::int16_t>(random >> 17));
  }
  return test::wav_of(samples, channels, static_cast<std::uint32_t>(rate));
}

TEST(ReadAudio, the_start_of_a_resampled_recording_is_that_of_the_whole) {
  if (!can_resample()) {
    GTEST_SKIP() << "built without soxr";
  }
  AudioReader reader;
  for (const auto& [from, to] : {std::pair{8000, 4096}, {44100, 4096}, {11025, 8000}, {4000, 16000}}) {
    for (const std::uint16_t channels : {std::uint16_t{1}, std::uint16_t{3}}) {
      const auto file = noise_wav(4, from, channels);
      const auto whole = reader.open(file, {.sample_rate = to});
      ASSERT_TRUE(whole) << whole.error().to_string();
      const std::vector<float> all = read(reader, *whole);
      for (const double seconds : {0.001, 1.0, 2.0, 3.999, 4.0, 9.0}) {
        const auto clip = reader.open(
            file, {.duration = seconds, .sample_rate = to, .mono = true, .resample_past_end = true});
        ASSERT_TRUE(clip) << clip.error().to_string();
        ASSERT_EQ(clip->frames, std::min<std::uint64_t>(frame_at(seconds, to), all.size()));
        const std::vector<float> start = read(reader, *clip);
        EXPECT_TRUE(std::equal(start.begin(), start.end(), all.begin()))
            << from << " to " << to << ", " << seconds << " s of " << channels << " channels";
      }
    }
  }
}

TEST(Resample, counts_frames_without_overflow) {
  EXPECT_EQ(resampled_frames(8000, 8000, 16000), 16000U);
  EXPECT_EQ(resampled_frames(3, 2, 1), 2U);
  EXPECT_EQ(resampled_frames(0, 8000, 44100), 0U);
  EXPECT_EQ(resampled_frames(std::uint64_t{1} << 60, 48000, 48000), std::uint64_t{1} << 60);
  EXPECT_EQ(resampled_frames((std::uint64_t{1} << 38) * 7, 7, 1), std::uint64_t{1} << 38);
}

TEST(Resample, a_tone_stays_the_same_tone) {
  if (!can_resample()) {
    GTEST_SKIP() << "built without soxr";
  }
  const auto tone = [](int rate, std::uint64_t frames) {
    std::vector<float> wave(frames);
    for (std::size_t i = 0; i < wave.size(); ++i) {
      wave[i] =
          static_cast<float>(0.5 * std::sin(2 * std::numbers::pi * 440 * static_cast<double>(i) / rate));
    }
    return wave;
  };
  for (const auto& [from, to] : {std::pair{8000, 16000}, {44100, 16000}, {16000, 4096}, {48000, 48000}}) {
    const std::vector<float> in = tone(from, static_cast<std::uint64_t>(from) * 3);  // longer than a block
    std::vector<float> out(resampled_frames(in.size(), from, to) + 1, 7.0F);
    ASSERT_TRUE(resample(in.data(), in.size(), from, to, out.data()));
    EXPECT_EQ(out.back(), 7.0F);
    const std::vector<float> want = tone(to, out.size() - 1);
    for (std::size_t i = want.size() / 10; i < want.size() * 9 / 10; ++i) {
      ASSERT_NEAR(out[i], want[i], 1e-4) << from << " to " << to << ", frame " << i;
    }
  }
}

}  // namespace
}  // namespace penstock::inline v0
