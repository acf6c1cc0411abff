#include <gtest/gtest.h>

#include <set>

#include "transforms/coordinates.hpp"
#include "transforms/run_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using test::make;

TEST(RandomIoUCrop, overlaps_a_box_enough_and_marks_boxes_that_are_left_behind) {
  const TransformPtr crop = make("RandomIoUCrop", {{"sampler_options", 0.3}});
  const auto program = ImageProgram::compile({crop}, MemoryFormat::channels_last);
  const auto workspace = program->make_workspace();
  const std::vector<float> boxes = {10, 10, 60, 50, 80, 70, 95, 79};
  int left_behind = 0;
  std::set<int> widths;
  for (std::uint64_t sample = 0; sample < 200; ++sample) {
    ASSERT_TRUE(program->resolve(*workspace, {100, 80}, {3, 4, sample}, boxes).ok());
    ASSERT_EQ(workspace->edits.size(), 1u);
    const Rect box = std::get<CropEdit>(workspace->edits[0]).box;
    widths.insert(box.width);
    EXPECT_GE(box.width, 30);
    EXPECT_GE(box.width, box.height / 2);
    EXPECT_LE(box.width, box.height * 2);
    std::vector<float> moved = boxes;
    move_boxes(workspace->edits, {100, 80}, {moved, {}, {}});
    double best = 0;
    for (std::size_t i = 0; i < 8; i += 4) {
      const float x = (boxes[i] + boxes[i + 2]) / 2;
      const float y = (boxes[i + 1] + boxes[i + 3]) / 2;
      const bool inside = x > static_cast<float>(box.x) && x < static_cast<float>(box.x + box.width) &&
                          y > static_cast<float>(box.y) && y < static_cast<float>(box.y + box.height);
      const std::vector<float> now(moved.begin() + static_cast<std::ptrdiff_t>(i),
                                   moved.begin() + static_cast<std::ptrdiff_t>(i) + 4);
      left_behind += inside ? 0 : 1;
      EXPECT_EQ(inside, now != (std::vector<float>{0, 0, 0, 0}));
      const double common = (now[2] - now[0]) * (now[3] - now[1]);
      const double area = (boxes[i + 2] - boxes[i]) * (boxes[i + 3] - boxes[i + 1]);
      best = std::max(best, inside ? common / (area + box.width * box.height - common) : 0);
    }
    EXPECT_GE(best, 0.3 - 1e-6);
  }
  EXPECT_GT(left_behind, 20);
  EXPECT_GT(widths.size(), 20u);
}

TEST(RandomIoUCrop, leaves_the_image_alone_where_nothing_fits_or_is_asked_for) {
  const auto edits = [](double option, const std::vector<float>& boxes) {
    const TransformPtr crop = make("RandomIoUCrop", {{"sampler_options", option}});
    const auto program = ImageProgram::compile({crop}, MemoryFormat::channels_last);
    const auto workspace = program->make_workspace();
    EXPECT_TRUE(program->resolve(*workspace, {100, 80}, {3, 4, 5}, boxes).ok());
    return workspace->edits.size();
  };
  EXPECT_EQ(edits(0.99, {10, 10, 12, 12}), 0u) << "bounded";
  EXPECT_EQ(edits(1.0, {10, 10, 60, 50}), 0u);
  EXPECT_EQ(edits(0.5, {}), 1u) << "without boxes";
  EXPECT_NE(test::refusal("RandomIoUCrop", {{"min_scale", 0.0}}).find("min_scale"), std::string::npos);
}

}  // namespace
}  // namespace penstock::inline v0
