#include "codecs/jpeg.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "codecs/material_for_test.hpp"
#include "codecs/test_images.hpp"

namespace penstock::test {
namespace {

using Sampling = std::vector<std::pair<int, int>>;

const std::vector<Sampling> kSamplings = {{{1, 1}},
                                          {{2, 1}},
                                          {{1, 2}},
                                          {{2, 2}},
                                          {{4, 1}},
                                          {{1, 4}},
                                          {{4, 2}},
                                          {{2, 2}, {2, 1}, {2, 1}},
                                          {{2, 2}, {1, 2}, {1, 2}},
                                          {{2, 2}, {1, 1}, {2, 1}},
                                          {{2, 1}, {1, 1}, {2, 1}},
                                          {{1, 1}, {2, 2}, {2, 2}},
                                          {{1, 2}, {1, 1}, {1, 2}},
                                          {{4, 1}, {2, 1}, {1, 1}},
                                          {{3, 1}},
                                          {{2, 2}, {2, 2}, {2, 2}}};

const std::vector<std::pair<int, int>> kSizes = {{1, 1},   {2, 2},   {5, 3},   {8, 8},   {9, 17},
                                                 {16, 16}, {33, 18}, {50, 47}, {97, 64}, {131, 70}};

class EverySampling : public ::testing::TestWithParam<std::size_t> {};

const ImageMaterial kJpegMaterial("JPEG", [](ImageSize size) {
  ImageMaterial::Files files;
  for (JpegVariant variant : {JpegVariant{.sampling = {{2, 2}}}, JpegVariant{.sampling = {{2, 1}}},
                              JpegVariant{.color = JpegColor::gray}, JpegVariant{.color = JpegColor::cmyk},
                              JpegVariant{.coding = JpegCoding::progressive, .sampling = {{2, 2}}},
                              JpegVariant{.coding = JpegCoding::restarts}}) {
    variant.width = size.width;
    variant.height = size.height;
    files.push_back(*make_jpeg(variant));
  }
  return files;
});

TEST_P(EverySampling, boxes_equal_the_full_decode) {
  int made = 0;
  for (const JpegCoding coding : kJpegCodings) {
    for (const auto& [width, height] : kSizes) {
      const JpegVariant variant{
          .width = width, .height = height, .coding = coding, .sampling = kSamplings[GetParam()]};
      if (const auto file = make_jpeg(variant)) {
        expect_boxes_equal(*file, plain_jpeg_decode(*file), 12, variant.name());
        ++made;
      }
    }
  }
  EXPECT_GE(made, static_cast<int>(kSizes.size()));
}

INSTANTIATE_TEST_SUITE_P(Jpeg, EverySampling, ::testing::Range(std::size_t{0}, kSamplings.size()));

TEST(Jpeg, every_small_box_of_a_subsampled_image_equals_the_full_decode) {
  for (const JpegCoding coding : {JpegCoding::baseline, JpegCoding::progressive}) {
    const auto file = make_jpeg({.width = 37, .height = 36, .coding = coding, .sampling = {{2, 2}}});
    const Rgb whole = plain_jpeg_decode(*file);
    ImageDecoder decoder;
    ASSERT_TRUE(decoder.open(*file).ok());
    for (int y = 0; y < 36; ++y) {
      for (int x = 0; x < 37; ++x) {
        for (const int side : {1, 2, 17}) {
          const Rect box{x, y, std::min(side, 37 - x), std::min(side, 36 - y)};
          const auto part = decode_guarded(decoder, box, PixelLayout::rgb);
          ASSERT_TRUE(part.ok());
          ASSERT_TRUE(*part == whole.part(box)) << x << ", " << y << ", " << side;
        }
      }
    }
  }
}

TEST(Jpeg, other_color_spaces_equal_the_full_decode) {
  for (const JpegColor color : {JpegColor::gray, JpegColor::rgb, JpegColor::cmyk, JpegColor::ycck}) {
    for (const JpegCoding coding : kJpegCodings) {
      for (const Sampling& sampling :
           {Sampling{{1, 1}}, Sampling{{2, 2}}, Sampling{{2, 2}, {1, 1}, {1, 1}, {2, 2}}}) {
        for (const bool adobe : {true, false}) {
          const JpegVariant variant{.width = 45,
                                    .height = 39,
                                    .color = color,
                                    .coding = coding,
                                    .sampling = sampling,
                                    .adobe_marker = adobe};
          if (const auto file = make_jpeg(variant)) {
            expect_boxes_equal(*file, plain_jpeg_decode(*file), 6, variant.name());
          }
        }
      }
    }
  }
}

TEST(Jpeg, extreme_qualities_equal_the_full_decode) {
  for (const int quality : {1, 10, 98, 100}) {
    for (const JpegCoding coding : {JpegCoding::baseline, JpegCoding::optimized, JpegCoding::restarts}) {
      const JpegVariant variant{.width = 150, .height = 90, .coding = coding, .quality = quality};
      const auto file = make_jpeg(variant);
      expect_boxes_equal(*file, plain_jpeg_decode(*file), 20, variant.name());
    }
  }
}

}  // namespace
}  // namespace penstock::test
