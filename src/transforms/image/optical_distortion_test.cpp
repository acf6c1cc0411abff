#include <gtest/gtest.h>

#include "transforms/coordinates.hpp"
#include "transforms/distribution_for_test.hpp"
#include "transforms/run_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using test::make;
using test::run_on;
using test::TestImage;
using List = std::vector<double>;

TEST(OpticalDistortion, keeps_the_centre_and_moves_the_corners) {
  TestImage image = TestImage::noise({40, 40}, 1);
  TestImage bent =
      run_on({make("OpticalDistortion", {{"distortion", 0.5}, {"fill", std::int64_t{9}}})}, image);
  EXPECT_EQ(bent.at(20, 20, 1), image.at(20, 20, 1));
  EXPECT_EQ(bent.at(0, 0), 9) << "from outside";
  TestImage other = run_on({make("OpticalDistortion", {{"fill", std::int64_t{9}}})}, image);
  EXPECT_NE(other.at(0, 0), 9) << "from inside";
}

TEST(OpticalDistortion, moves_points_to_where_their_pixels_are) {
  const TransformPtr bend = make("OpticalDistortion", {{"distortion", -0.3}, {"dx", 3.0}});
  const auto program = ImageProgram::compile({bend}, MemoryFormat::channels_last);
  const auto workspace = program->make_workspace();
  ASSERT_TRUE(program->resolve(*workspace, {60, 50}, {3, 4, 5}).ok());
  const auto& edit = std::get<FieldEdit>(workspace->edits.at(0));
  std::vector<float> columns(3000 + 16), rows(3000 + 16);
  Scratch scratch;
  edit.make(edit, {60, 50}, {columns.data(), rows.data()}, scratch);
  for (const int at : {0, 59, 777, 1530, 2999}) {
    std::vector<float> point = {columns[static_cast<std::size_t>(at)], rows[static_cast<std::size_t>(at)]};
    move_points(workspace->edits, {60, 50}, {point, {}, {}});
    EXPECT_NEAR(point[0], at % 60, 1e-2);
    EXPECT_NEAR(point[1], at / 60, 1e-2);
  }
}

TEST(OpticalDistortion, draws_from_its_range) {
  const TransformPtr bend = make("OpticalDistortion", {{"distortion", List{-0.4, 0.2}}});
  List drawn;
  for (std::uint64_t sample = 0; sample < 2000; ++sample) {
    drawn.push_back(test::value_of<double>(test::drawn_by(bend, {8, 8}, sample), "distortion"));
  }
  EXPECT_LT(test::uniform_distance(drawn, -0.4, 0.2), test::kUniformDistance);
  EXPECT_NE(test::refusal("OpticalDistortion", {{"distortion", 2.0}}).find("distortion"), std::string::npos);
}

}  // namespace
}  // namespace penstock::inline v0
