#include <gtest/gtest.h>

#include <cmath>

#include "transforms/coordinates.hpp"
#include "transforms/run_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using test::make;
using test::run_on;
using test::TestImage;
using List = std::vector<double>;

const FieldEdit& planned_field(ImageWorkspace& workspace) {
  return std::get<FieldEdit>(workspace.edits.at(0));
}

TEST(ElasticTransform, moves_pixels_smoothly_and_points_against_the_field) {
  const TransformPtr elastic =
      make("ElasticTransform", {{"alpha", List{40.0, 30.0}}, {"sigma", List{4.0, 3.0}}});
  const auto program = ImageProgram::compile({elastic}, MemoryFormat::channels_last);
  const auto workspace = program->make_workspace();
  const ImageSize size{50, 40};
  ASSERT_TRUE(program->resolve(*workspace, size, {3, 4, 5}).ok());
  const FieldEdit& edit = planned_field(*workspace);
  std::vector<float> columns(2000 + 16), rows(2000 + 16);
  Scratch scratch;
  edit.make(edit, size, {columns.data(), rows.data()}, scratch);
  double largest = 0;
  for (int y = 0; y < 40; ++y) {
    for (int x = 1; x < 50; ++x) {
      const auto i = static_cast<std::size_t>(y * 50 + x);
      largest = std::max(largest, std::abs(static_cast<double>(columns[i]) - x));
      ASSERT_LT(std::abs(columns[i] - columns[i - 1] - 1), 1.0F) << "not smooth";
    }
  }
  EXPECT_GT(largest, 0.3);
  EXPECT_LT(largest, 20);
  // Also beside the edges, where the noise is reflected.
  for (const int at : {0, 3, 777, 1249, 1999}) {
    const auto i = static_cast<std::size_t>(at);
    std::vector<float> point = {static_cast<float>(at % 50), static_cast<float>(at / 50)};
    const float x = point[0], y = point[1];
    move_points(workspace->edits, size, {point, {}, {}});
    EXPECT_NEAR(point[0], x - (columns[i] - x), 1e-4);
    EXPECT_NEAR(point[1], y - (rows[i] - y), 1e-4);
  }
}

TEST(ElasticTransform, without_strength_changes_nothing) {
  const TestImage image = TestImage::noise({20, 30}, 1);
  EXPECT_EQ(run_on({make("ElasticTransform", {{"alpha", 0.0}})}, image), image);
  EXPECT_NE(run_on({make("ElasticTransform")}, image), image);
  EXPECT_NE(run_on({make("ElasticTransform")}, image, 1), run_on({make("ElasticTransform")}, image, 2));
}

TEST(ElasticTransform, refuses_what_it_cannot_do) {
  EXPECT_NE(test::refusal("ElasticTransform", {{"sigma", -1.0}}).find("sigma"), std::string::npos);
  EXPECT_NE(test::refusal("ElasticTransform", {{"alpha", List{1, 2, 3}}}).find("alpha"), std::string::npos);
  EXPECT_NE(
      test::refusal("ElasticTransform", {{"interpolation", std::string("bicubic")}}).find("interpolation"),
      std::string::npos);
}

}  // namespace
}  // namespace penstock::inline v0
