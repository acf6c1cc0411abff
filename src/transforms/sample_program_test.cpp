#include "transforms/sample_program.hpp"

#include <gtest/gtest.h>

#include "transforms/run_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using test::make;
using test::TestImage;

std::vector<std::uint8_t> view_of(const SampleProgram& program, SampleWorkspace& workspace,
                                  std::size_t view) {
  const ImageSize size = workspace.sizes[view];
  std::vector<std::uint8_t> out(static_cast<std::size_t>(size.width * size.height) * 3);
  program.run(workspace, view, out.data());
  return out;
}

TEST(SampleProgram, the_only_view_is_the_list_itself) {
  const std::vector<TransformPtr> list = {transforms::RandomResizedCrop{.size = 16},
                                          transforms::RandomHorizontalFlip{}};
  const auto program = SampleProgram::compile({{"", 0, list}}, {}, MemoryFormat::channels_last).value();
  auto workspace = program.make_workspace();
  const TestImage image = TestImage::noise({60, 40}, 1);
  for (std::uint64_t sample = 0; sample < 5; ++sample) {
    ASSERT_TRUE(program.resolve(workspace, image.size, {3, 4, sample}).ok());
    ASSERT_TRUE(program.decode(workspace, image.reader()).ok());
    EXPECT_EQ(view_of(program, workspace, 0), test::run_on(list, image, sample).bytes);
  }
}

TEST(SampleProgram, views_draw_apart_unless_they_share_a_key) {
  const std::vector<TransformPtr> crop = {make("RandomCrop", {{"size", std::int64_t{8}}})};
  const std::vector<TransformPtr> yoked = {
      make("RandomCrop", {{"size", std::int64_t{8}}, {"key", std::string("crop")}})};
  const TestImage image = TestImage::noise({64, 64}, 2);
  int reads = 0;
  const auto views = [&](const std::vector<View>& lists) {
    const auto program = SampleProgram::compile(lists, {}, MemoryFormat::channels_last).value();
    auto workspace = program.make_workspace();
    EXPECT_TRUE(program.resolve(workspace, image.size, {3, 4, 5}).ok());
    reads = 0;
    EXPECT_TRUE(program
                    .decode(workspace,
                            [&](const Rect& box, const PixelView& view) {
                              ++reads;
                              return image.reader()(box, view);
                            })
                    .ok());
    std::vector<std::vector<std::uint8_t>> made;
    for (std::size_t i = 0; i < program.views().size(); ++i) {
      made.push_back(view_of(program, workspace, i));
    }
    return made;
  };
  const auto apart = views({{"a", 0, crop}, {"b", 0, crop}, {"local", 2, crop}});
  ASSERT_EQ(apart.size(), 4u);
  EXPECT_EQ(reads, 1);  // one decode
  EXPECT_NE(apart[0], apart[1]);
  EXPECT_NE(apart[2], apart[3]);
  const auto alike = views({{"a", 0, yoked}, {"b", 0, yoked}});
  EXPECT_EQ(alike[0], alike[1]);
  EXPECT_FALSE(
      SampleProgram::compile({{"a", 0, crop}, {"a", 0, crop}}, {}, MemoryFormat::channels_last).ok());
}

TEST(SampleProgram, masks_boxes_and_points_go_where_the_pixel_goes) {
  const std::vector<TransformPtr> list = {
      make("RandomCrop", {{"size", std::int64_t{24}}, {"padding", std::int64_t{3}}}),
      transforms::RandomHorizontalFlip{}, make("RandomRotation", {{"degrees", std::vector<double>{90, 90}}}),
      make("ColorJitter", {{"brightness", 0.5}})};
  const auto program = SampleProgram::compile({{"", 0, list}}, {}, MemoryFormat::channels_last).value();
  auto workspace = program.make_workspace();
  int seen = 0;
  for (std::uint64_t sample = 0; sample < 40; ++sample) {
    const int x = 5 + static_cast<int>(sample) % 20;
    const int y = 7 + static_cast<int>(sample) % 13;
    TestImage image = TestImage::filled({32, 32}, 0);
    TestImage mask = TestImage::filled({32, 32}, 0, 1);
    for (int c = 0; c < 3; ++c) {
      image.at(x, y, c) = 200;
    }
    mask.at(x, y) = 3;
    ASSERT_TRUE(program.resolve(workspace, image.size, {3, 4, sample}).ok());
    ASSERT_TRUE(program.decode(workspace, image.reader()).ok());
    const auto pixels = view_of(program, workspace, 0);
    std::vector<std::uint8_t> moved(24 * 24);
    ASSERT_TRUE(program.decode_mask(workspace, ElementType::uint8, mask.reader()).ok());
    program.run_mask(workspace, 0, moved.data());
    std::vector<float> box = {static_cast<float>(x), static_cast<float>(y), static_cast<float>(x + 1),
                              static_cast<float>(y + 1)};
    std::vector<std::uint8_t> kept(box.size() / 4, 1);
    program.move_boxes(workspace, 0, {box, {}, kept});
    for (int to = 0; to < 24 * 24; ++to) {
      const bool here = pixels[static_cast<std::size_t>(to) * 3] != 0;
      ASSERT_EQ(moved[static_cast<std::size_t>(to)], here ? 3 : 0);
      if (here) {
        ++seen;
        EXPECT_EQ(box,
                  (std::vector<float>{static_cast<float>(to % 24), static_cast<float>(to / 24),
                                      static_cast<float>(to % 24 + 1), static_cast<float>(to / 24 + 1)}));
      }
    }
  }
  EXPECT_GT(seen, 20);
}

TEST(SampleProgram, one_decode_of_a_mask_is_enough_for_all_views) {
  const std::vector<TransformPtr> list = {transforms::RandomResizedCrop{.size = 12},
                                          transforms::RandomHorizontalFlip{}};
  const auto program =
      SampleProgram::compile({{"a", 0, list}, {"b", 2, list}}, {}, MemoryFormat::channels_last).value();
  auto workspace = program.make_workspace();
  const TestImage mask = TestImage::noise({40, 30}, 5, 1);
  ASSERT_TRUE(program.resolve(workspace, mask.size, {3, 4, 5}).ok());
  int reads = 0;
  const ReadBox read = [&](const Rect& box, const PixelView& view) {
    ++reads;
    return mask.reader()(box, view);
  };
  ASSERT_TRUE(program.decode_mask(workspace, ElementType::uint8, read).ok());
  EXPECT_EQ(reads, 1);
  for (std::size_t i = 0; i < program.views().size(); ++i) {
    std::vector<std::uint8_t> moved(12 * 12);
    program.run_mask(workspace, i, moved.data());
    const SampleView& view = program.views()[i];
    const auto alone = SampleProgram::compile({{"", 0, list}}, {}, MemoryFormat::channels_last).value();
    auto own = alone.make_workspace();
    ASSERT_TRUE(alone.views()[0]
                    .image.list()
                    .set(view.image.list().named(workspace.views[i]->drawn), own.views[0]->drawn)
                    .ok());
    ASSERT_TRUE(alone.replay(own, mask.size).ok());
    ASSERT_TRUE(alone.decode_mask(own, ElementType::uint8, mask.reader()).ok());
    std::vector<std::uint8_t> expected(12 * 12);
    alone.run_mask(own, 0, expected.data());
    EXPECT_EQ(moved, expected) << i;
  }
}

TEST(SampleProgram, what_was_drawn_makes_the_same_pixels_again) {
  const std::vector<TransformPtr> list = {
      transforms::RandomResizedCrop{.size = 20},
      transforms::RandomHorizontalFlip{},
      make("RandomRotation", {{"degrees", 40.0}, {"interpolation", std::string("bilinear")}}),
      make("ColorJitter", {{"brightness", 0.4}, {"contrast", 0.4}, {"saturation", 0.4}, {"hue", 0.1}}),
      make("PillowGaussianBlur", {{"p", 0.5}}),
      make("RandomErasing", {{"p", 0.5}, {"value", std::string("random")}})};
  const auto program = SampleProgram::compile({{"", 0, list}}, {}, MemoryFormat::channels_last).value();
  auto workspace = program.make_workspace();
  auto other = program.make_workspace();
  const TestImage image = TestImage::noise({50, 40}, 3);
  const ListDraws& draws = program.views()[0].image.list();
  for (std::uint64_t sample = 0; sample < 20; ++sample) {
    ASSERT_TRUE(program.resolve(workspace, image.size, {3, 4, sample}).ok());
    ASSERT_TRUE(program.decode(workspace, image.reader()).ok());
    const auto pixels = view_of(program, workspace, 0);
    const auto named = draws.named(workspace.views[0]->drawn);
    ASSERT_EQ(named.size(), list.size());
    ASSERT_TRUE(draws.set(named, other.views[0]->drawn).ok());
    ASSERT_TRUE(program.replay(other, image.size).ok());
    ASSERT_TRUE(program.decode(other, image.reader()).ok());
    EXPECT_EQ(view_of(program, other, 0), pixels);
  }
  auto named = draws.named(workspace.views[0]->drawn);
  named[0].values[0].second = std::string("high");
  EXPECT_NE(
      draws.set(named, other.views[0]->drawn).error().to_string().find("params of RandomResizedCrop: top"),
      std::string::npos);
  named.pop_back();
  EXPECT_FALSE(draws.set(named, other.views[0]->drawn).ok());
  EXPECT_FALSE(program.replay(other, {4, 4}).ok());  // boxes of a larger image
}

TEST(SampleProgram, gray_images_of_16_bits_keep_them) {
  const ImageSpec gray{.size = {}, .type = ElementType::uint16, .channels = 1};
  const auto program =
      SampleProgram::compile({{"", 0, {transforms::CenterCrop{.size = 4}, transforms::Resize{.size = 8}}}},
                             gray, MemoryFormat::channels_last)
          .value();
  auto workspace = program.make_workspace();
  ASSERT_TRUE(program.resolve(workspace, {6, 6}, {}).ok());
  ASSERT_TRUE(program
                  .decode(workspace,
                          [](const Rect& box, const PixelView& view) -> Status {
                            for (int y = 0; y < box.height; ++y) {
                              for (int x = 0; x < box.width; ++x) {
                                const auto value = static_cast<std::uint16_t>(1000 * (box.x + x));
                                std::memcpy(view.data + static_cast<std::size_t>(y) * view.stride +
                                                2 * static_cast<std::size_t>(x),
                                            &value, 2);
                              }
                            }
                            return {};
                          })
                  .ok());
  std::vector<std::uint16_t> out(64);
  program.run(workspace, 0, out.data());
  EXPECT_EQ(out[0], 1000);
  EXPECT_EQ(out[1], 1250);
  EXPECT_EQ(out[7], 4000);
}

}  // namespace
}  // namespace penstock::inline v0
