#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "transforms/batch/batch_for_test.hpp"

namespace penstock::inline v0 {
namespace {

TEST(OneHot, gives_a_share_of_each_label_to_all_classes) {
  const TransformPtr operation =
      test::make("OneHot", {{"num_classes", std::int64_t{4}}, {"label_smoothing", 0.2}});
  std::vector<float> labels = {0, 1, 0, 0, 0, 0, 0, 1};
  const auto rows = test::rows_of(labels, 2);
  test::run_batch(operation, {}, {.images = {}, .labels = rows, .classes = 4, .masks = {}});
  const auto on = static_cast<float>(0.8 + 0.05);
  EXPECT_THAT(labels, testing::ElementsAre(0.05F, on, 0.05F, 0.05F, 0.05F, 0.05F, 0.05F, on));
}

TEST(OneHot, needs_labels_and_no_images) {
  const TransformPtr operation = test::make("OneHot", {{"num_classes", std::int64_t{4}}});
  EXPECT_TRUE(test::batch_operation(operation).check_for({.dimensions = 0, .classes = 4}).ok());
  EXPECT_THAT(test::batch_operation(operation).check_for({}).error().to_string(),
              testing::HasSubstr("OneHot needs labels"));
}

}  // namespace
}  // namespace penstock::inline v0
