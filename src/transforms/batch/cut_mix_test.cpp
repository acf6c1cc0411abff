#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "transforms/batch/batch_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using test::make;
using testing::ElementsAre;

TransformPtr cut_mix(double alpha = 1.0) {
  return make("CutMix", {{"alpha", alpha}, {"num_classes", std::int64_t{2}}});
}

TEST(CutMix, pastes_the_box_of_the_row_before_in_both_memory_formats) {
  constexpr int kWidth = 5, kHeight = 4, kChannels = 3;
  const std::vector<std::int64_t> box = {1, 2, 4, 3};
  for (const auto format : {MemoryFormat::channels_first, MemoryFormat::channels_last}) {
    std::vector<std::uint8_t> pixels(std::size_t{3} * kWidth * kHeight * kChannels);
    std::iota(pixels.begin(), pixels.end(), std::uint8_t{0});
    std::vector<std::int32_t> masks(std::size_t{3} * kWidth * kHeight);
    std::iota(masks.begin(), masks.end(), 1000);
    std::vector<float> labels = {1, 0, 0, 1, 1, 0};
    const std::vector<std::uint8_t> before = pixels;
    const std::vector<std::int32_t> masks_before = masks;
    const auto image_rows = test::rows_of(pixels, 3);
    const auto mask_rows = test::rows_of(masks, 3);
    const auto label_rows = test::rows_of(labels, 3);
    const BatchPlane mask{mask_rows, {kWidth, kHeight}, 1, sizeof(std::int32_t), format};
    test::run_batch(cut_mix(), {{"box", box}, {"lam", 0.75}},
                    {.images = {image_rows, {kWidth, kHeight}, kChannels, 1, format},
                     .type = ElementType::uint8,
                     .labels = label_rows,
                     .classes = 2,
                     .masks = {&mask, 1}});
    for (std::size_t row = 0; row < 3; ++row) {
      for (int y = 0; y < kHeight; ++y) {
        for (int x = 0; x < kWidth; ++x) {
          const bool inside = x >= 1 && x < 4 && y == 2;
          const std::size_t from = inside ? (row + 2) % 3 : row;
          const auto place = static_cast<std::size_t>(y * kWidth + x);
          for (std::size_t c = 0; c < kChannels; ++c) {
            const std::size_t at =
                format == MemoryFormat::channels_first ? c * kWidth * kHeight + place : place * kChannels + c;
            constexpr std::size_t kRow = std::size_t{kWidth} * kHeight * kChannels;
            ASSERT_EQ(pixels[row * kRow + at], before[from * kRow + at]) << row << " " << x << " " << y;
          }
          constexpr std::size_t kRow = std::size_t{kWidth} * kHeight;
          ASSERT_EQ(masks[row * kRow + place], masks_before[from * kRow + place]);
        }
      }
    }
    EXPECT_THAT(labels, ElementsAre(1, 0, 0.25F, 0.75F, 0.75F, 0.25F));
  }
}

TEST(CutMix, draws_boxes_inside_the_image_and_says_their_exact_area) {
  double sum = 0;
  constexpr int kCount = 4000;
  for (std::uint64_t place = 0; place < kCount; ++place) {
    const Params drawn = test::drawn_for_batch(cut_mix(), {31, 17}, place);
    const auto box = test::value_of<std::vector<std::int64_t>>(drawn, "box");
    const double lam = test::value_of<double>(drawn, "lam");
    ASSERT_TRUE(0 <= box[0] && box[0] <= box[2] && box[2] <= 31);
    ASSERT_TRUE(0 <= box[1] && box[1] <= box[3] && box[3] <= 17);
    ASSERT_EQ(lam, 1.0 - static_cast<double>((box[2] - box[0]) * (box[3] - box[1])) / (31.0 * 17.0));
    sum += lam;
  }
  // A share U of [0, 1) stays before the box is cut at the edges, which makes it smaller.
  EXPECT_GT(sum / kCount, 0.5);
  EXPECT_LT(sum / kCount, 0.75);
}

TEST(CutMix, rows_that_mirror_each_other_may_have_boxes_of_their_own) {
  const TransformPtr cut = make(
      "CutMix",
      {{"num_classes", std::int64_t{2}}, {"pairing", std::string("mirror")}, {"mode", std::string("elem")}});
  std::vector<std::uint8_t> pixels = {0, 1, 2, 10, 11, 12, 20, 21, 22};
  std::vector<float> labels = {1, 0, 0, 1, 0, 1};
  const auto image_rows = test::rows_of(pixels, 3);
  const auto label_rows = test::rows_of(labels, 3);
  const std::vector<std::int64_t> boxes = {0, 0, 1, 1, /**/ 0, 0, 3, 1, /**/ 1, 0, 3, 1};
  test::run_batch(cut, {{"box", boxes}, {"lam", std::vector<double>{0.75, 0.0, 0.25}}},
                  {.images = {image_rows, {3, 1}, 1, 1, MemoryFormat::channels_last},
                   .labels = label_rows,
                   .classes = 2,
                   .masks = {}});
  EXPECT_THAT(pixels, ElementsAre(20, 1, 2, 10, 11, 12, 20, 1, 2)) << "the middle row stays";
  EXPECT_THAT(labels, ElementsAre(0.75F, 0.25F, 0, 1, 0.75F, 0.25F));
  const Params drawn = test::drawn_for_batch(cut, {31, 17}, 0, 6);
  EXPECT_EQ(test::value_of<std::vector<std::int64_t>>(drawn, "box").size(), 24u);
  for (const double lam : test::value_of<std::vector<double>>(drawn, "lam")) {
    EXPECT_EQ(lam, static_cast<float>(lam));
  }
}

TEST(CutMix, takes_images_of_one_size_and_of_any_type) {
  const TransformPtr made = cut_mix();
  const BatchTransform& operation = test::batch_operation(made);
  BatchSpec spec{.images = {.size = {8, 8}}, .classes = 2, .masks = "mask"};
  EXPECT_TRUE(operation.check_for(spec).ok());
  spec.others = "boxes";
  EXPECT_NE(operation.check_for(spec).error().to_string().find("field 'boxes' moves with them"),
            std::string::npos);
  spec = {.images = {}, .classes = 2};
  EXPECT_NE(operation.check_for(spec).error().to_string().find("images of one size"), std::string::npos);
  spec = {.images = {}, .dimensions = 4, .classes = 2};
  EXPECT_NE(operation.check_for(spec).error().to_string().find("got 4 dimensions"), std::string::npos);
  spec = {.images = {.size = {8, 8}}};
  EXPECT_NE(operation.check_for(spec).error().to_string().find("needs labels"), std::string::npos);
  EXPECT_NE(test::refusal("CutMix", {}).find("num_classes"), std::string::npos);
}

}  // namespace
}  // namespace penstock::inline v0
