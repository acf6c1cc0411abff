#include <gtest/gtest.h>

#include "transforms/coordinates.hpp"
#include "transforms/run_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using test::make;
using test::run_on;
using test::TestImage;
using List = std::vector<double>;

constexpr const char* kObject = "RandomRotateObject";

/// Nothing of it is random.
TransformPtr fixed(double x, double y, double scale, const char* pad_mode) {
  return make(kObject, {{"p", 1.0},
                        {"max_deg", 0.0},
                        {"scale", scale},
                        {"dest_x", x},
                        {"dest_y", y},
                        {"pad_mode", std::string(pad_mode)},
                        {"interpolation", std::string("nearest")}});
}

TEST(RandomRotateObject, puts_the_middle_where_it_was_drawn) {
  TestImage image = TestImage::noise({20, 12}, 4);
  for (const char* mode : {"zeros", "border", "reflection"}) {
    TestImage out = run_on({fixed(0.75, 0.25, 1, mode)}, image);  // 5 to the right, 3 up
    ASSERT_EQ(out.size, image.size);
    EXPECT_EQ(out.at(12, 3), image.at(7, 6)) << mode;
    EXPECT_EQ(out.at(5, 0), image.at(0, 3)) << mode;
  }
}

TEST(RandomRotateObject, has_something_outside_of_the_image) {
  TestImage image = TestImage::noise({20, 12}, 4);
  EXPECT_EQ(run_on({fixed(0.75, 0.5, 1, "zeros")}, image).at(1, 6), 0);
  EXPECT_EQ(run_on({fixed(0.75, 0.5, 1, "border")}, image).at(1, 6), image.at(0, 6));
  EXPECT_EQ(run_on({fixed(0.75, 0.5, 1, "reflection")}, image).at(1, 6), image.at(3, 6));
  TestImage far = run_on({fixed(0.5, 0.5, 3, "border")}, image);
  EXPECT_EQ(far.at(0, 0), image.at(0, 0));
  EXPECT_EQ(far.at(19, 11), image.at(19, 11));
  EXPECT_EQ(far.at(10, 0), image.at(11, 0));
}

// As RandomRotation, whose pixels are compared with Pillow's.
TEST(RandomRotateObject, turns_counter_clockwise) {
  const TestImage image = TestImage::noise({21, 21}, 4);
  const TransformPtr object = make(
      kObject,
      {{"p", 1.0}, {"scale", 1.0}, {"dest_x", 0.5}, {"dest_y", 0.5}, {"pad_mode", std::string("zeros")}});
  for (std::uint64_t sample = 0; sample < 20; ++sample) {
    const double angle = test::value_of<double>(test::drawn_by(object, image.size, sample), "angle");
    const TransformPtr turn =
        make("RandomRotation", {{"degrees", List{angle, angle}}, {"interpolation", std::string("bilinear")}});
    const TestImage a = run_on({object}, image, sample);
    const TestImage b = run_on({turn}, image, sample);
    int differ = 0;  // Pillow rounds the sine
    for (std::size_t i = 0; i < a.bytes.size(); ++i) {
      differ += a.bytes[i] == b.bytes[i] ? 0 : 1;
    }
    EXPECT_LT(differ, 14) << angle;  // of 1,323 values
  }
}

TEST(RandomRotateObject, moves_boxes_along) {
  const auto program =
      ImageProgram::compile({fixed(0.75, 0.25, 1, "border")}, MemoryFormat::channels_last).value();
  const auto workspace = program.make_workspace();
  ASSERT_TRUE(program.resolve(*workspace, {20, 12}, {1, 2, 3}).ok());
  std::vector<float> boxes = {2, 4, 6, 8};
  std::vector<std::uint8_t> kept(1, 1);
  move_boxes(workspace->edits, {20, 12}, {boxes, {}, kept});
  EXPECT_EQ(boxes, (std::vector<float>{7, 1, 11, 5}));
}

TEST(RandomRotateObject, happens_with_its_probability) {
  const TransformPtr object = make(kObject, {{"p", 0.25}});
  int applied = 0;
  for (std::uint64_t sample = 0; sample < 400; ++sample) {
    applied += test::value_of<bool>(test::drawn_by(object, {20, 12}, sample), "apply") ? 1 : 0;
  }
  EXPECT_NEAR(applied, 100, 35);
  EXPECT_NE(test::refusal(kObject, {{"scale", List{1.0, 9.0}}}).find("scale"), std::string::npos);
  EXPECT_NE(test::refusal(kObject, {{"max_deg", -1.0}}).find("max_deg"), std::string::npos);
}

}  // namespace
}  // namespace penstock::inline v0
