#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "transforms/batch/batch_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using test::make;
using testing::ElementsAre;
using testing::HasSubstr;
using Whole = std::vector<std::int64_t>;

TEST(TimmMixup, each_row_is_mixed_cut_or_neither) {
  const TransformPtr mix = make("TimmMixup", {{"cutmix_alpha", 1.0},
                                              {"mode", std::string("elem")},
                                              {"label_smoothing", 0.0},
                                              {"num_classes", std::int64_t{2}}});
  std::vector<float> images = {1, 2, 10, 20, 100, 200, 1000, 2000};
  std::vector<float> labels = {1, 0, 1, 0, 0, 1, 0, 1};
  const auto image_rows = test::rows_of(images, 4);
  const auto label_rows = test::rows_of(labels, 4);
  test::run_batch(mix,
                  {{"cutmix", Whole{0, 1, 0, 1}},
                   {"box", Whole{0, 0, 0, 0, /**/ 0, 0, 1, 1, /**/ 0, 0, 0, 0, /**/ 1, 0, 2, 1}},
                   {"lam", std::vector<double>{0.75, 0.5, 1.0, 0.25}}},
                  {.images = {image_rows, {2, 1}, 1, sizeof(float), MemoryFormat::channels_first},
                   .type = ElementType::float32,
                   .labels = label_rows,
                   .classes = 2,
                   .masks = {}});
  EXPECT_THAT(images, ElementsAre(250.75F, 501.5F, 100, 20, 100, 200, 1000, 2));
  EXPECT_THAT(labels, ElementsAre(0.75F, 0.25F, 0.5F, 0.5F, 0, 1, 0.75F, 0.25F));
}

TEST(TimmMixup, draws_by_its_probabilities) {
  const TransformPtr mix = make("TimmMixup", {{"mixup_alpha", 0.8},
                                              {"cutmix_alpha", 1.0},
                                              {"prob", 0.5},
                                              {"switch_prob", 0.25},
                                              {"mode", std::string("pair")}});
  double cut = 0, stays = 0, count = 0;
  for (std::uint64_t place = 0; place < 100; ++place) {
    const Params drawn = test::drawn_for_batch(mix, {31, 17}, place, 64);
    const auto cuts = test::value_of<Whole>(drawn, "cutmix");
    const auto shares = test::value_of<std::vector<double>>(drawn, "lam");
    const auto boxes = test::value_of<Whole>(drawn, "box");
    ASSERT_EQ(cuts.size(), 32u);
    for (std::size_t i = 0; i < cuts.size(); ++i) {
      const std::int64_t area = (boxes[4 * i + 2] - boxes[4 * i]) * (boxes[4 * i + 3] - boxes[4 * i + 1]);
      ASSERT_TRUE(cuts[i] == 1 || area == 0);
      if (cuts[i] == 1) {
        EXPECT_EQ(shares[i], static_cast<float>(1.0 - static_cast<double>(area) / (31.0 * 17.0)));
      }
      cut += static_cast<double>(cuts[i]);
      stays += shares[i] == 1 && cuts[i] == 0 ? 1 : 0;
      ++count;
    }
  }
  EXPECT_NEAR(stays / count, 0.5, 0.04);
  EXPECT_NEAR(cut / count, 0.125, 0.03);
}

TEST(TimmMixup, sides_between_a_smallest_and_a_largest) {
  const TransformPtr mix =
      make("TimmMixup", {{"mixup_alpha", 0.0}, {"cutmix_minmax", std::vector<double>{0.25, 0.5}}});
  bool last_column = false;
  bool last_row = false;
  for (std::uint64_t place = 0; place < 200; ++place) {
    const auto box = test::value_of<Whole>(test::drawn_for_batch(mix, {40, 20}, place, 2), "box");
    last_column = last_column || box[2] == 40;
    last_row = last_row || box[3] == 20;
    ASSERT_TRUE(0 <= box[0] && box[2] <= 40 && 0 <= box[1] && box[3] <= 20);
    ASSERT_TRUE(10 <= box[2] - box[0] && box[2] - box[0] < 20);
    ASSERT_TRUE(5 <= box[3] - box[1] && box[3] - box[1] < 10);
  }
  EXPECT_TRUE(last_column && last_row) << "timm 1.0.31 draws the last place too, which 1.0.15 did not";
}

TEST(TimmMixup, refuses_what_cannot_be) {
  EXPECT_THAT(test::refusal("TimmMixup", {{"mixup_alpha", 0.0}}), HasSubstr("are both 0"));
  EXPECT_THAT(test::refusal("TimmMixup", {{"prob", 1.5}}),
              HasSubstr("prob must be between 0 and 1, got 1.5"));
  EXPECT_THAT(test::refusal("TimmMixup", {{"cutmix_minmax", std::vector<double>{0.5, 0.25}}}),
              HasSubstr("cutmix_minmax must be (min, max)"));
  EXPECT_THAT(test::refusal("TimmMixup", {{"cutmix_alpha", -1.0}}),
              HasSubstr("cutmix_alpha must be a positive number, got -1"));
  const TransformPtr cuts = make("TimmMixup", {{"mixup_alpha", 0.0}, {"cutmix_alpha", 1.0}});
  BatchSpec spec{.images = {.size = {8, 8}, .type = ElementType::float16}, .classes = 1000, .masks = "mask"};
  EXPECT_TRUE(test::batch_operation(cuts).check_for(spec).ok()) << "CutMix alone takes any type, and masks";
  const TransformPtr mixes = make("TimmMixup");
  EXPECT_THAT(test::batch_operation(mixes).check_for(spec).error().to_string(), HasSubstr("field 'mask'"));
  spec.masks.clear();
  EXPECT_THAT(test::batch_operation(mixes).check_for(spec).error().to_string(),
              HasSubstr("mixes images of float32 or uint8"));
}

}  // namespace
}  // namespace penstock::inline v0
