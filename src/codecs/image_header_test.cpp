#include "codecs/image_header.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace penstock::inline v0 {
namespace {

using namespace std::string_literals;

ImageSize size_of(std::string_view text) {
  // A heap block of exactly this size, so that AddressSanitizer sees a read past the end.
  const std::vector<std::uint8_t> bytes(text.begin(), text.end());
  return image_size(bytes);
}

const std::string kApp0 =
    "\xFF\xE0\x00\x06"
    "JF\xFF\xC0"s;  // holds what looks like a frame header
const std::string kFrame = "\xFF\xC0\x00\x0B\x08\x01\x2C\x01\xF4\x01\x01\x11\x00"s;  // 500 x 300
const std::string kPng = "\x89PNG\r\n\x1A\n\0\0\0\x0DIHDR\0\0\x02\x80\0\0\x01\xE0\x08\x02\0\0\0"s;
const std::string kWebpLossy =
    "RIFF\x40\0\0\0WEBPVP8 \x30\0\0\0\x10\x02\0\x9D\x01\x2A\x90\x01\x2C\x41"s;  // scale bits set
const std::string kWebpLossless = "RIFF\x40\0\0\0WEBPVP8L\x30\0\0\0\x2F\x8F\xC1\x4A\x00\0\0\0\0\0"s;
const std::string kWebpExtended = "RIFF\x40\0\0\0WEBPVP8X\x0A\0\0\0\0\0\0\0\xFF\x0F\x01\x63\0\0"s;

TEST(image_size, walks_jpeg_markers_by_length) {
  EXPECT_EQ(size_of("\xFF\xD8"s + kApp0 + kFrame), (ImageSize{500, 300}));
  EXPECT_EQ(size_of("\xFF\xD8"s + kFrame), (ImageSize{500, 300}));
}

TEST(image_size, knows_every_kind_of_frame_and_no_other_marker) {
  for (int marker = 0xC0; marker <= 0xCF; ++marker) {
    std::string frame = kFrame;
    frame[1] = static_cast<char>(marker);
    const bool is_frame = marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
    EXPECT_EQ(size_of("\xFF\xD8"s + frame), (is_frame ? ImageSize{500, 300} : ImageSize{})) << marker;
  }
}

TEST(image_size, skips_fill_bytes_and_lone_markers_as_libjpeg) {
  EXPECT_EQ(size_of("\xFF\xD8\xFF\xFF\xFF\xD0"s + kApp0 + "garbage"s + "\xFF"s + kFrame),
            (ImageSize{500, 300}));
}

TEST(image_size, gives_nothing_for_a_jpeg_without_frame) {
  EXPECT_EQ(size_of("\xFF\xD8"s + kApp0 + "\xFF\xDA\x00\x02"s + kFrame), ImageSize{});
  EXPECT_EQ(size_of("\xFF\xD8\xFF\xD9"s + kFrame), ImageSize{});
  EXPECT_EQ(size_of("\xFF\xD8\xFF\xE0\x00\x01"s + kFrame), ImageSize{}) << "a length below 2";
  EXPECT_EQ(size_of("\xFF\xD8\xFF\xE0\xFF\xFF"s + kFrame), ImageSize{}) << "a length past the end";
  std::string unknown_height = kFrame;
  unknown_height[5] = unknown_height[6] = 0;
  EXPECT_EQ(size_of("\xFF\xD8"s + unknown_height), ImageSize{});
}

TEST(image_size, reads_png) {
  EXPECT_EQ(size_of(kPng), (ImageSize{640, 480}));
  std::string huge = kPng;
  huge[16] = '\x80';
  EXPECT_EQ(size_of(huge), ImageSize{});
}

TEST(image_size, reads_the_three_kinds_of_webp) {
  EXPECT_EQ(size_of(kWebpLossy), (ImageSize{400, 300}));
  EXPECT_EQ(size_of(kWebpLossless), (ImageSize{400, 300}));
  EXPECT_EQ(size_of(kWebpExtended), (ImageSize{69632, 100}));
}

TEST(image_size, gives_nothing_for_other_files) {
  EXPECT_EQ(size_of(""), ImageSize{});
  EXPECT_EQ(size_of("GIF89a\x10\0\x10\0"s), ImageSize{});
  EXPECT_EQ(size_of("plain text"), ImageSize{});
}

TEST(image_size, stays_inside_every_prefix) {
  for (const std::string& whole :
       {"\xFF\xD8"s + kApp0 + kFrame, kPng, kWebpLossy, kWebpLossless, kWebpExtended}) {
    const ImageSize full = size_of(whole);
    for (std::size_t length = 0; length < whole.size(); ++length) {
      const ImageSize size = size_of(std::string_view(whole).substr(0, length));
      EXPECT_TRUE(size == full || size == ImageSize{}) << length;
    }
  }
}

}  // namespace
}  // namespace penstock::inline v0
