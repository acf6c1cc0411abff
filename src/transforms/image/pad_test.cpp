#include <gtest/gtest.h>

#include "transforms/run_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using test::make;
using test::run_on;
using test::TestImage;
using Whole = std::vector<std::int64_t>;

TestImage padded(const TestImage& image, Whole padding, const char* mode) {
  return run_on({make("Pad", {{"padding", std::move(padding)},
                              {"fill", std::int64_t{7}},
                              {"padding_mode", std::string(mode)}})},
                image);
}

TEST(Pad, takes_one_two_or_four_numbers) {
  const TestImage image = TestImage::noise({5, 4}, 1);
  EXPECT_EQ(padded(image, {2}, "constant").size, (ImageSize{9, 8}));
  EXPECT_EQ(padded(image, {2, 1}, "edge").size, (ImageSize{9, 6}));
  EXPECT_EQ(padded(image, {1, 2, 3, 4}, "reflect").size, (ImageSize{9, 10}));
}

TEST(Pad, surrounds_the_image_with_what_the_mode_says) {
  TestImage image = TestImage::noise({3, 1}, 2);
  const auto row = [&](const char* mode) {
    TestImage out = padded(image, {4, 0}, mode);
    std::vector<int> from;  // which pixel of the image stands there; -1: the fill
    for (int x = 0; x < 11; ++x) {
      int found = -1;
      for (int i = 0; i < 3; ++i) {
        found = out.at(x, 0) == image.at(i, 0) && out.at(x, 0, 1) == image.at(i, 0, 1) ? i : found;
      }
      from.push_back(found);
    }
    return from;
  };
  EXPECT_EQ(row("constant"), (std::vector<int>{-1, -1, -1, -1, 0, 1, 2, -1, -1, -1, -1}));
  EXPECT_EQ(row("edge"), (std::vector<int>{0, 0, 0, 0, 0, 1, 2, 2, 2, 2, 2}));
  EXPECT_EQ(row("reflect"), (std::vector<int>{0, 1, 2, 1, 0, 1, 2, 1, 0, 1, 2}));
  EXPECT_EQ(row("symmetric"), (std::vector<int>{2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0}));
}

TEST(Pad, cuts_off_where_numbers_are_negative_and_refuses_to_leave_nothing) {
  TestImage image = TestImage::noise({5, 4}, 3);
  TestImage cut = padded(image, {-2, -1, 1, -1}, "edge");
  EXPECT_EQ(cut.size, (ImageSize{4, 2}));
  EXPECT_EQ(cut.at(0, 0), image.at(2, 1));
  EXPECT_EQ(cut.at(3, 1), image.at(4, 2));
  const auto program =
      ImageProgram::compile({make("Pad", {{"padding", std::int64_t{-2}}})}, MemoryFormat::channels_last);
  const auto workspace = program->make_workspace();
  const auto refused = program->resolve(*workspace, {4, 9}, {1, 2, 3});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::invalid);
}

TEST(Pad, refuses_three_numbers) {
  EXPECT_NE(test::refusal("Pad", {{"padding", Whole{1, 2, 3}}}).find("padding"), std::string::npos);
  EXPECT_NE(test::refusal("Pad", {}).find("padding is required"), std::string::npos);
}

}  // namespace
}  // namespace penstock::inline v0
