// What each operation decides for an image of a given size.

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "transforms/catalog.hpp"
#include "transforms/python_round.hpp"
#include "transforms/transform.hpp"

namespace penstock::inline v0 {
namespace {

const ImageTransform& image_operation(const TransformPtr& operation) {
  return dynamic_cast<const ImageTransform&>(*operation);
}

Status try_plan(const TransformPtr& operation, ImageSize size, std::uint64_t sample, ImageEdits& edits) {
  const ImageTransform& image = image_operation(operation);
  Draws draws(RandomKey{1, 2, sample}, 0);
  const DrawnPtr drawn = operation->make_drawn();
  PENSTOCK_TRY(image.draw_for({.image = {.size = size}, .boxes = {}}, draws, *drawn));
  return image.plan_for({.size = size}, *drawn, edits);
}

ImageEdits plan(const TransformPtr& operation, ImageSize image, std::uint64_t sample = 0) {
  ImageEdits edits;
  const Status status = try_plan(operation, image, sample, edits);
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().to_string());
  return edits;
}

ImageSize resized(transforms::Resize resize, ImageSize image) {
  return std::get<ResizeEdit>(plan(resize, image).at(0)).size;
}

Rect centre(int height, int width, ImageSize image) {
  return std::get<CropEdit>(plan(transforms::CenterCrop{.size = {height, width}}, image).back()).box;
}

TEST(PythonRound, sends_halves_to_the_even_neighbour) {
  EXPECT_EQ(python_round(0.5), 0);
  EXPECT_EQ(python_round(1.5), 2);
  EXPECT_EQ(python_round(2.5), 2);
  EXPECT_EQ(python_round(-0.5), 0);
  EXPECT_EQ(python_round(-1.5), -2);
  EXPECT_EQ(python_round(2.4999999), 2);
  EXPECT_EQ(python_round(0.49999999999999994), 0);
}

TEST(Resize, one_number_is_the_shorter_side_and_the_longer_is_cut_off) {
  EXPECT_EQ(resized({.size = 256}, {500, 375}), (ImageSize{341, 256}));  // 341.33
  EXPECT_EQ(resized({.size = 256}, {375, 500}), (ImageSize{256, 341}));
  EXPECT_EQ(resized({.size = 256}, {300, 299}), (ImageSize{256, 256}));  // 256.86
  EXPECT_EQ(resized({.size = 10}, {7, 7}), (ImageSize{10, 10}));
}

TEST(Resize, max_size_alone_is_the_longer_side) {
  EXPECT_EQ(resized({.size = transforms::SizeOrNone::nothing(), .max_size = 300}, {500, 375}),
            (ImageSize{300, 225}));
  EXPECT_EQ(resized({.size = transforms::SizeOrNone::nothing(), .max_size = 300}, {37, 50}),
            (ImageSize{222, 300}));
  EXPECT_EQ(repr(*make_transform("Resize", {{"size", {}}, {"max_size", std::int64_t{9}}}).value()),
            "Resize(size=None, interpolation='bilinear', max_size=9, antialias=True)");
  EXPECT_FALSE(make_transform("Resize", {{"size", {}}}).ok());
}

TEST(Resize, max_size_bounds_the_longer_side) {
  EXPECT_EQ(resized({.size = 256, .max_size = 300}, {500, 375}),
            (ImageSize{300, 225}));  // 256 * 300 / 341 = 225.2
  EXPECT_EQ(resized({.size = 256, .max_size = 400}, {500, 375}), (ImageSize{341, 256}));
}

TEST(Resize, two_numbers_are_height_and_width) {
  EXPECT_EQ(resized({.size = {10, 20}}, {500, 375}), (ImageSize{20, 10}));
}

TEST(Resize, refuses_an_image_of_which_nothing_would_be_left) {
  ImageEdits edits;
  const TransformPtr resize = transforms::Resize{.size = 10, .max_size = 11};
  EXPECT_FALSE(try_plan(resize, {1, 1000}, 0, edits).ok());
}

TEST(Resize, size_is_known_only_where_it_does_not_depend_on_the_image) {
  const TransformPtr shorter = transforms::Resize{.size = 256};
  const TransformPtr both = transforms::Resize{.size = {10, 20}};
  EXPECT_FALSE(image_operation(shorter).describe({}).value().fixed_size());
  EXPECT_EQ(image_operation(shorter).describe({{500, 375}, ElementType::uint8}).value().size,
            (ImageSize{341, 256}));
  EXPECT_EQ(image_operation(both).describe({}).value().size, (ImageSize{20, 10}));
}

TEST(CenterCrop, rounds_halves_to_even) {
  EXPECT_EQ(centre(4, 4, {7, 9}), (Rect{2, 2, 4, 4}));   // 1.5 -> 2, 2.5 -> 2
  EXPECT_EQ(centre(4, 4, {5, 11}), (Rect{0, 4, 4, 4}));  // 0.5 -> 0, 3.5 -> 4
  EXPECT_EQ(centre(224, 224, {341, 256}), (Rect{58, 16, 224, 224}));
}

TEST(CenterCrop, pads_a_smaller_image_with_black) {
  const auto edits = plan(transforms::CenterCrop{.size = {9, 4}}, {7, 4});
  ASSERT_EQ(edits.size(), 2u);
  EXPECT_EQ(std::get<PadEdit>(edits[0]), (PadEdit{0, 2, 0, 3}));
  EXPECT_EQ(std::get<CropEdit>(edits[1]).box, (Rect{2, 0, 4, 9}));
}

TEST(RandomCrop, reaches_every_place_about_equally_often) {
  std::map<std::pair<int, int>, int> seen;
  for (std::uint64_t sample = 0; sample < 6000; ++sample) {
    const Rect box =
        std::get<CropEdit>(plan(transforms::RandomCrop{.size = {3, 4}}, {6, 4}, sample).at(0)).box;
    ASSERT_EQ(box.width, 4);
    ASSERT_EQ(box.height, 3);
    ++seen[{box.x, box.y}];
  }
  ASSERT_EQ(seen.size(), 6u);
  for (const auto& [place, count] : seen) {
    EXPECT_NEAR(count, 1000, 150) << place.first << " " << place.second;
  }
}

TEST(RandomCrop, pads_before_it_crops) {
  const auto edits = plan(transforms::RandomCrop{.size = 32, .padding = {4}, .fill = {1, 2, 3}}, {32, 32});
  ASSERT_EQ(edits.size(), 2u);
  EXPECT_EQ(std::get<PadEdit>(edits[0]),
            (PadEdit{4, 4, 4, 4, transforms::PaddingMode::constant, {1, 2, 3, 3}}));
  const auto four = plan(transforms::RandomCrop{.size = 8, .padding = {1, 2, 3, 4}}, {32, 32});
  EXPECT_EQ(std::get<PadEdit>(four[0]), (PadEdit{1, 2, 3, 4}));
  const auto black = plan(transforms::RandomCrop{.size = 8, .padding = {1}, .fill = {}}, {32, 32});
  EXPECT_EQ(std::get<PadEdit>(black[0]), (PadEdit{1, 1, 1, 1}));
  const auto two = plan(transforms::RandomCrop{.size = 8, .padding = {1, 2}}, {32, 32});
  EXPECT_EQ(std::get<PadEdit>(two[0]), (PadEdit{1, 2, 1, 2}));
}

TEST(RandomCrop, pads_a_smaller_image_on_both_sides_when_asked) {
  const auto edits = plan(transforms::RandomCrop{.size = {10, 20}, .pad_if_needed = true}, {15, 8});
  ASSERT_EQ(edits.size(), 2u);
  EXPECT_EQ(std::get<PadEdit>(edits[0]), (PadEdit{5, 2, 5, 2}));
  const auto padded =
      plan(transforms::RandomCrop{.size = {10, 20}, .padding = {1, 0, 2, 0}, .pad_if_needed = true}, {15, 8});
  ASSERT_EQ(padded.size(), 2u);
  EXPECT_EQ(std::get<PadEdit>(padded[0]), (PadEdit{3, 2, 4, 2}));
}

TEST(RandomCrop, refuses_a_smaller_image_otherwise) {
  ImageEdits edits;
  const TransformPtr crop = transforms::RandomCrop{.size = 10};
  const Status status = try_plan(crop, {9, 30}, 0, edits);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().to_string().find("pad_if_needed=True"), std::string::npos);
}

TEST(RandomResizedCrop, stays_inside_and_within_area_and_shape) {
  const ImageSize image{500, 375};
  double area = 0;
  const int samples = 4000;
  for (std::uint64_t sample = 0; sample < samples; ++sample) {
    const auto edits = plan(transforms::RandomResizedCrop{.size = 224}, image, sample);
    const Rect box = std::get<CropEdit>(edits.at(0)).box;
    ASSERT_GE(box.x, 0);
    ASSERT_GE(box.y, 0);
    ASSERT_LE(box.x + box.width, image.width);
    ASSERT_LE(box.y + box.height, image.height);
    const double share = box.width * box.height / (500.0 * 375.0);
    const double shape = static_cast<double>(box.width) / box.height;
    EXPECT_GT(share, 0.078);
    EXPECT_GT(shape, 0.74);
    EXPECT_LT(shape, 1.345);
    area += share;
    EXPECT_EQ(std::get<ResizeEdit>(edits.at(1)).size, (ImageSize{224, 224}));
  }
  // Less than the middle of [0.08, 1]: boxes that do not fit are drawn again. Torchvision's rule gives
  // 0.4328.
  EXPECT_NEAR(area / samples, 0.4328, 0.012);
}

TEST(RandomResizedCrop, falls_back_to_the_largest_allowed_box_in_the_middle) {
  const transforms::RandomResizedCrop crop{.size = 8, .scale = {1.0, 1.0}};
  EXPECT_EQ(std::get<CropEdit>(plan(crop, {1000, 10}).at(0)).box, (Rect{493, 0, 13, 10}));  // 13.33
  EXPECT_EQ(std::get<CropEdit>(plan(crop, {10, 1000}).at(0)).box, (Rect{0, 493, 10, 13}));
}

TEST(RandomHorizontalFlip, happens_as_often_as_asked) {
  const auto count = [](double p) {
    int flips = 0;
    for (std::uint64_t sample = 0; sample < 2000; ++sample) {
      flips += static_cast<int>(plan(transforms::RandomHorizontalFlip{.p = p}, {4, 4}, sample).size());
    }
    return flips;
  };
  EXPECT_EQ(count(0.0), 0);
  EXPECT_EQ(count(1.0), 2000);
  EXPECT_NEAR(count(0.25), 500, 80);
}

TEST(Normalize, computes_in_float_one_operation_after_the_other) {
  FloatTable table;
  const TransformPtr normalize =
      transforms::Normalize{.mean = {0.485, 0.456, 0.406}, .std = {0.229, 0.224, 0.225}};
  image_operation(normalize).map_values(table);
  const float wanted = (200.0F / 255.0F - 0.456F) / 0.224F;
  EXPECT_EQ(table.values[1][200], wanted);
  EXPECT_EQ(FloatMap(table).method, FloatMap::Method::doubled);
}

TEST(GridMask, takes_one_pass_however_fine_the_grid_is) {
  const auto fine = make_transform("GridMask", {{"unit_size", std::vector<double>{2, 2}}, {"p", 1.0}});
  EXPECT_EQ(plan(fine.value(), {400, 310}).size(), 1u);
}

TEST(Normalize, one_number_serves_all_channels_and_a_second_one_continues) {
  FloatTable table;
  const TransformPtr normalize = transforms::Normalize{.mean = {0.5}, .std = {0.25}};
  image_operation(normalize).map_values(table);
  image_operation(normalize).map_values(table);
  const float once = (10.0F / 255.0F - 0.5F) / 0.25F;
  EXPECT_EQ(table.values[2][10], (once - 0.5F) / 0.25F);
  EXPECT_EQ(FloatMap(table).method, FloatMap::Method::lookup);
}

}  // namespace
}  // namespace penstock::inline v0
