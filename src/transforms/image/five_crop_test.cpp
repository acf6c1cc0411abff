#include <gtest/gtest.h>

#include "transforms/run_for_test.hpp"
#include "transforms/sample_program.hpp"

namespace penstock::inline v0 {
namespace {

using test::make;
using test::run_on;
using test::TestImage;

std::vector<TestImage> all_of(const std::vector<TransformPtr>& list, const TestImage& image,
                              const std::string& view = "") {
  const auto program = SampleProgram::compile({{view, 0, list}}, {}, MemoryFormat::channels_last).value();
  SampleWorkspace workspace = program.make_workspace();
  EXPECT_TRUE(program.resolve(workspace, image.size, {3, 4, 5}).ok());
  EXPECT_TRUE(program.decode(workspace, image.reader()).ok());
  std::vector<TestImage> made;
  for (std::size_t i = 0; i < program.views().size(); ++i) {
    TestImage out = TestImage::filled(workspace.sizes[i], 0);
    program.run(workspace, i, out.bytes.data());
    made.push_back(std::move(out));
  }
  return made;
}

TestImage part(TestImage image, int left, int top, ImageSize size) {
  TestImage out = TestImage::filled(size, 0);
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      for (int c = 0; c < 3; ++c) {
        out.at(x, y, c) = image.at(left + x, top + y, c);
      }
    }
  }
  return out;
}

std::vector<TestImage> corners(const TestImage& image, ImageSize size) {
  const int right = image.size.width - size.width, bottom = image.size.height - size.height;
  std::vector<TestImage> made;
  for (const auto& [x, y] :
       {std::pair(0, 0), std::pair(right, 0), std::pair(0, bottom), std::pair(right, bottom)}) {
    made.push_back(part(image, x, y, size));
  }
  made.push_back(run_on({transforms::CenterCrop{.size = {size.height, size.width}}}, image));
  return made;
}

TEST(FiveCrop, gives_the_corners_and_the_middle) {
  const TestImage image = TestImage::noise({13, 10}, 2);
  const TransformPtr crops = make("FiveCrop", {{"size", std::vector<std::int64_t>{4, 5}}});
  EXPECT_EQ(all_of({crops}, image), corners(image, {5, 4}));
  EXPECT_EQ(all_of({crops}, image, "a"), corners(image, {5, 4}));
}

TEST(TenCrop, adds_those_of_the_mirrored_image) {
  const TestImage image = TestImage::noise({13, 10}, 2);
  for (const bool down : {false, true}) {
    std::vector<TestImage> wanted = corners(image, {5, 5});
    const TransformPtr flip = make(down ? "RandomVerticalFlip" : "RandomHorizontalFlip", {{"p", 1.0}});
    for (const TestImage& crop : corners(run_on({flip}, image), {5, 5})) {
      wanted.push_back(crop);
    }
    EXPECT_EQ(all_of({make("TenCrop", {{"size", std::int64_t{5}}, {"vertical_flip", down}})}, image), wanted);
  }
}

TEST(FiveCrop, takes_what_was_drawn_before_it_for_all) {
  const TestImage image = TestImage::noise({13, 10}, 2);
  const TransformPtr crops = make("FiveCrop", {{"size", std::int64_t{4}}});
  const TransformPtr jitter = make("ColorJitter", {{"brightness", 0.9}});
  const TransformPtr turn = make("RandomRotation", {{"degrees", 80.0}});
  const std::vector<TestImage> turned = all_of({turn}, image);
  ASSERT_EQ(turned.size(), 1);
  EXPECT_EQ(all_of({turn, crops}, image), corners(turned[0], {4, 4}));
  const std::vector<TestImage> bright = all_of({crops, jitter}, TestImage::filled({13, 10}, 100));
  for (const TestImage& crop : bright) {
    EXPECT_EQ(crop, bright[0]);
  }
  EXPECT_NE(bright[0].bytes[0], 100);
}

TEST(FiveCrop, refuses_what_cannot_be) {
  const TransformPtr crops = make("FiveCrop", {{"size", std::int64_t{8}}});
  const auto refusal_of = [](const std::vector<View>& views) {
    const auto made = SampleProgram::compile(views, {}, MemoryFormat::channels_last);
    return made.ok() ? std::string() : made.error().to_string();
  };
  EXPECT_NE(refusal_of({{"", 0, {crops, crops}}}).find("both make several images"), std::string::npos);
  EXPECT_NE(refusal_of({{"a", 2, {crops}}}).find("omit the count"), std::string::npos);
  EXPECT_NE(refusal_of({{"", 0, {make("RandomApply", {{"transforms", HeldOperations{{crops}}}})}}}), "");
  EXPECT_NE(refusal_of({{"", 0, {transforms::ToFloat{}, crops}}}), "");
  EXPECT_NE(test::refusal("FiveCrop", {{"size", std::int64_t{0}}}), "no error");
  const auto program = SampleProgram::compile({{"", 0, {crops}}}, {}, MemoryFormat::channels_last).value();
  SampleWorkspace workspace = program.make_workspace();
  const Status smaller = program.resolve(workspace, {9, 7}, {});
  ASSERT_FALSE(smaller.ok());
  EXPECT_NE(smaller.error().to_string().find(
                "FiveCrop of 8 x 8 (height x width) is larger than the image of 7 x 9"),
            std::string::npos)
      << smaller.error().to_string();
}

}  // namespace
}  // namespace penstock::inline v0
