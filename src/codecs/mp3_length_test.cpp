#include "codecs/mp3_length.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace penstock::inline v0 {
namespace {

using testing::HasSubstr;

/// A frame of MPEG 1 layer III at 44.1 kHz without audio: 128 kbit/s, 417 bytes or one more.
std::string frame(bool padded) {
  std::string bytes = padded ? "\xFF\xFB\x92\x64" : "\xFF\xFB\x90\x64";
  bytes.resize(padded ? 418 : 417, '\x55');
  return bytes;
}

Result<std::optional<Mp3Length>> count(const std::string& file) {
  return count_mp3_frames({reinterpret_cast<const std::uint8_t*>(file.data()), file.size()});
}

TEST(Mp3Length, a_destroyed_last_frame_is_damage_though_the_frame_before_was_larger) {
  const std::string audio = frame(true) + frame(false) + frame(true);
  const auto whole = count(audio + frame(false));
  ASSERT_TRUE(whole.ok());
  EXPECT_EQ((*whole)->frames, 4U);
  for (const char byte : {'\0', '\x55'}) {
    const auto destroyed = count(audio + std::string(417, byte));
    ASSERT_FALSE(destroyed.ok());
    EXPECT_THAT(destroyed.error().message, HasSubstr("no frame at byte 1253"));
  }
}

TEST(Mp3Length, zeros_that_were_no_frame_and_tags_may_follow) {
  const std::string tag = "TAG" + std::string(125, ' ');
  // The smallest frame at 44.1 kHz: 32 kbit/s.
  for (const std::string& rest : {std::string(103, '\0'), tag, std::string(103, '\0') + tag,
                                  std::string("APETAGEX"), std::string("LYRICSBEGIN")}) {
    const auto length = count(frame(true) + frame(false) + rest);
    ASSERT_TRUE(length.ok()) << length.error().message;
    EXPECT_EQ((*length)->frames, 2U);
    EXPECT_EQ((*length)->end, 835U);
  }
  for (const std::string& rest : {std::string(104, '\0'), std::string(104, '\0') + tag}) {
    EXPECT_FALSE(count(frame(true) + frame(false) + rest).ok());
  }
}

TEST(Mp3Length, a_cut_within_a_header_is_damage) {
  for (std::size_t bytes = 1; bytes < 417; ++bytes) {
    EXPECT_FALSE(count(frame(true) + frame(false).substr(0, bytes)).ok()) << bytes;
  }
}

}  // namespace
}  // namespace penstock::inline v0
