#include "transforms/coordinates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace penstock::inline v0 {
namespace {

using ::testing::ElementsAre;

std::vector<float> boxes_after(const ImageEdits& edits, std::vector<float> boxes) {
  std::vector<std::uint8_t> kept(boxes.size() / 4, 1);
  move_boxes(edits, {100, 50}, {boxes, {}, kept});
  drop_items(boxes, kept, 4);
  return boxes;
}
std::vector<float> points_after(const ImageEdits& edits, std::vector<float> points) {
  const std::vector<std::uint32_t> sizes(points.size() / 2, 1);
  std::vector<std::uint8_t> kept(sizes.size(), 1);
  move_points(edits, {100, 50}, {points, sizes, kept});
  drop_points(points, kept, sizes);
  return points;
}

TEST(Coordinates, boxes_are_cut_off_by_crops_and_grow_with_resizes) {
  EXPECT_THAT(boxes_after({CropEdit{{20, 10, 40, 30}}}, {10, 15, 70, 30}), ElementsAre(0, 5, 40, 20));
  EXPECT_THAT(boxes_after({ResizeEdit{{50, 100}}}, {10, 10, 20, 20}), ElementsAre(5, 20, 10, 40));
  EXPECT_THAT(boxes_after({PadEdit{1, 2, 3, 4}}, {10, 10, 20, 20}), ElementsAre(11, 12, 21, 22));
}

TEST(Coordinates, mirrored_boxes_have_edges_and_mirrored_points_centres) {
  EXPECT_THAT(boxes_after({FlipEdit{}}, {10, 15, 30, 40}), ElementsAre(70, 15, 90, 40));
  EXPECT_THAT(points_after({FlipEdit{}}, {10, 15}), ElementsAre(89, 15));
  EXPECT_THAT(boxes_after({FlipEdit{.down = true}}, {10, 15, 30, 40}), ElementsAre(10, 10, 30, 35));
  EXPECT_THAT(points_after({FlipEdit{.down = true}}, {10, 15}), ElementsAre(10, 34));
}

TEST(Coordinates, turns_move_corners) {
  EXPECT_THAT(boxes_after({MoveEdit{Move::turn_90}}, {10, 15, 30, 40}), ElementsAre(15, 70, 40, 90));
  EXPECT_THAT(boxes_after({MoveEdit{Move::turn_270}}, {10, 15, 30, 40}), ElementsAre(10, 10, 35, 30));
  EXPECT_THAT(boxes_after({MoveEdit{Move::turn_180}}, {10, 15, 30, 40}), ElementsAre(70, 10, 90, 35));
}

TEST(Coordinates, warps_go_the_other_way_than_their_matrix) {
  WarpEdit warp{{100, 50}, {}};
  warp.warp.matrix = {1, 0, -5, 0, 1, 7};  // pixels move right by 5 and up by 7
  EXPECT_THAT(boxes_after({warp}, {10, 15, 30, 40}), ElementsAre(15, 8, 35, 33));
  EXPECT_THAT(points_after({warp}, {98, 3}), ElementsAre(103, -4));  // points may leave the image
}

TEST(Coordinates, edits_on_boxes_see_them_where_they_are_then_and_drop_some) {
  // Drops what lies left of the middle of the image.
  const AnnotationEdit right_half{
      .name = "right half", .run = [](const AnnotationEdit&, ImageSize image, const AnnotationItems& items) {
        for (std::size_t i = 0; i < items.kept.size(); ++i) {
          items.kept[i] = items.kept[i] != 0 && 2 * items.numbers[4 * i] >= static_cast<float>(image.width);
        }
      }};
  const std::vector<float> boxes = {10, 15, 30, 40, 60, 0, 70, 10};
  EXPECT_THAT(boxes_after({right_half}, boxes), ElementsAre(60, 0, 70, 10));
  EXPECT_THAT(boxes_after({FlipEdit{}, right_half}, boxes), ElementsAre(70, 15, 90, 40));
  EXPECT_THAT(boxes_after({right_half, ResizeEdit{{10, 50}}}, boxes), ElementsAre(6, 0, 7, 10));
  EXPECT_THAT(boxes_after({right_half, FlipEdit{}, right_half}, boxes), ElementsAre());
  EXPECT_THAT(points_after({right_half}, {10, 15}), ElementsAre(10, 15));
}

TEST(Coordinates, points_are_dropped_with_those_that_belong_to_them) {
  std::vector<float> points = {1, 2, 3, 4, 5, 6, 7, 8};
  drop_points(points, std::vector<std::uint8_t>{0, 1, 0, 1}, std::vector<std::uint32_t>{1, 2, 0, 1});
  EXPECT_THAT(points, ElementsAre(3, 4, 5, 6, 7, 8));
}

TEST(Coordinates, perspective_maps_are_inverted) {
  WarpEdit warp{{100, 50}, {}};
  warp.warp.matrix = {1.1, 0.2, -5, 0.1, 0.9, 7};
  warp.warp.perspective = {0.002, -0.003};
  const double x = 40;
  const double y = 20;
  const double divisor = 0.002 * x - 0.003 * y + 1;
  const auto moved = points_after({warp}, {static_cast<float>((1.1 * x + 0.2 * y - 5) / divisor),
                                           static_cast<float>((0.1 * x + 0.9 * y + 7) / divisor)});
  EXPECT_NEAR(moved[0], x, 1e-4);
  EXPECT_NEAR(moved[1], y, 1e-4);
}

TEST(Coordinates, masks_are_moved_by_the_nearest_pixel_and_see_no_colours) {
  PadEdit pad{1, 1, 1, 1, transforms::PaddingMode::constant, {5, 5, 5, 5}};
  pad.mask_fill = 255;
  ImageEdits masks;
  ASSERT_TRUE(mask_edits({ResizeEdit{{9, 9}}, TableEdit{}, pad}, ElementType::uint8, masks).ok());
  ASSERT_EQ(masks.size(), 2u);
  EXPECT_EQ(std::get<ResizeEdit>(masks[0]).filter, transforms::Interpolation::nearest);
  EXPECT_EQ(std::get<PadEdit>(masks[1]).fill, (PixelBytes{255, 0}));
}

TEST(Coordinates, masks_are_filled_with_values_that_they_can_have) {
  WarpEdit warp{{9, 9}, {}};
  FieldEdit field;
  warp.mask_fill = field.mask_fill = 0x1234;
  ImageEdits masks;
  ASSERT_TRUE(mask_edits({warp, field}, ElementType::uint16, masks).ok());
  EXPECT_EQ(std::get<WarpEdit>(masks[0]).warp.fill, (PixelBytes{0x34, 0x12}));
  EXPECT_EQ(std::get<FieldEdit>(masks[1]).sampling.fill, (PixelBytes{0x34, 0x12}));
  const Status status = mask_edits({warp}, ElementType::uint8, masks);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().to_string().find("mask_fill is 4660, but the mask has 8 bits"), std::string::npos);
}

}  // namespace
}  // namespace penstock::inline v0
