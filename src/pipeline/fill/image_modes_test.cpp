#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "codecs/pixels.hpp"
#include "pipeline/loader_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using testing::HasSubstr;

/// Stored pixels, byte after byte from `first` on.
std::vector<std::uint8_t> stored(PixelLayout layout, ImageSize size, std::uint8_t first) {
  std::vector<std::uint8_t> record = make_pixels_record(size, layout);
  for (std::size_t i = kPixelsHeader; i < record.size(); ++i) {
    record[i] = first++;
  }
  return record;
}

std::vector<std::uint8_t> values(const Column& column, std::size_t row) {
  const ByteSpan bytes = column.bytes_of(row);
  return {bytes.begin(), bytes.end()};
}

Result<Loader> open_in(ImageMode mode, std::vector<std::vector<std::uint8_t>> images,
                       FieldTransforms transforms = {}, LoaderOptions options = {.batch_size = 4}) {
  const auto size = static_cast<std::uint64_t>(images.size());
  return Loader::open(Dataset::of(std::make_shared<MemoryTable>(size, std::move(images)), "memory",
                                  {.fields = {}, .readings = {{"image", {.mode = mode}}}}),
                      std::move(transforms), options);
}

TEST(ImageModes, lists_keep_channels_and_type) {
  const std::vector<TransformPtr> crop = {transforms::CenterCrop{.size = 2}};
  struct {
    ImageMode mode;
    PixelLayout layout;
    const char* spec;
    std::vector<std::uint8_t> row;
  } const kModes[] = {
      {ImageMode::gray, PixelLayout::gray, "uint8 (1, 2, 2)", {5, 6, 9, 10}},
      {ImageMode::gray_16, PixelLayout::gray_16, "uint16 (1, 2, 2)", {10, 11, 12, 13, 18, 19, 20, 21}},
      {ImageMode::rgba,
       PixelLayout::rgba,
       "uint8 (4, 2, 2)",
       {20, 24, 36, 40, 21, 25, 37, 41, 22, 26, 38, 42, 23, 27, 39, 43}}};
  for (const auto& [mode, layout, spec, row] : kModes) {
    auto loader = open_in(mode, {stored(layout, {4, 4}, 0)}, {{"image", crop}});
    ASSERT_TRUE(loader.ok());
    const std::vector<Batch> batches = take_epoch(*loader);
    const Column& column = *batches[0].find("image");
    EXPECT_EQ(column.spec.to_string(), spec);
    EXPECT_EQ(values(column, 0), row);
    EXPECT_TRUE(loader->problems().empty());
  }
}

TEST(ImageModes, unchanged_images_keep_a_type_each) {
  auto loader = open_in(ImageMode::unchanged,
                        {stored(PixelLayout::gray_16, {2, 1}, 1), stored(PixelLayout::rgba, {1, 2}, 7),
                         stored(PixelLayout::gray, {3, 1}, 20)});
  ASSERT_TRUE(loader.ok());
  for (int epoch = 0; epoch < 2; ++epoch) {  // the second in memory that is used again
    const std::vector<Batch> batches = take_epoch(*loader);
    const Column& column = *batches[0].find("image");
    ASSERT_TRUE(column.ragged());
    EXPECT_EQ(column.rows[0].type, Scalar::uint16);
    EXPECT_EQ(column.shape_of(0), (Extents{1, 1, 2}));
    EXPECT_EQ(values(column, 0), (std::vector<std::uint8_t>{1, 2, 3, 4}));
    EXPECT_EQ(column.rows[1].type, Scalar::uint8);
    EXPECT_EQ(column.shape_of(1), (Extents{4, 2, 1}));
    EXPECT_EQ(values(column, 1), (std::vector<std::uint8_t>{7, 11, 8, 12, 9, 13, 10, 14}));
    EXPECT_EQ(column.rows[2].type, Scalar::uint8);
    EXPECT_EQ(values(column, 2), (std::vector<std::uint8_t>{20, 21, 22}));
  }
}

TEST(ImageModes, what_needs_one_kind_of_image_is_refused) {
  const std::vector<std::vector<std::uint8_t>> images = {stored(PixelLayout::gray, {3, 1}, 0)};
  for (const ImageMode mode : {ImageMode::unchanged, ImageMode::mask}) {
    const auto refused = open_in(mode, images, {{"image", {transforms::ToFloat{}}}});
    ASSERT_FALSE(refused.ok());
    EXPECT_THAT(refused.error().message, HasSubstr("cannot transform field 'image': it is"));
  }
  const auto padded = open_in(ImageMode::unchanged, images, {}, {.batch_size = 1, .pad_images = true});
  ASSERT_FALSE(padded.ok());
  EXPECT_THAT(padded.error().message, HasSubstr("pad_images"));
}

TEST(ImageModes, what_rgb_loses_is_a_problem_of_the_loader) {
  auto loader = open_in(ImageMode::rgb, {stored(PixelLayout::gray_16, {2, 2}, 1)});
  ASSERT_TRUE(loader.ok());
  take_epoch(*loader);
  ASSERT_EQ(loader->problems().size(), 1u);
  EXPECT_EQ(loader->problems()[0].about, "field image");
  EXPECT_THAT(loader->problems()[0].text, HasSubstr("penstock.Image(\"image\", mode=\"I;16\")"));
}

}  // namespace
}  // namespace penstock::inline v0
