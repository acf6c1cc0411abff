#include "codecs/sndfile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codecs/test_sounds.hpp"

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

}  // namespace
}  // namespace penstock::test
