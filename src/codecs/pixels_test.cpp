#include "codecs/pixels.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <tuple>

#include "codecs/catalog.hpp"
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

Result<std::vector<std::uint8_t>> decoded(ImageDecoder& decoder, const Rect& box, PixelLayout layout) {
  const std::size_t stride = pixel_bytes(layout) * static_cast<std::size_t>(box.width);
  const std::size_t bytes = stride * static_cast<std::size_t>(box.height);
  std::vector<std::uint8_t> pixels(bytes + 64);
  PENSTOCK_TRY(decoder.decode(box, {pixels.data(), stride, box.width, box.height, layout}));
  pixels.resize(bytes);
  return pixels;
}

TEST(pixels, every_layout_is_kept_and_becomes_rgb_as_with_pillow) {
  ImageDecoder decoder;
  const ImageSize size{3, 2};
  const Rect corner{1, 1, 2, 1};
  const struct {
    PixelLayout layout;
    PixelLayout unchanged;
    std::vector<std::uint8_t> pixels;
    std::vector<std::uint8_t> corner;
    std::vector<std::uint8_t> rgb;
    RgbLoss loss;
  } kRecords[] = {
      {PixelLayout::gray, PixelLayout::gray, {1, 2, 3, 4, 5, 6}, {5, 6}, {5, 5, 5, 6, 6, 6}, RgbLoss::none},
      {PixelLayout::index, PixelLayout::gray, {1, 2, 3, 4, 5, 6}, {5, 6}, {5, 5, 5, 6, 6, 6}, RgbLoss::none},
      {PixelLayout::gray_16,
       PixelLayout::gray_16,
       {0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 7, 1},
       {7, 0, 7, 1},
       {7, 7, 7, 255, 255, 255},
       RgbLoss::depth},
      {PixelLayout::rgba,
       PixelLayout::rgba,
       {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 255, 4, 5, 6, 254},
       {1, 2, 3, 255, 4, 5, 6, 254},
       {1, 2, 3, 4, 5, 6},
       RgbLoss::alpha}};
  for (const auto& [layout, unchanged, pixels, part, rgb, loss] : kRecords) {
    test::Bytes record = make_pixels_record(size, layout);
    std::memcpy(record.data() + kPixelsHeader, pixels.data(), pixels.size());
    ASSERT_EQ(decoder.open(record).value(), size);
    EXPECT_EQ(decoder.traits().unchanged, unchanged);
    EXPECT_EQ(decoder.traits().has_indices, layout == PixelLayout::index);
    EXPECT_EQ(decoded(decoder, {0, 0, 3, 2}, layout).value(), pixels);
    EXPECT_EQ(decoded(decoder, corner, layout).value(), part);
    EXPECT_EQ(decoded(decoder, corner, PixelLayout::rgb).value(), rgb);
    EXPECT_EQ(decoder.traits().loss, loss);
  }
}

TEST(pixels, are_read_without_a_header_where_the_index_knows_what_they_are) {
  ImageDecoder decoder;
  // What looks like another file is still pixels.
  const std::vector<std::uint8_t> pixels = {0xFF, 0xD8, 0xFF, 0xE0, 5, 6, 7, 8, 9, 10, 11, 12};
  const auto value = [&](ImageSize size, PixelLayout layout) {
    return EncodedImage{.bytes = pixels, .pixels = PixelsSpec{.size = size, .layout = layout}};
  };
  ASSERT_EQ(decoder.open(value({2, 2}, PixelLayout::rgb)).value(), (ImageSize{2, 2}));
  EXPECT_STREQ(image_codecs()[decoder.codec()].name, "pixels");
  EXPECT_EQ(decoded(decoder, {0, 0, 2, 2}, PixelLayout::rgb).value(), pixels);
  EXPECT_EQ(decoded(decoder, {1, 1, 1, 1}, PixelLayout::rgb).value(),
            (std::vector<std::uint8_t>{10, 11, 12}));
  ASSERT_EQ(decoder.open(value({3, 2}, PixelLayout::gray_16)).value(), (ImageSize{3, 2}));
  EXPECT_EQ(decoder.traits().unchanged, PixelLayout::gray_16);
  ASSERT_EQ(decoder.open(value({4, 3}, PixelLayout::index)).value(), (ImageSize{4, 3}));
  EXPECT_EQ(decoded(decoder, {0, 0, 4, 3}, PixelLayout::index).value(), pixels);
}

TEST(pixels, without_a_header_are_refused_where_the_index_is_wrong) {
  ImageDecoder decoder(DecodeLimits{.max_pixels = 100});
  const std::vector<std::uint8_t> pixels(12);
  const auto kind = [&](ImageSize size) {
    const auto opened = decoder.open(EncodedImage{.bytes = pixels, .pixels = PixelsSpec{.size = size}});
    EXPECT_FALSE(decoder.decode({0, 0, 1, 1}, {}).ok()) << "nothing is open";
    return opened.error().kind;
  };
  EXPECT_EQ(kind({2, 3}), ErrorKind::corrupt);
  EXPECT_EQ(kind({2, 1}), ErrorKind::corrupt);
  EXPECT_EQ(kind({0, 0}), ErrorKind::corrupt);
  EXPECT_EQ(kind({-2, -2}), ErrorKind::corrupt);
  EXPECT_EQ(kind({11, 10}), ErrorKind::unsupported) << "over the limit";
  EXPECT_EQ(kind({0x7FFFFFFF, 0x7FFFFFFF}), ErrorKind::unsupported);
}

TEST(pixels, records_of_unknown_layouts_are_refused_with_what_to_do) {
  for (const auto& [version, bytes, mask] :
       {std::tuple{1, 1, 0}, {1, 4, 0}, {1, 3, 1}, {2, 3, 0}, {2, 2, 1}, {2, 1, 2}, {2, 8, 0}, {3, 1, 0}}) {
    test::Bytes record(kPixelsHeader + 64);
    std::memcpy(record.data(), make_pixels_record({1, 1}).data(), kPixelsHeader);
    record[4] = static_cast<std::uint8_t>(version);
    record[6] = static_cast<std::uint8_t>(bytes);
    record[7] = static_cast<std::uint8_t>(mask);
    const auto refused = ImageDecoder().open(record);
    ASSERT_FALSE(refused.ok()) << version << " " << bytes << " " << mask;
    EXPECT_EQ(refused.error().kind, ErrorKind::unsupported);
    EXPECT_NE(refused.error().to_string().find("newer version"), std::string::npos);
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
