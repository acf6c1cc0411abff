#include "codecs/sndfile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codecs/material_for_test.hpp"
#include "codecs/test_recordings.hpp"

namespace penstock::test {
namespace {

using ::testing::HasSubstr;

TEST(Sndfile, recognises_by_content) {
  const auto recognises = [](std::string_view text) {
    return sndfile_recognises({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  };
  EXPECT_TRUE(recognises("fLaC"));
  EXPECT_TRUE(recognises("OggS"));
  EXPECT_TRUE(recognises("ID3\x04"));
  EXPECT_TRUE(recognises("\xFF\xFB\x90\x64"));   // MPEG 1
  EXPECT_TRUE(recognises("\xFF\xE3\x18\xC4"));   // MPEG 2.5
  EXPECT_FALSE(recognises("\xFF\xD8\xFF\xE0"));  // JPEG
  EXPECT_FALSE(recognises("\xFF\xFE<\0"));       // UTF-16
  EXPECT_FALSE(recognises("\xFF\xFB\xF0\x64"));  // a bit rate that does not exist
  EXPECT_FALSE(recognises("\xFF\xFB"));
  EXPECT_FALSE(recognises(""));
}

/// A FLAC file that says how long it is, and has no more.
AudioBytes flac_header(std::uint64_t frames, unsigned channels) {
  AudioBytes file = {'f', 'L', 'a', 'C', 0x80, 0, 0, 34, 0x10, 0, 0x10, 0, 0, 0, 0, 0, 0, 0};
  // 20 bits of rate, 3 of channels, 5 of bits, 36 of frames.
  const std::uint64_t fields =
      std::uint64_t{44100} << 44 | std::uint64_t{channels - 1} << 41 | std::uint64_t{15} << 36 | frames;
  for (int i = 7; i >= 0; --i) {
    file.push_back(static_cast<std::uint8_t>(fields >> (8 * i)));
  }
  file.resize(4 + 4 + 34);
  return file;
}

/// The checks of FLAC frames: CRCs without reflection, begun with 0.
std::uint16_t flac_check(const AudioBytes& bytes, std::size_t from, unsigned polynomial, int bits) {
  unsigned sum = 0;
  for (std::size_t i = from; i < bytes.size(); ++i) {
    sum ^= static_cast<unsigned>(bytes[i]) << (bits - 8);
    for (int bit = 0; bit < 8; ++bit) {
      sum = (sum << 1) ^ ((sum >> (bits - 1) & 1) != 0 ? polynomial : 0u);
    }
    sum &= (1u << bits) - 1;
  }
  return static_cast<std::uint16_t>(sum);
}

/// Frames of 256 samples as they are, without prediction.
AudioBytes flac_of(const AudioMaterial::Recording& recording) {
  constexpr std::size_t kBlock = 256;
  const std::size_t frames = recording.samples.size() / recording.channels;
  AudioBytes file = {'f', 'L', 'a', 'C', 0x80, 0, 0, 34, kBlock >> 8, 0, kBlock >> 8, 0, 0, 0, 0, 0, 0, 0};
  const std::uint64_t fields = std::uint64_t{recording.rate} << 44 |
                               std::uint64_t{recording.channels - 1u} << 41 | std::uint64_t{15} << 36 |
                               frames;
  for (int i = 7; i >= 0; --i) {
    file.push_back(static_cast<std::uint8_t>(fields >> (8 * i)));
  }
  file.resize(4 + 4 + 34);
  for (std::size_t begin = 0, number = 0; begin < frames; begin += kBlock, ++number) {
    const std::size_t count = std::min(kBlock, frames - begin);
    const std::size_t start = file.size();
    const auto channels = static_cast<std::uint8_t>((recording.channels - 1) << 4 | 4 << 1);
    file.insert(file.end(),
                {0xFF, 0xF8, 0x70, channels, static_cast<std::uint8_t>(number),
                 static_cast<std::uint8_t>((count - 1) >> 8), static_cast<std::uint8_t>(count - 1)});
    file.push_back(static_cast<std::uint8_t>(flac_check(file, start, 0x07, 8)));
    for (std::size_t channel = 0; channel < recording.channels; ++channel) {
      file.push_back(0x02);
      for (std::size_t i = begin; i < begin + count; ++i) {
        const auto sample = static_cast<std::uint16_t>(recording.samples[i * recording.channels + channel]);
        file.push_back(static_cast<std::uint8_t>(sample >> 8));
        file.push_back(static_cast<std::uint8_t>(sample));
      }
    }
    const std::uint16_t check = flac_check(file, start, 0x8005, 16);
    file.push_back(static_cast<std::uint8_t>(check >> 8));
    file.push_back(static_cast<std::uint8_t>(check));
  }
  return file;
}

const AudioMaterial kSndfileMaterial("FLAC, Ogg or MP3", flac_of);

TEST(Sndfile, what_a_header_can_make_a_caller_allocate_is_bounded) {
  AudioDecoder decoder;
  const std::uint64_t allowed = std::uint64_t{1} << 26;
  const auto opened = decoder.open(flac_header(allowed / 2, 2));
  if (!opened.ok()) {
    GTEST_SKIP() << opened.error().message;  // a build without libsndfile
  }
  EXPECT_EQ(opened->frames, allowed / 2);
  for (const auto& [frames, channels] : {std::pair{allowed / 2 + 1, 2U}, std::pair{allowed * 512, 1U}}) {
    const auto refused = decoder.open(flac_header(frames, channels));
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().kind, ErrorKind::unsupported);
    EXPECT_THAT(refused.error().message, HasSubstr("samples per byte"));
  }
}

}  // namespace
}  // namespace penstock::test
