#include "transforms/audio/audio_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "audio/resample.hpp"
#include "codecs/test_recordings.hpp"
#include "penstock/audio_transform.hpp"

namespace penstock::inline v0 {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using namespace transforms;
using Mel = transforms::MelSpectrogram;

constexpr AudioSpec kMono{.channels = 1, .rate = 8000, .bands = 0, .frames = 0};
constexpr AudioSpec kStereo{.channels = 2, .rate = 8000, .bands = 0, .frames = 0};

std::int16_t sample_of(std::size_t frame, std::size_t channel) {
  return static_cast<std::int16_t>(1 + frame * 5 + channel * 1000);
}

std::vector<std::uint8_t> wav(std::size_t frames, std::uint16_t channels = 1, std::uint32_t rate = 8000) {
  std::vector<std::int16_t> samples;
  for (std::size_t i = 0; i < frames * channels; ++i) {
    samples.push_back(sample_of(i / channels, i % channels));
  }
  return test::wav_of(samples, channels, rate);
}

struct Ran {
  std::vector<float> values;
  std::size_t frames = 0;
  std::size_t valid = 0;
  std::string error;
  bool in_place = false;  ///< decoded to where the result is wanted
};

Ran run(std::vector<TransformPtr> list, const AudioSpec& in, const std::vector<std::uint8_t>& file,
        std::uint64_t sample = 3, std::uint64_t epoch = 0) {
  const auto program = AudioProgram::compile(std::move(list), in);
  if (!program) {
    return {.values = {}, .frames = 0, .valid = 0, .error = program.error().to_string()};
  }
  auto workspace = program->make_workspace();
  EXPECT_TRUE(workspace);
  const RandomKey key{.seed = 1, .epoch = epoch, .sample = sample};
  const auto known = program->open(*workspace, file, key);
  Status done = known ? program->decode(*workspace, nullptr) : Status(known.error());
  if (done) {
    done = program->run(*workspace);
  }
  if (!done) {
    return {.values = {}, .frames = 0, .valid = 0, .error = done.error().to_string()};
  }
  AudioWave& wave = workspace->wave();
  EXPECT_EQ(wave.bands, program->output().bands);
  Ran ran{.values = {wave.data(), wave.data() + wave.rows() * wave.frames()},
          .frames = wave.frames(),
          .valid = wave.valid,
          .error = {}};
  if (*known > 0) {  // in memory of the caller nothing is different
    EXPECT_EQ(*known, ran.values.size());
    constexpr float kGuard = 77;
    std::vector<float> memory(*known + 16, kGuard);
    EXPECT_EQ(program->open(*workspace, file, key).value(), *known);
    EXPECT_TRUE(program->decode(*workspace, memory.data()));
    EXPECT_TRUE(program->run(*workspace));
    EXPECT_EQ(workspace->wave().data(), memory.data());
    EXPECT_EQ(workspace->wave().valid, ran.valid);
    EXPECT_EQ(std::vector<float>(memory.begin() + static_cast<std::ptrdiff_t>(*known), memory.end()),
              std::vector<float>(16, kGuard));
    memory.resize(*known);
    EXPECT_EQ(memory, ran.values);
    ran.in_place = true;
  }
  return ran;
}

float value_of(std::size_t frame, std::size_t channel) {
  return static_cast<float>(sample_of(frame, channel)) / 32768.0F;
}

TEST(AudioProgram, without_operations_gives_the_samples) {
  const Ran got = run({}, kStereo, wav(10, 2));
  ASSERT_EQ(got.frames, 10U) << got.error;
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(got.values[i], value_of(i % 10, i / 10));
  }
}

TEST(AudioProgram, lists_that_leave_values_where_they_are_need_no_copy) {
  const AudioSpec in{.channels = 2, .rate = 8000};
  const auto file = wav(700, 2);
  const auto in_place = [&](std::vector<TransformPtr> list) {
    const Ran ran = run(std::move(list), in, file);
    EXPECT_EQ(ran.error, "");
    return ran.in_place;
  };
  EXPECT_TRUE(in_place({}));
  EXPECT_TRUE(in_place({transforms::RandomTimeCrop{500}}));
  EXPECT_TRUE(in_place({transforms::PadTime{1000}}));  // longer than the file
  EXPECT_TRUE(in_place({transforms::PadTime{1000}, transforms::RandomGain{}, transforms::AddNoise{},
                        transforms::RandomPolarity{}}));
  EXPECT_TRUE(in_place({transforms::RandomGain{}}));
  EXPECT_FALSE(in_place({transforms::RandomGain{}, transforms::PadTime{1000}}));
  EXPECT_FALSE(in_place({transforms::ToMono{}}));
  EXPECT_FALSE(in_place({transforms::PadTime{1000}, transforms::MelSpectrogram{}}));
}

TEST(AudioProgram, another_rate_or_other_channels_are_refused_with_advice) {
  EXPECT_THAT(run({}, kMono, wav(10, 1, 16000)).error,
              AllOf(HasSubstr("16000 frames per second, but others have 8000"), HasSubstr("Resample(8000)")));
  EXPECT_THAT(run({}, kMono, wav(10, 2)).error,
              AllOf(HasSubstr("2 channels, but others have 1"), HasSubstr("ToMono()")));
  EXPECT_EQ(run({ToMono{}}, kMono, wav(10, 2)).error, "");
  // A filter bank is made for one rate.
  EXPECT_THAT(run({Mel{}}, kMono, wav(1000, 1, 16000)).error, HasSubstr("Resample(8000)"));
}

TEST(AudioProgram, crops_are_slices_at_drawn_places) {
  std::set<float> starts;
  for (std::uint64_t sample = 0; sample < 40; ++sample) {
    for (const bool first : {true, false}) {  // decoded in part, or cut from the whole
      std::vector<TransformPtr> list = {RandomTimeCrop{.frames = 4}};
      if (!first) {
        list.insert(list.begin(), ToMono{});
      }
      const Ran got = run(list, kMono, wav(10), sample);
      ASSERT_EQ(got.frames, 4U) << got.error;
      EXPECT_EQ(got.valid, 4U);
      for (std::size_t i = 1; i < 4; ++i) {
        EXPECT_FLOAT_EQ(got.values[i] - got.values[i - 1], 5 / 32768.0F);
      }
      starts.insert(got.values[0]);
    }
  }
  EXPECT_EQ(starts.size(), 7U);
  EXPECT_EQ(*starts.begin(), value_of(0, 0));
  EXPECT_EQ(*starts.rbegin(), value_of(6, 0));
}

TEST(AudioProgram, short_recordings_are_padded_and_keep_their_length) {
  for (const TransformPtr& operation :
       {TransformPtr(PadTime{.frames = 6}), TransformPtr(RandomTimeCrop{.frames = 6})}) {
    const Ran got = run({operation}, kStereo, wav(4, 2));
    ASSERT_EQ(got.frames, 6U) << got.error;
    EXPECT_EQ(got.valid, 4U);
    for (std::size_t channel = 0; channel < 2; ++channel) {
      EXPECT_EQ(got.values[channel * 6 + 3], value_of(3, channel));
      EXPECT_EQ(got.values[channel * 6 + 4], 0.0F);
      EXPECT_EQ(got.values[channel * 6 + 5], 0.0F);
    }
  }
  const Ran cut = run({PadTime{.frames = 3}}, kMono, wav(10));
  EXPECT_THAT(cut.values, ::testing::ElementsAre(value_of(0, 0), value_of(1, 0), value_of(2, 0)));
  EXPECT_THAT(run({PadTime{.frames = 2}}, kMono, wav(0)).values, ::testing::ElementsAre(0, 0));
}

TEST(AudioProgram, gain_and_polarity_stay_in_their_ranges) {
  int flipped = 0;
  for (std::uint64_t sample = 0; sample < 100; ++sample) {
    const Ran got = run({RandomGain{.db = {-20, -6}}, RandomPolarity{}}, kMono, wav(5), sample);
    const float factor = got.values[4] / value_of(4, 0);
    EXPECT_GE(std::abs(factor), 0.0999F);
    EXPECT_LE(std::abs(factor), 0.5013F);
    flipped += factor < 0;
  }
  EXPECT_GT(flipped, 25);
  EXPECT_LT(flipped, 75);
}

TEST(AudioProgram, noise_has_the_power_that_was_asked_for_and_spares_the_padding) {
  const auto file = wav(4000);
  const Ran plain = run({}, kMono, file);
  const Ran noisy = run({PadTime{.frames = 5000}, AddNoise{.snr = {20, 20}}}, kMono, file);
  double signal = 0;
  double noise = 0;
  for (std::size_t i = 0; i < 4000; ++i) {
    signal += plain.values[i] * plain.values[i];
    noise += std::pow(noisy.values[i] - plain.values[i], 2);
  }
  EXPECT_NEAR(10 * std::log10(signal / noise), 20, 0.3);
  EXPECT_EQ(noisy.values[4500], 0.0F);
  EXPECT_EQ(run({AddNoise{.p = 0}}, kMono, file).values, plain.values);
}

TEST(AudioProgram, draws_are_a_function_of_seed_epoch_sample_and_place_in_the_list) {
  const std::vector<TransformPtr> list = {
      RandomTimeCrop{.frames = 2000}, AddNoise{}, Mel{}, AmplitudeToDB{}, TimeMasking{.width = 5},
      FrequencyMasking{.width = 9}};
  const auto file = wav(6000);
  const Ran once = run(list, kMono, file, 7, 2);
  ASSERT_EQ(once.error, "");
  EXPECT_EQ(run(list, kMono, file, 7, 2).values, once.values);
  EXPECT_NE(run(list, kMono, file, 8, 2).values, once.values);
  EXPECT_NE(run(list, kMono, file, 7, 3).values, once.values);
}

TEST(AudioProgram, features_equal_those_of_the_library) {
  const auto file = wav(3000, 2);
  const Ran got = run({Mel{.n_mels = 20}}, kStereo, file);
  ASSERT_EQ(got.error, "");
  MelSettings settings;
  settings.sample_rate = 8000;
  settings.n_mels = 20;
  auto mel = penstock::MelSpectrogram::make(settings);
  ASSERT_TRUE(mel);
  const Ran waves = run({}, kStereo, file);
  std::vector<float> expected(2 * 20 * *mel->frames(3000));
  ASSERT_TRUE(mel->run(waves.values.data(), 2, 3000, expected.data()));
  EXPECT_EQ(got.values, expected);
  EXPECT_EQ(got.frames, *mel->frames(3000));
  // A padded recording keeps the number of frames that hold some of it.
  const Ran padded = run({PadTime{.frames = 5000}, Mel{.n_mels = 20}}, kStereo, file);
  EXPECT_EQ(padded.valid, *mel->frames(3000));
  EXPECT_EQ(padded.frames, *mel->frames(5000));
  EXPECT_EQ(run({MFCC{.n_mfcc = 13}}, kStereo, file).values.size(), 2 * 13 * got.frames);
  EXPECT_THAT(run({Mel{}}, kMono, wav(100)).error, HasSubstr("too short for one frame"));
}

TEST(AudioProgram, masks_are_runs_of_at_most_their_width) {
  std::set<std::size_t> widths;
  for (std::uint64_t sample = 0; sample < 60; ++sample) {
    const Ran got = run({TimeMasking{.width = 3, .value = -1}}, kMono, wav(8), sample);
    std::size_t masked = 0;
    std::size_t edges = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      masked += got.values[i] == -1.0F;
      edges += i > 0 && (got.values[i] == -1.0F) != (got.values[i - 1] == -1.0F);
    }
    EXPECT_LE(edges, 2U);
    widths.insert(masked);
  }
  EXPECT_THAT(widths, ::testing::ElementsAre(0, 1, 2, 3));
}

TEST(AudioProgram, lists_that_cannot_be_are_refused) {
  const auto message = [](std::vector<TransformPtr> list) {
    const auto program = AudioProgram::compile(std::move(list), kMono);
    return program ? std::string() : program.error().to_string();
  };
  EXPECT_THAT(message({Mel{}, Resample{.rate = 4000}}), HasSubstr("Resample works on waves"));
  EXPECT_THAT(message({AmplitudeToDB{}}), HasSubstr("works on spectrograms"));
  EXPECT_THAT(message({FrequencyMasking{.width = 3}}), HasSubstr("works on spectrograms"));
  EXPECT_THAT(message({RandomHorizontalFlip{}}), HasSubstr("works on images, not on recordings"));
  EXPECT_THAT(message({PadTime{.frames = 100}, Mel{}}), HasSubstr("too short for one frame"));
  EXPECT_THAT(message({RandomGain{.db = {3, -3}}}),
              HasSubstr("RandomGain: db must be (min, max) between -300 and 300, got (3, -3)"));
  EXPECT_THAT(message({AddNoise{.p = 2}}), HasSubstr("AddNoise: p must be between 0 and 1, got 2"));
  EXPECT_THAT(message({Resample{.rate = 0}}),
              HasSubstr("Resample: rate must be between 1 and 16777216, got 0"));
  EXPECT_THAT(message({Mel{.n_mels = -1}}), HasSubstr("MelSpectrogram"));
}

TEST(AudioProgram, resampling_makes_rates_equal) {
  if (!can_resample()) {
    GTEST_SKIP() << "built without soxr";
  }
  const std::vector<TransformPtr> list = {Resample{.rate = 8000}, PadTime{.frames = 100}};
  for (const std::uint32_t rate : {4000U, 8000U, 16000U}) {
    const Ran got = run(list, kMono, wav(60, 1, rate));
    ASSERT_EQ(got.error, "") << rate;
    EXPECT_EQ(got.frames, 100U);
    EXPECT_EQ(got.valid, std::min<std::size_t>(100, 60 * 8000 / rate));
  }
}

}  // namespace
}  // namespace penstock::inline v0
