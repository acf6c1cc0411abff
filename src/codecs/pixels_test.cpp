#include "codecs/pixels.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "codecs/material_for_test.hpp"
#include "codecs/test_images.hpp"

namespace penstock::inline v0 {
namespace {

test::Bytes record_of(const test::Rgb& image) {
  test::Bytes record = make_pixels_record({image.width, image.height});
  std::memcpy(record.data() + kPixelsHeader, image.pixels.data(), image.pixels.size());
  return record;
}

const test::ImageMaterial kPixelsMaterial("pixels", [](ImageSize size) {
  return test::ImageMaterial::Files{
      record_of({size.width, size.height, test::draw(size.width, size.height, 3)})};
});

TEST(pixels, any_box_equals_the_pixels) {
  for (const auto& [width, height] : {std::pair{1, 1}, {3, 7}, {64, 33}}) {
    const test::Rgb image{width, height, test::draw(width, height, 3)};
    test::expect_boxes_equal(record_of(image), image, 20, "pixels");
  }
}

TEST(pixels, damaged_records_are_refused) {
  const test::Bytes record = record_of({5, 4, test::draw(5, 4, 3)});
  ImageDecoder decoder;
  ASSERT_TRUE(decoder.open(record).ok());
  for (std::size_t size = 4; size < record.size(); ++size) {
    const auto opened = decoder.open(ByteSpan(record).first(size));
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.error().kind, ErrorKind::corrupt);
  }
  test::Bytes newer = record;
  newer[4] = 2;
  EXPECT_EQ(decoder.open(newer).error().kind, ErrorKind::unsupported);
  // As every codec says it.
  test::Bytes huge = record;
  std::memset(huge.data() + 8, 0x7F, 8);
  EXPECT_EQ(decoder.open(huge).error().kind,
            detail::check_size("", 0x7F7F7F7F, 0x7F7F7F7F, DecodeLimits{}).error().kind);
  std::memset(huge.data() + 8, 0, 8);
  EXPECT_EQ(decoder.open(huge).error().kind, detail::check_size("", 0, 0, DecodeLimits{}).error().kind);
}

}  // namespace
}  // namespace penstock::inline v0
