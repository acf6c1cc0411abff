// The operations that cover parts of the image, or put them elsewhere.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "transforms/run_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using test::make;
using test::run_on;
using test::TestImage;
using test::value_of;

TEST(RandomErasing, erases_as_many_rectangles_as_told) {
  const TransformPtr erasing = make("RandomErasing", {{"p", 1.0},
                                                      {"value", std::int64_t{9}},
                                                      {"min_count", std::int64_t{2}},
                                                      {"max_count", std::int64_t{4}}});
  std::array<int, 3> counts{};
  for (std::uint64_t sample = 0; sample < 300; ++sample) {
    const Params drawn = test::drawn_by(erasing, {60, 50}, sample);
    auto boxes = value_of<std::vector<std::int64_t>>(drawn, "more");
    ASSERT_EQ(boxes.size() % 4, 0u);
    ++counts.at(boxes.size() / 4 - 1);
    for (const char* name : {"top", "left", "height", "width"}) {
      boxes.push_back(value_of<std::int64_t>(drawn, name));
    }
    TestImage image = run_on({erasing}, TestImage::filled({60, 50}, 200), sample);
    for (int y = 0; y < 50; ++y) {
      for (int x = 0; x < 60; ++x) {
        bool inside = false;
        for (std::size_t i = 0; i < boxes.size(); i += 4) {
          inside = inside || (y >= boxes[i] && y < boxes[i] + boxes[i + 2] && x >= boxes[i + 1] &&
                              x < boxes[i + 1] + boxes[i + 3]);
        }
        ASSERT_EQ(image.at(x, y), inside ? 9 : 200);
      }
    }
    // Together they cover no more than the largest share, but for rounding.
    std::int64_t area = 0;
    for (std::size_t i = 0; i < boxes.size(); i += 4) {
      area += boxes[i + 2] * boxes[i + 3];
    }
    EXPECT_LE(static_cast<double>(area), 0.36 * 60 * 50);
  }
  for (const int count : counts) {
    EXPECT_NEAR(count, 100, 35);
  }
}

TEST(RandomErasing, rand_is_one_colour_for_each_rectangle_and_pixel_is_noise) {
  const TestImage image = TestImage::filled({40, 30}, 0);
  const Params always = {{"p", 1.0}, {"scale", std::vector<double>{0.1, 0.1}}};
  const auto colors_in = [&](const char* mode, bool floats) {
    Params params = always;
    params.emplace_back("mode", std::string(mode));
    std::vector<TransformPtr> list = {make("RandomErasing", params)};
    if (floats) {
      list.insert(list.begin(), transforms::ToFloat{});
    }
    const TestImage made = run_on(list, image, 3);
    EXPECT_EQ(made, run_on(list, image, 3));
    std::vector<std::vector<std::uint8_t>> colors;
    const std::ptrdiff_t pixel = floats ? 12 : 3;
    for (auto at = made.bytes.begin(); at != made.bytes.end(); at += pixel) {
      if (std::any_of(at, at + pixel, [](std::uint8_t byte) { return byte != 0; })) {
        colors.emplace_back(at, at + pixel);
      }
    }
    std::sort(colors.begin(), colors.end());
    return std::unique(colors.begin(), colors.end()) - colors.begin();
  };
  for (const bool floats : {false, true}) {
    EXPECT_EQ(colors_in("rand", floats), 1);
    EXPECT_GT(colors_in("pixel", floats), 50);
  }
}

TEST(RandomErasing, refuses_impossible_counts_and_a_value_that_nothing_reads) {
  EXPECT_NE(test::refusal("RandomErasing", {{"min_count", std::int64_t{0}}}).find("min_count must be"),
            std::string::npos);
  EXPECT_NE(test::refusal("RandomErasing", {{"min_count", std::int64_t{3}}, {"max_count", std::int64_t{2}}})
                .find("max_count must be between 3"),
            std::string::npos);
  EXPECT_NE(
      test::refusal("RandomErasing", {{"mode", std::string("rand")}, {"value", 3.0}}).find("value must"),
      std::string::npos);
}

TEST(Cutout, fills_one_square_inside_the_image) {
  const TransformPtr cutout =
      make("Cutout", {{"crop_size", std::int64_t{7}}, {"fill", std::vector<double>{1, 2, 3}}});
  for (std::uint64_t sample = 0; sample < 30; ++sample) {
    const Params drawn = test::drawn_by(cutout, {20, 12}, sample);
    const auto top = value_of<std::int64_t>(drawn, "top");
    const auto left = value_of<std::int64_t>(drawn, "left");
    ASSERT_TRUE(top >= 0 && left >= 0 && top <= 5 && left <= 13);
    TestImage image = run_on({cutout}, TestImage::filled({20, 12}, 200), sample);
    for (int y = 0; y < 12; ++y) {
      for (int x = 0; x < 20; ++x) {
        const bool inside = y >= top && y < top + 7 && x >= left && x < left + 7;
        for (int c = 0; c < 3; ++c) {
          ASSERT_EQ(image.at(x, y, c), inside ? c + 1 : 200);
        }
      }
    }
  }
  EXPECT_EQ(run_on({make("Cutout", {{"crop_size", std::int64_t{99}}, {"fill", 5.0}})},
                   TestImage::filled({8, 4}, 200)),
            TestImage::filled({8, 4}, 5));
  EXPECT_NE(test::refusal("Cutout", {{"crop_size", std::int64_t{0}}}).find("crop_size"), std::string::npos);
}

TEST(GridMask, fills_a_square_in_every_cell) {
  const TransformPtr grid = make(
      "GridMask", {{"unit_size", std::vector<double>{6, 11}}, {"ratio", 0.4}, {"fill", 9.0}, {"p", 1.0}});
  for (std::uint64_t sample = 0; sample < 30; ++sample) {
    const Params drawn = test::drawn_by(grid, {40, 31}, sample);
    const auto unit = value_of<std::int64_t>(drawn, "unit");
    const auto top = value_of<std::int64_t>(drawn, "top");
    const auto left = value_of<std::int64_t>(drawn, "left");
    ASSERT_TRUE(unit >= 6 && unit <= 11);
    const auto side = static_cast<std::int64_t>(static_cast<double>(unit) * 0.4);
    TestImage image = run_on({grid}, TestImage::filled({40, 31}, 200), sample);
    for (int y = 0; y < 31; ++y) {
      for (int x = 0; x < 40; ++x) {
        const bool inside = (y - top + unit) % unit < side && (x - left + unit) % unit < side;
        ASSERT_EQ(image.at(x, y), inside ? 9 : 200) << x << " " << y;
      }
    }
  }
  EXPECT_NE(test::refusal("GridMask", {{"unit_size", std::vector<double>{9.5, 20}}}).find("unit_size"),
            std::string::npos);
  EXPECT_NE(test::refusal("GridMask", {{"ratio", 1.5}}).find("ratio"), std::string::npos);
}

TEST(CircularMask, keeps_the_circle_and_fades_to_nothing) {
  const TestImage image = TestImage::filled({60, 60}, 200, 4);
  TestImage made = run_on({make("CircularMask")}, image);
  EXPECT_EQ(made.at(30, 30), 200);
  EXPECT_EQ(made.at(30, 9), 200);  // 20.5 from the middle: inside 30 - 8
  EXPECT_EQ(made.at(30, 0), 0);    // at the edge
  EXPECT_EQ(made.at(0, 0), 0);
  EXPECT_EQ(made.at(0, 0, 3), 200) << "transparency";
  // 4 pixels beyond the circle, by the definition.
  double scale = 8;
  while (std::exp(-0.5 * (8 / scale) * (8 / scale)) > 0.0005) {
    scale *= 0.975;
  }
  const double beyond = std::sqrt(0.25 + 25.5 * 25.5) - 22;
  EXPECT_NEAR(made.at(30, 4), 200 * std::exp(-0.5 * beyond * beyond / (scale * scale)), 0.5);
  for (int y = 0; y < 60; ++y) {
    for (int x = 0; x < 60; ++x) {
      ASSERT_EQ(made.at(x, y), made.at(59 - x, y));
      ASSERT_EQ(made.at(x, y), made.at(y, x));
    }
  }
  EXPECT_NE(test::refusal("CircularMask", {{"tol", 1.0}}).find("tol"), std::string::npos);
}

TEST(RandomPatchShuffle, puts_tiles_where_the_drawn_order_says_and_leaves_the_rest) {
  const TransformPtr shuffle =
      make("RandomPatchShuffle", {{"sizes", std::vector<double>{0.25, 0.3}}, {"p", 1.0}});
  TestImage image = TestImage::noise({41, 30}, 4);
  for (std::uint64_t sample = 0; sample < 20; ++sample) {
    const Params drawn = test::drawn_by(shuffle, image.size, sample);
    const auto width = static_cast<int>(value_of<std::int64_t>(drawn, "width"));
    const auto height = static_cast<int>(value_of<std::int64_t>(drawn, "height"));
    ASSERT_TRUE((width == 10 && height == 7) || (width == 12 && height == 9));
    const auto order = value_of<std::vector<std::int64_t>>(drawn, "permutation");
    const int across = 41 / width, down = 30 / height;
    ASSERT_EQ(order.size(), static_cast<std::size_t>(across * down));
    TestImage made = run_on({shuffle}, image, sample);
    for (int y = 0; y < 30; ++y) {
      for (int x = 0; x < 41; ++x) {
        int from_x = x, from_y = y;
        if (x < across * width && y < down * height) {
          const auto tile =
              static_cast<int>(order[static_cast<std::size_t>(y / height * across + x / width)]);
          from_x = tile % across * width + x % width;
          from_y = tile / across * height + y % height;
        }
        ASSERT_EQ(made.at(x, y, 1), image.at(from_x, from_y, 1));
      }
    }
  }
  EXPECT_NE(test::refusal("RandomPatchShuffle", {}).find("sizes is required"), std::string::npos);
  EXPECT_NE(test::refusal("RandomPatchShuffle", {{"sizes", 1.5}}).find("at most 1"), std::string::npos);
}

}  // namespace
}  // namespace penstock::inline v0
