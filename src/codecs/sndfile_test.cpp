#include "codecs/sndfile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
