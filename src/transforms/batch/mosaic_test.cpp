#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "transforms/batch/batch_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using test::make;
using testing::ElementsAre;
using testing::HasSubstr;
using Whole = std::vector<std::int64_t>;

constexpr int kWidth = 6, kHeight = 5, kRows = 4;
constexpr std::size_t kPixels = std::size_t{kWidth} * kHeight;

/// Row 2 of images 0, 1 and 3 beside its own; the others stay.
Params one_mosaic() {
  Whole center, parts;
  for (std::int64_t row = 0; row < kRows; ++row) {
    center.insert(center.end(), {row == 2 ? 2 : kWidth, row == 2 ? 3 : kHeight});
    parts.insert(parts.end(), {row, row == 2 ? 0 : row, row == 2 ? 1 : row, row == 2 ? 3 : row});
  }
  return {{"center", center}, {"parts", parts}};
}

TEST(Mosaic, four_images_meet_at_the_center) {
  for (const auto format : {MemoryFormat::channels_first, MemoryFormat::channels_last}) {
    constexpr std::size_t kChannels = 3;
    std::vector<std::uint16_t> pixels(kRows * kPixels * kChannels);
    std::iota(pixels.begin(), pixels.end(), std::uint16_t{0});
    std::vector<std::uint8_t> masks(kRows * kPixels);
    std::iota(masks.begin(), masks.end(), std::uint8_t{0});
    const auto before = pixels;
    const auto masks_before = masks;
    const auto image_rows = test::rows_of(pixels, kRows);
    const auto mask_rows = test::rows_of(masks, kRows);
    const BatchPlane mask{mask_rows, {kWidth, kHeight}, 1, 1, format};
    test::run_batch(make("Mosaic"), one_mosaic(),
                    {.images = {image_rows, {kWidth, kHeight}, kChannels, 2, format}, .masks = {&mask, 1}});
    for (std::size_t row = 0; row < kRows; ++row) {
      for (int y = 0; y < kHeight; ++y) {
        for (int x = 0; x < kWidth; ++x) {
          std::size_t from = row;
          int source_x = x, source_y = y;
          if (row == 2) {
            constexpr std::size_t kParts[] = {2, 0, 1, 3};
            from = kParts[(x >= 2 ? 1 : 0) + (y >= 3 ? 2 : 0)];
            source_x = x >= 2 ? x - 2 : x + kWidth - 2;
            source_y = y >= 3 ? y - 3 : y + kHeight - 3;
          }
          const auto here = static_cast<std::size_t>(y * kWidth + x);
          const auto there = static_cast<std::size_t>(source_y * kWidth + source_x);
          ASSERT_EQ(masks[row * kPixels + here], masks_before[from * kPixels + there]);
          for (std::size_t c = 0; c < kChannels; ++c) {
            const auto at = [&](std::size_t image, std::size_t pixel) {
              return image * kPixels * kChannels +
                     (format == MemoryFormat::channels_first ? c * kPixels + pixel : pixel * kChannels + c);
            };
            ASSERT_EQ(pixels[at(row, here)], before[at(from, there)]) << row << " " << x << " " << y;
          }
        }
      }
    }
  }
}

TEST(Mosaic, boxes_move_with_the_parts_and_small_rests_are_dropped) {
  std::vector<std::vector<RowBoxes>> boxes(1, std::vector<RowBoxes>(kRows));
  boxes[0][0] = {.corners = {0, 0, 3, 4}, .labels = {10}};                  // top right: moves by 2, -2
  boxes[0][1] = {.corners = {1, 0, 3, 2, 5, 1, 6, 2}, .labels = {11, 12}};  // bottom left: by -4, 3
  boxes[0][2] = {.corners = {0, 0, 6, 5}, .labels = {13}};                  // top left: by -4, -2
  boxes[0][3] = {.corners = {3, 1, 4, 2}, .labels = {14}};                  // bottom right: by 2, 3
  std::vector<float> labels = {1, 0, 0, 1, 1, 0, 0, 1};
  const auto label_rows = test::rows_of(labels, kRows);
  std::vector<std::uint8_t> pixels(kRows * kPixels);
  const auto image_rows = test::rows_of(pixels, kRows);
  test::run_batch(make("Mosaic"), one_mosaic(),
                  {.images = {image_rows, {kWidth, kHeight}, 1, 1, MemoryFormat::channels_first},
                   .labels = label_rows,
                   .classes = 2,
                   .masks = {},
                   .boxes = boxes});
  EXPECT_FALSE(boxes[0][0].changed);
  EXPECT_THAT(boxes[0][0].corners, ElementsAre(0, 0, 3, 4));
  EXPECT_TRUE(boxes[0][2].changed);
  EXPECT_THAT(boxes[0][2].corners,
              ElementsAre(0, 0, 2, 3, /**/ 2, 0, 5, 2, /**/ 1, 4, 2, 5, /**/ 5, 4, 6, 5));
  EXPECT_THAT(boxes[0][2].labels, ElementsAre(13, 10, 12, 14));
  // By area: 6, 12, 4 and 8 of 30.
  EXPECT_THAT(labels,
              ElementsAre(1, 0, 0, 1, testing::FloatEq(18 / 30.0F), testing::FloatEq(12 / 30.0F), 0, 1));
}

TEST(Mosaic, draws_centers_in_their_range_and_every_row_as_a_part) {
  const TransformPtr mosaic = make("Mosaic", {{"p", 0.25}, {"center_range", std::vector<double>{0.4, 0.6}}});
  double made = 0;
  std::vector<int> seen(16);
  for (std::uint64_t place = 0; place < 200; ++place) {
    const Params drawn = test::drawn_for_batch(mosaic, {100, 50}, place, 16);
    const auto center = test::value_of<Whole>(drawn, "center");
    const auto parts = test::value_of<Whole>(drawn, "parts");
    for (std::size_t row = 0; row < 16; ++row) {
      ASSERT_EQ(parts[4 * row], static_cast<std::int64_t>(row)) << "its own image lies top left";
      if (center[2 * row] == 100) {
        ASSERT_EQ(center[2 * row + 1], 50);
        continue;
      }
      ++made;
      ASSERT_TRUE(40 <= center[2 * row] && center[2 * row] < 60);
      ASSERT_TRUE(20 <= center[2 * row + 1] && center[2 * row + 1] < 30);
      for (std::size_t i = 1; i < 4; ++i) {
        ++seen.at(static_cast<std::size_t>(parts[4 * row + i]));
      }
    }
  }
  EXPECT_NEAR(made / 3200, 0.25, 0.035);
  for (const int count : seen) {
    EXPECT_NEAR(count, 3 * made / 16, 60);
  }
}

TEST(Mosaic, refuses_what_cannot_be) {
  EXPECT_THAT(test::refusal("Mosaic", {{"center_range", std::vector<double>{0.7, 0.3}}}),
              HasSubstr("center_range must be (min, max)"));
  EXPECT_THAT(test::refusal("Mosaic", {{"min_size", 0.0}}), HasSubstr("min_size must be a positive number"));
  EXPECT_THAT(test::refusal("Mosaic", {{"p", 2.0}}), HasSubstr("p must be"));
  const TransformPtr mosaic = make("Mosaic");
  BatchSpec spec{.images = {.size = {8, 8}}, .others = "boxes"};
  EXPECT_TRUE(test::batch_operation(mosaic).check_for(spec).ok());
  spec.points = "joints";
  EXPECT_THAT(test::batch_operation(mosaic).check_for(spec).error().to_string(),
              HasSubstr("key points of field 'joints'"));
}

}  // namespace
}  // namespace penstock::inline v0
