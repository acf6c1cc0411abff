#include "codecs/webp.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <webp/decode.h>
#include <webp/encode.h>

#include <cstring>

#include "codecs/material_for_test.hpp"
#include "codecs/test_images.hpp"

namespace penstock::test {
namespace {

struct WebpVariant {
  int width = 0;
  int height = 0;
  bool lossless = false;
  bool alpha = false;
  float quality = 75;
  int filter = 60;

  std::string name() const {
    return fmt::format("{}x{} lossless {} alpha {} quality {}", width, height, lossless, alpha, quality);
  }
};

Bytes make_webp(const WebpVariant& variant) {
  WebPConfig config;
  EXPECT_NE(WebPConfigInit(&config), 0);
  config.lossless = variant.lossless ? 1 : 0;
  config.quality = variant.quality;
  config.filter_strength = variant.filter;
  config.exact = 1;
  WebPPicture image;
  EXPECT_NE(WebPPictureInit(&image), 0);
  image.width = variant.width;
  image.height = variant.height;
  image.use_argb = 1;
  const Bytes samples = draw(variant.width, variant.height, 4);
  EXPECT_NE(variant.alpha ? WebPPictureImportRGBA(&image, samples.data(), variant.width * 4)
                          : WebPPictureImportRGBX(&image, samples.data(), variant.width * 4),
            0);
  WebPMemoryWriter writer;
  WebPMemoryWriterInit(&writer);
  image.writer = WebPMemoryWrite;
  image.custom_ptr = &writer;
  EXPECT_NE(WebPEncode(&config, &image), 0);
  WebPPictureFree(&image);
  Bytes file(writer.mem, writer.mem + writer.size);
  WebPMemoryWriterClear(&writer);
  return file;
}

Rgb plain_webp_decode(const Bytes& file) {
  Rgb result;
  std::uint8_t* const pixels = WebPDecodeRGB(file.data(), file.size(), &result.width, &result.height);
  result.pixels.assign(pixels, pixels + std::ptrdiff_t{3} * result.width * result.height);
  WebPFree(pixels);
  return result;
}

void append_number(Bytes& to, unsigned value, int bytes) {
  for (int i = 0; i < bytes; ++i) {
    to.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  }
}

void append_chunk(Bytes& to, const char* type, const Bytes& data) {
  to.insert(to.end(), type, type + 4);
  append_number(to, static_cast<unsigned>(data.size()), 4);
  to.insert(to.end(), data.begin(), data.end());
  if (data.size() % 2 != 0) {
    to.push_back(0);
  }
}

/// An animation of one frame given as a still file without alpha, placed at (x, y), both even.
Bytes make_animation(const Bytes& still, ImageSize frame, int x, int y, ImageSize canvas) {
  Bytes chunks;
  Bytes extended = {0x02, 0, 0, 0};
  append_number(extended, static_cast<unsigned>(canvas.width - 1), 3);
  append_number(extended, static_cast<unsigned>(canvas.height - 1), 3);
  append_chunk(chunks, "VP8X", extended);
  append_chunk(chunks, "ANIM", {10, 20, 30, 255, 0, 0});
  Bytes data;
  append_number(data, static_cast<unsigned>(x / 2), 3);
  append_number(data, static_cast<unsigned>(y / 2), 3);
  append_number(data, static_cast<unsigned>(frame.width - 1), 3);
  append_number(data, static_cast<unsigned>(frame.height - 1), 3);
  append_number(data, 100, 3);
  data.push_back(0);
  data.insert(data.end(), still.begin() + 12, still.end());
  append_chunk(chunks, "ANMF", data);
  append_chunk(chunks, "ANMF", data);
  Bytes file = {'R', 'I', 'F', 'F'};
  append_number(file, static_cast<unsigned>(chunks.size() + 4), 4);
  file.insert(file.end(), {'W', 'E', 'B', 'P'});
  file.insert(file.end(), chunks.begin(), chunks.end());
  return file;
}

const ImageMaterial kWebpMaterial("WebP", [](ImageSize size) {
  const WebpVariant lossy{.width = size.width, .height = size.height};
  WebpVariant lossless = lossy;
  lossless.lossless = true;
  WebpVariant alpha = lossy;
  alpha.alpha = true;
  return ImageMaterial::Files{make_webp(lossy), make_webp(lossless), make_webp(alpha)};
});

TEST(Webp, boxes_equal_the_full_decode) {
  for (const bool lossless : {false, true}) {
    for (const bool alpha : {false, true}) {
      for (const auto& [width, height] :
           {std::pair{1, 1}, std::pair{2, 3}, std::pair{16, 16}, std::pair{33, 47}, std::pair{100, 61}}) {
        for (const float quality : {10.0f, 90.0f}) {
          const WebpVariant variant{
              .width = width, .height = height, .lossless = lossless, .alpha = alpha, .quality = quality};
          const Bytes file = make_webp(variant);
          expect_boxes_equal(file, plain_webp_decode(file), 30, variant.name());
        }
      }
    }
  }
}

TEST(Webp, every_small_box_of_a_lossy_image_equals_the_full_decode) {
  for (const int filter : {0, 100}) {
    const Bytes file = make_webp({.width = 37, .height = 35, .quality = 30, .filter = filter});
    const Rgb whole = plain_webp_decode(file);
    ImageDecoder decoder;
    ASSERT_TRUE(decoder.open(file).ok());
    for (int y = 0; y < 35; ++y) {
      for (int x = 0; x < 37; ++x) {
        for (const int side : {1, 2, 9}) {
          const Rect box{x, y, std::min(side, 37 - x), std::min(side, 35 - y)};
          const auto part = decode_guarded(decoder, box, PixelLayout::rgb);
          ASSERT_TRUE(part.ok());
          ASSERT_TRUE(*part == whole.part(box)) << x << ", " << y << ", " << side;
        }
      }
    }
  }
}

TEST(Webp, an_animation_gives_its_first_frame_on_black) {
  for (const bool lossless : {false, true}) {
    const Bytes still = make_webp({.width = 20, .height = 14, .lossless = lossless});
    const Rgb frame = plain_webp_decode(still);
    const Bytes file = make_animation(still, {20, 14}, 6, 4, {40, 30});
    Rgb expected{40, 30, Bytes(std::size_t{40} * 30 * 3, 0)};
    for (int y = 0; y < 14; ++y) {
      std::memcpy(expected.pixels.data() + ((4 + y) * 40 + 6) * 3, frame.pixels.data() + y * 60, 60);
    }
    expect_boxes_equal(file, expected, 100, "animation");
  }
}

TEST(Webp, a_file_cut_anywhere_is_corrupt) {
  for (const bool lossless : {false, true}) {
    const Bytes file = make_webp({.width = 40, .height = 30, .lossless = lossless, .alpha = true});
    ImageDecoder decoder;
    for (std::size_t size = 12; size < file.size(); ++size) {
      const Bytes cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
      const auto result = decode_whole(decoder, cut);
      ASSERT_FALSE(result.ok()) << size;
      ASSERT_EQ(result.error().kind, ErrorKind::corrupt) << size;
    }
  }
}

TEST(Webp, mutated_files_are_refused_alike_by_a_whole_decode_and_a_checked_box) {
  int refused = 0;
  for (const bool lossless : {false, true}) {
    for (const bool animated : {false, true}) {
      const Bytes still = make_webp({.width = 60, .height = 90, .lossless = lossless, .alpha = !animated});
      const Bytes intact = animated ? make_animation(still, {60, 90}, 6, 4, {80, 120}) : still;
      const std::vector<Rect> boxes = {{0, 0, 2, 2}, {10, 8, 30, 20}, {50, 60, 7, 9}};
      EXPECT_TRUE(expect_whole_file_checked(intact, boxes));
      for_each_mutation(
          intact, 400, [&](const Bytes& file) { refused += expect_whole_file_checked(file, boxes) ? 0 : 1; });
    }
  }
  EXPECT_GT(refused, 100);
}

TEST(Webp, an_image_above_the_limit_is_refused_by_open) {
  ImageDecoder decoder({.max_pixels = 40 * 30 - 1});
  const auto opened = decoder.open(make_webp({.width = 40, .height = 30}));
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().kind, ErrorKind::unsupported);
}

TEST(Webp, mutated_files_give_pixels_or_an_error_and_leave_the_decoder_usable) {
  ImageDecoder decoder({.max_pixels = 1u << 16});
  for (const bool lossless : {false, true}) {
    for (const bool animated : {false, true}) {
      const Bytes still = make_webp({.width = 30, .height = 22, .lossless = lossless});
      const Bytes intact = animated ? make_animation(still, {30, 22}, 0, 0, {30, 22}) : still;
      for_each_mutation(intact, 400, [&](const Bytes& file) {
        const auto size = decoder.open(file);
        if (size.ok()) {
          std::mt19937 random(7);
          for (const Rect& box : boxes_in(size->width, size->height, 2, random)) {
            (void)decode_guarded(decoder, box, PixelLayout::rgba);
          }
        }
      });
      const auto again = decode_whole(decoder, intact);
      ASSERT_TRUE(again.ok());
      EXPECT_TRUE(*again == plain_webp_decode(still));
    }
  }
}

}  // namespace
}  // namespace penstock::test
