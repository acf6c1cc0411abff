#include "codecs/catalog.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "codecs/test_images.hpp"

namespace penstock::test {
namespace {

using namespace std::string_literals;
using ::testing::HasSubstr;

Bytes bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

Error open_error(const Bytes& file) {
  ImageDecoder decoder;
  auto opened = decoder.open(file);
  EXPECT_FALSE(opened.ok());
  return opened.ok() ? Error{} : std::move(opened).error();
}

TEST(ImageCodecs, have_names_of_their_own_and_make_decoders) {
  std::set<std::string> names;
  for (const ImageCodec& codec : image_codecs()) {
    EXPECT_TRUE(names.insert(codec.name).second) << codec.name;
    EXPECT_NE(codec.make({}), nullptr);
    EXPECT_FALSE(codec.recognises({}));
  }
}

TEST(ImageDecoder, names_other_kinds_of_content) {
  const std::vector<std::pair<std::string, const char*>> contents = {
      {"GIF89a\1\0\1\0"s, "GIF"},
      {"BM\x46\0\0\0\0\0\0\0"s, "BMP"},
      {"II*\0\x08\0\0\0"s, "TIFF"},
      {"\0\0\0\x1c"
       "ftypavif\0\0\0\0"s,
       "AVIF"},
      {"\0\0\0\x18"
       "ftypheic\0\0\0\0"s,
       "HEIC"},
      {"8BPS\0\1"s, "Photoshop"},
      {"\xFF\x0A\x01\x02"s, "JPEG XL"},
      {"\n <!DOCTYPE html><html></html>"s, "HTML"},
      {"<html><body>404 Not Found"s, "HTML"},
      {"%PDF-1.4"s, "PDF"},
  };
  for (const auto& [content, name] : contents) {
    const Error error = open_error(bytes_of(content));
    EXPECT_EQ(error.kind, ErrorKind::unsupported) << name;
    EXPECT_THAT(error.message, HasSubstr(name));
  }
}

TEST(ImageDecoder, calls_empty_and_unknown_content_corrupt) {
  EXPECT_EQ(open_error({}).kind, ErrorKind::corrupt);
  EXPECT_THAT(open_error({}).message, HasSubstr("empty"));
  const Error error = open_error({0x12, 0x34, 0xAB});
  EXPECT_EQ(error.kind, ErrorKind::corrupt);
  EXPECT_THAT(error.message, HasSubstr("12 34 ab"));
}

TEST(ImageDecoder, refuses_boxes_and_views_that_do_not_fit) {
  ImageDecoder decoder;
  Bytes pixels(30000);
  const auto attempt = [&](const Rect& box, const PixelView& view) {
    const auto status = decoder.decode(box, view);
    return !status.ok() && status.error().kind == ErrorKind::invalid;
  };
  EXPECT_TRUE(attempt({0, 0, 1, 1}, {pixels.data(), 3, 1, 1, PixelLayout::rgb})) << "nothing is open";
  const Bytes file = *make_jpeg({.width = 20, .height = 10});
  ASSERT_TRUE(decoder.open(file).ok());
  for (const Rect& box :
       {Rect{-1, 0, 1, 1}, Rect{0, -1, 1, 1}, Rect{0, 0, 0, 1}, Rect{0, 0, 1, 0}, Rect{20, 0, 1, 1},
        Rect{0, 10, 1, 1}, Rect{1, 0, 20, 1}, Rect{0, 1, 1, 10}, Rect{1, 1, 0x7FFFFFFF, 1}}) {
    EXPECT_TRUE(attempt(box, {pixels.data(), 60, box.width, box.height, PixelLayout::rgb}));
  }
  EXPECT_TRUE(attempt({0, 0, 4, 4}, {pixels.data(), 12, 4, 3, PixelLayout::rgb}));
  EXPECT_TRUE(attempt({0, 0, 4, 4}, {pixels.data(), 12, 3, 4, PixelLayout::rgb}));
  EXPECT_TRUE(attempt({0, 0, 4, 4}, {pixels.data(), 12, 4, 4, PixelLayout::rgba}));
  EXPECT_TRUE(attempt({0, 0, 4, 4}, {nullptr, 12, 4, 4, PixelLayout::rgb}));
  EXPECT_TRUE(decoder.decode({16, 6, 4, 4}, {pixels.data(), 12, 4, 4, PixelLayout::rgb}).ok());
}

TEST(ImageDecoder, a_failed_open_closes_the_image_before) {
  ImageDecoder decoder;
  Bytes pixels(100);
  const Bytes file = *make_jpeg({.width = 20, .height = 10});
  ASSERT_TRUE(decoder.open(file).ok());
  ASSERT_FALSE(decoder.open(ByteSpan()).ok());
  EXPECT_FALSE(decoder.decode({0, 0, 1, 1}, {pixels.data(), 3, 1, 1, PixelLayout::rgb}).ok());
}

}  // namespace
}  // namespace penstock::test
