// Every audio codec of the catalogue, by being listed there: what is told is what is delivered, a run of
// frames is the part of the whole recording, all CPU targets agree, and files that are cut are refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "codecs/audio_catalog.hpp"
#include "codecs/material_for_test.hpp"
#include "codecs/test_recordings.hpp"
#include "core/each_target_for_test.hpp"

namespace penstock::test {
namespace {

using Recording = AudioMaterial::Recording;

Recording noise(std::size_t frames, std::uint16_t channels, std::uint32_t rate) {
  Recording recording{.samples = {}, .channels = channels, .rate = rate};
  std::mt19937 random(static_cast<unsigned>(frames) + channels);
  for (std::size_t i = 0; i < frames * channels; ++i) {
    recording.samples.push_back(static_cast<std::int16_t>(random()));
  }
  return recording;
}

/// One channel after the other.
Result<std::vector<float>> frames_of(AudioDecoder& decoder, int channels, std::uint64_t start,
                                     std::uint64_t count) {
  constexpr float kGuard = 12345.0F;
  const auto stride = static_cast<std::size_t>(count) + 3;
  std::vector<float> memory(stride * static_cast<std::size_t>(channels), kGuard);
  PENSTOCK_TRY(decoder.decode(start, count, memory.data(), stride));
  std::vector<float> frames;
  for (std::size_t channel = 0; channel < static_cast<std::size_t>(channels); ++channel) {
    const auto from = memory.begin() + static_cast<std::ptrdiff_t>(channel * stride);
    frames.insert(frames.end(), from, from + static_cast<std::ptrdiff_t>(count));
    EXPECT_TRUE(std::all_of(from + static_cast<std::ptrdiff_t>(count),
                            from + static_cast<std::ptrdiff_t>(stride),
                            [](float it) { return it == kGuard; }))
        << "written past a channel";
  }
  return frames;
}

class every_audio_codec : public testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    const auto found = AudioMaterial::of_codecs().find(audio_codecs()[GetParam()].name);
    ASSERT_NE(found, AudioMaterial::of_codecs().end())
        << "there are no files of it: add an AudioMaterial to the test beside the codec";
    make_ = found->second.file;
    AudioDecoder decoder;
    if (const auto opened = decoder.open(make_(noise(300, 1, 8000)));
        !opened.ok() && opened.error().kind == ErrorKind::unsupported) {
      GTEST_SKIP() << opened.error().message;  // a build without what reads it
    }
  }

  /// Calls `check(file, recording)`.
  template <class Check>
  void for_each_file(Check check) const {
    for (const std::size_t frames : {1u, 2u, 17u, 255u, 256u, 257u, 5000u}) {
      for (const std::uint16_t channels : {std::uint16_t{1}, std::uint16_t{2}, std::uint16_t{5}}) {
        SCOPED_TRACE(fmt::format("{} frames of {} channels", frames, channels));
        const Recording recording = noise(frames, channels, frames % 2 == 0 ? 8000 : 44100);
        check(make_(recording), recording);
        if (HasFailure()) {
          return;
        }
      }
    }
  }

  std::function<AudioBytes(const Recording&)> make_;
};

TEST_P(every_audio_codec, names_files_by_their_content) {
  for_each_file([&](const AudioBytes& file, const Recording&) {
    const std::string_view name = audio_catalog().extension_for(file);
    const auto names = audio_codecs()[GetParam()].extensions;
    EXPECT_TRUE(std::any_of(names.begin(), names.end(), [name](const FileExtension& it) {
      return it.text == name;
    })) << name;
    EXPECT_TRUE(audio_catalog().reads(name));
  });
}

TEST_P(every_audio_codec, delivers_what_it_tells) {
  for_each_file([&](const AudioBytes& file, const Recording& recording) {
    AudioDecoder decoder;
    const auto info = decoder.open(file);
    ASSERT_TRUE(info.ok()) << info.error().to_string();
    EXPECT_EQ(decoder.codec(), GetParam());
    EXPECT_EQ(info->frames, recording.samples.size() / recording.channels);
    EXPECT_EQ(info->channels, recording.channels);
    EXPECT_EQ(info->rate, static_cast<int>(recording.rate));
    EXPECT_FALSE(info->repaired);
    const auto frames = frames_of(decoder, info->channels, 0, info->frames);
    ASSERT_TRUE(frames.ok()) << frames.error().to_string();
    for (std::size_t i = 0; i < recording.samples.size(); ++i) {
      const std::size_t place =
          i % recording.channels * static_cast<std::size_t>(info->frames) + i / recording.channels;
      ASSERT_EQ((*frames)[place], static_cast<float>(recording.samples[i]) / 32768.0F) << i;
    }
  });
}

TEST_P(every_audio_codec, gives_of_a_run_that_part_of_the_recording) {
  for_each_file([&](const AudioBytes& file, const Recording&) {
    AudioDecoder decoder;
    const AudioInfo info = decoder.open(file).value();
    const auto whole = frames_of(decoder, info.channels, 0, info.frames).value();
    std::mt19937_64 random(7);
    for (int i = 0; i < 20; ++i) {
      const std::uint64_t start = random() % info.frames;
      const std::uint64_t count = 1 + random() % (info.frames - start);
      const auto run = frames_of(decoder, info.channels, start, count);
      ASSERT_TRUE(run.ok()) << run.error().to_string();
      for (std::uint64_t channel = 0; channel < static_cast<std::uint64_t>(info.channels); ++channel) {
        ASSERT_TRUE(std::equal(run->begin() + static_cast<std::ptrdiff_t>(channel * count),
                               run->begin() + static_cast<std::ptrdiff_t>((channel + 1) * count),
                               whole.begin() + static_cast<std::ptrdiff_t>(channel * info.frames + start)));
      }
    }
  });
}

TEST_P(every_audio_codec, gives_on_every_target_what_scalar_code_gives) {
  std::vector<std::vector<float>> scalar;
  for_each_target([&](CpuTarget target) {
    std::vector<std::vector<float>> found;
    for_each_file([&](const AudioBytes& file, const Recording&) { found.push_back(decode_all(file)); });
    if (target == CpuTarget::scalar) {
      scalar = found;
    }
    EXPECT_TRUE(found == scalar);
  });
}

TEST_P(every_audio_codec, refuses_files_that_are_cut) {
  AudioDecoder decoder;
  for_each_file([&](const AudioBytes& file, const Recording&) {
    const std::vector<float> whole = decode_all(file);
    const std::size_t step = std::max<std::size_t>(1, file.size() / 60);
    for (std::size_t length = 0; length < file.size(); length += length < 64 ? 1 : step) {
      const AudioBytes cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(length));
      const auto checked = check_audio(decoder, cut);
      if (checked.ok()) {
        EXPECT_TRUE(decode_all(cut) == whole) << "cut after " << length << " bytes";
      } else {
        EXPECT_EQ(checked.error().kind, ErrorKind::corrupt) << checked.error().to_string();
        EXPECT_EQ(checked.error().place.stage, "decode");
      }
    }
    EXPECT_TRUE(decode_all(file) == whole) << "after all that";
  });
}

TEST_P(every_audio_codec, says_what_is_wrong_with_damaged_files) {
  AudioDecoder decoder;
  std::mt19937 random(11);
  for_each_file([&](const AudioBytes& file, const Recording&) {
    for (int i = 0; i < 40; ++i) {
      AudioBytes damaged = file;
      for (int changes = 0; changes < 3; ++changes) {
        damaged[random() % std::min<std::size_t>(damaged.size(), 128)] = static_cast<std::uint8_t>(random());
      }
      if (const auto checked = check_audio(decoder, damaged); !checked.ok()) {
        EXPECT_TRUE(checked.error().kind == ErrorKind::corrupt ||
                    checked.error().kind == ErrorKind::unsupported)
            << checked.error().to_string();
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(of_the_catalogue, every_audio_codec,
                         testing::Range(std::size_t{0}, audio_codecs().size()), [](const auto& info) {
                           std::string name = audio_codecs()[info.param].name;
                           std::erase_if(name, [](char it) { return it == ' ' || it == ','; });
                           return name;
                         });

}  // namespace
}  // namespace penstock::test
