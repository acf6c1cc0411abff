#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "transforms/batch/batch_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using test::make;

TEST(MixUp, mixes_each_row_with_the_one_before_and_the_first_with_the_last) {
  const TransformPtr mix = make("MixUp", {{"num_classes", std::int64_t{2}}});
  std::vector<float> images = {1, 2, 10, 20, 100, 200};
  std::vector<float> labels = {1, 0, 0, 1, 1, 0};
  const auto image_rows = test::rows_of(images, 3);
  const auto label_rows = test::rows_of(labels, 3);
  test::run_batch(mix, {{"lam", 0.75}},
                  {.images = {image_rows, {2, 1}, 1, sizeof(float), MemoryFormat::channels_first},
                   .type = ElementType::float32,
                   .labels = label_rows,
                   .classes = 2,
                   .masks = {}});
  EXPECT_THAT(images, ::testing::ElementsAre(25.75F, 51.5F, 7.75F, 15.5F, 77.5F, 155.0F));
  EXPECT_THAT(labels, ::testing::ElementsAre(1, 0, 0.25F, 0.75F, 0.75F, 0.25F));
}

TEST(MixUp, bytes_are_rounded_halves_to_even_and_labels_smoothed_first) {
  const TransformPtr mix = make("MixUp", {{"num_classes", std::int64_t{2}},
                                          {"pairing", std::string("mirror")},
                                          {"mode", std::string("pair")},
                                          {"label_smoothing", 0.5}});
  std::vector<std::uint8_t> images = {1, 255, 4, 250, 99, 7, 98, 9, 2, 255, 7, 3};
  std::vector<float> labels = {1, 0, 1, 0, 0, 1, 0, 1};
  const auto image_rows = test::rows_of(images, 4);
  const auto label_rows = test::rows_of(labels, 4);
  test::run_batch(mix, {{"lam", std::vector<double>{0.5, 0.25}}},
                  {.images = {image_rows, {3, 1}, 1, 1, MemoryFormat::channels_first},
                   .type = ElementType::uint8,
                   .labels = label_rows,
                   .classes = 2,
                   .masks = {}});
  // Rows 0 and 3 half and half: 128, 5.5 and 3.5 of the second and third values; rows 1 and 2 by a quarter.
  EXPECT_THAT(images, ::testing::ElementsAre(128, 131, 4, 136, 32, 3, 212, 76, 6, 128, 131, 4));
  EXPECT_THAT(labels, ::testing::ElementsAre(0.5F, 0.5F, 0.375F, 0.625F, 0.625F, 0.375F, 0.5F, 0.5F));
}

TEST(MixUp, draws_shares_of_the_beta_distribution) {
  for (const double alpha : {0.2, 1.0, 3.0}) {
    const TransformPtr mix = make("MixUp", {{"alpha", alpha}, {"num_classes", std::int64_t{2}}});
    double sum = 0;
    double squares = 0;
    constexpr int kCount = 4000;
    for (std::uint64_t place = 0; place < kCount; ++place) {
      const double lam = test::value_of<double>(test::drawn_for_batch(mix, {}, place), "lam");
      ASSERT_TRUE(lam >= 0 && lam <= 1);
      sum += lam;
      squares += lam * lam;
    }
    const double mean = sum / kCount;
    const double variance = 1 / (4 * (2 * alpha + 1));
    EXPECT_NEAR(mean, 0.5, 4 * std::sqrt(variance / kCount));
    EXPECT_NEAR(squares / kCount - mean * mean, variance, 0.1 * variance) << alpha;
  }
}

TEST(MixUp, stands_at_the_end_of_a_list) {
  const TransformPtr mix = make("MixUp", {{"num_classes", std::int64_t{2}}});
  std::vector<TransformPtr> list = {transforms::ToFloat{}, mix};
  EXPECT_EQ(take_batch_operations(list).value().size(), 1u);
  EXPECT_EQ(list.size(), 1u);
  list = {mix, transforms::ToFloat{}};
  EXPECT_FALSE(take_batch_operations(list).ok());
  list = {mix, make("CutMix", {{"num_classes", std::int64_t{3}}})};
  EXPECT_NE(take_batch_operations(list).error().to_string().find("differ in num_classes"), std::string::npos);
  EXPECT_NE(test::refusal("MixUp", {}).find("num_classes"), std::string::npos);
  EXPECT_NE(test::refusal("MixUp", {{"num_classes", std::int64_t{2}}, {"mode", std::string("pair")}})
                .find("pass pairing='mirror'"),
            std::string::npos);
  EXPECT_NE(test::refusal("MixUp", {{"num_classes", std::int64_t{2}}, {"label_smoothing", 1.5}})
                .find("label_smoothing must be between 0 and 1, got 1.5"),
            std::string::npos);
  EXPECT_NE(test::refusal("MixUp", {{"alpha", 0.0}, {"num_classes", std::int64_t{2}}}).find("alpha"),
            std::string::npos);
}

}  // namespace
}  // namespace penstock::inline v0
