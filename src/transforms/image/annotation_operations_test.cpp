// ClampBoundingBoxes, SanitizeBoundingBoxes, SanitizeKeyPoints and ConvertBoundingBoxFormat.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "transforms/coordinates.hpp"
#include "transforms/run_for_test.hpp"
#include "transforms/sample_program.hpp"

namespace penstock::inline v0 {
namespace {

using test::make;
using testing::ElementsAre;

/// The edits of a list for an image of this size.
ImageEdits edits_of(const std::vector<TransformPtr>& list, ImageSize size) {
  const auto program = ImageProgram::compile(list, MemoryFormat::channels_last).value();
  const auto workspace = program.make_workspace();
  EXPECT_TRUE(program.resolve(*workspace, size, {1, 2, 3}).ok());
  return workspace->edits;
}

std::vector<std::uint8_t> kept_boxes(const Params& params, std::vector<float> boxes) {
  std::vector<std::uint8_t> kept(boxes.size() / 4, 1);
  move_boxes(edits_of({make("SanitizeBoundingBoxes", params)}, {20, 10}), {20, 10}, {boxes, {}, kept});
  return kept;
}

TEST(ClampBoundingBoxes, cuts_boxes_off_at_the_edges) {
  std::vector<float> boxes = {-3, 2, 25, 8.5F, 1, -4, 30, 40, -9, -9, -1, -1};
  std::vector<std::uint8_t> kept(3, 1);
  move_boxes(edits_of({make("ClampBoundingBoxes")}, {20, 10}), {20, 10}, {boxes, {}, kept});
  EXPECT_THAT(boxes, ElementsAre(0, 2, 20, 8.5F, 1, 0, 20, 10, 0, 0, 0, 0));
  EXPECT_THAT(kept, ElementsAre(1, 1, 1));
}

TEST(SanitizeBoundingBoxes, drops_what_is_small_or_reaches_out) {
  const std::vector<float> boxes = {0, 0, 20, 10, 0, 0, 0.9F, 5, -1, 0, 5, 5, 3, 3, 21, 5, 5, 5, 8, 8};
  EXPECT_THAT(kept_boxes({}, boxes), ElementsAre(1, 0, 0, 0, 1));
  EXPECT_THAT(kept_boxes({{"min_size", 4.0}}, boxes), ElementsAre(1, 0, 0, 0, 0));
  EXPECT_THAT(kept_boxes({{"min_area", 9.0}}, boxes), ElementsAre(1, 0, 0, 0, 1));
  EXPECT_THAT(kept_boxes({{"min_area", 9.1}}, boxes), ElementsAre(1, 0, 0, 0, 0));
  EXPECT_THAT(kept_boxes({}, {NAN, 0, 5, 5}), ElementsAre(0));
  EXPECT_NE(test::refusal("SanitizeBoundingBoxes", {{"min_size", 0.5}}).find("at least 1"),
            std::string::npos);
  EXPECT_NE(test::refusal("SanitizeBoundingBoxes", {{"min_area", NAN}}).find("at least 1"),
            std::string::npos);
}

TEST(SanitizeKeyPoints, drops_objects_with_a_point_outside) {
  std::vector<float> points = {0, 0, 19.5F, 9.5F, 5, 5, 20, 5, -0.1F, 2};
  const std::vector<std::uint32_t> sizes = {2, 2, 1, 0};
  std::vector<std::uint8_t> kept(4, 1);
  move_points(edits_of({make("SanitizeKeyPoints")}, {20, 10}), {20, 10}, {points, sizes, kept});
  EXPECT_THAT(kept, ElementsAre(1, 0, 0, 1));
}

TEST(ConvertBoundingBoxFormat, gives_boxes_in_the_format_that_was_named_last) {
  const auto boxes_of = [](const std::vector<TransformPtr>& list) {
    const auto program = SampleProgram::compile({{"", 0, list}}, {}, MemoryFormat::channels_last).value();
    SampleWorkspace workspace = program.make_workspace();
    EXPECT_TRUE(program.resolve(workspace, {20, 10}, {1, 2, 3}).ok());
    std::vector<float> boxes = {2, 1, 8, 5};
    std::vector<std::uint8_t> kept(1, 1);
    program.move_boxes(workspace, 0, {boxes, {}, kept});
    return boxes;
  };
  const auto to = [](const char* format) {
    return make("ConvertBoundingBoxFormat", {{"format", std::string(format)}});
  };
  const TransformPtr flip = make("RandomHorizontalFlip", {{"p", 1.0}});
  EXPECT_THAT(boxes_of({to("xywh")}), ElementsAre(2, 1, 6, 4));
  EXPECT_THAT(boxes_of({to("CXCYWH"), flip}), ElementsAre(15, 3, 6, 4));
  EXPECT_THAT(boxes_of({to("xywh"), flip, to("xyxy")}), ElementsAre(12, 1, 18, 5));
  EXPECT_EQ(repr(*to("XYWH")), "ConvertBoundingBoxFormat(format='xywh')");
  EXPECT_NE(test::refusal("ConvertBoundingBoxFormat", {{"format", std::string("xyxyr")}}), "no error");
  EXPECT_NE(test::refusal("ConvertBoundingBoxFormat", {}), "no error");
}

TEST(ClampKeyPoints, moves_points_to_the_last_pixel_of_the_edge) {
  std::vector<float> points = {-3, 2, 25, 9.5F, 1.5F, -4};
  const std::vector<std::uint32_t> sizes = {3};
  std::vector<std::uint8_t> kept(1, 1);
  move_points(edits_of({make("ClampKeyPoints")}, {20, 10}), {20, 10}, {points, sizes, kept});
  EXPECT_THAT(points, ElementsAre(0, 2, 19, 9, 1.5F, 0));
}

TEST(SanitizeBoundingBoxes, is_part_of_the_plan_and_no_pass) {
  const auto program = ImageProgram::compile({transforms::Resize{.size = 9}, make("SanitizeBoundingBoxes"),
                                              transforms::CenterCrop{.size = 8}},
                                             MemoryFormat::channels_last)
                           .value();
  EXPECT_NE(program.describe().find("resize bilinear + crop + write"), std::string::npos)
      << program.describe();
  EXPECT_NE(program.describe().find("sanitize boxes"), std::string::npos) << program.describe();
}

}  // namespace
}  // namespace penstock::inline v0
