#include <gtest/gtest.h>

#include "core/half.hpp"
#include "transforms/run_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using test::make;
using test::run_on;
using test::TestImage;

std::vector<std::uint16_t> halves_of(const TestImage& floats) {
  std::vector<std::uint16_t> halves(floats.bytes.size() / sizeof(float));
  for (std::size_t i = 0; i < halves.size(); ++i) {
    float value = 0;
    std::memcpy(&value, floats.bytes.data() + i * sizeof(float), sizeof(float));
    halves[i] = half_of(value);
  }
  return halves;
}

TEST(ToFloat16, is_what_the_list_gives_in_float32_rounded) {
  const TestImage image = TestImage::noise({31, 17}, 9);
  const TransformPtr normalize = transforms::Normalize{.mean = {0.4, 0.5, 0.6}, .std = {0.2, 0.3, 0.4}};
  const TransformPtr erase = make("RandomErasing", {{"p", 1.0}, {"value", std::string("random")}});
  for (const std::vector<TransformPtr>& before :
       {std::vector<TransformPtr>{transforms::Resize{.size = {9, 7}}, transforms::ToFloat{}},
        std::vector<TransformPtr>{normalize}, std::vector<TransformPtr>{normalize, erase}}) {
    std::vector<TransformPtr> list = before;
    list.push_back(make("ToFloat16"));
    const TestImage made = run_on(list, image, 3);
    const std::vector<std::uint16_t> wanted = halves_of(run_on(before, image, 3));
    ASSERT_EQ(made.bytes.size(), wanted.size() * sizeof(std::uint16_t));
    EXPECT_EQ(std::memcmp(made.bytes.data(), wanted.data(), made.bytes.size()), 0);
  }
  EXPECT_EQ(run_on({make("ToFloat16")}, image).bytes.size(), image.bytes.size() * 2);
}

TEST(ToFloat16, is_the_last_word_on_values) {
  const auto refusal_of = [](const std::vector<TransformPtr>& list) {
    const auto made = ImageProgram::compile(list, MemoryFormat::channels_first);
    return made.ok() ? std::string() : made.error().to_string();
  };
  const TransformPtr half = make("ToFloat16");
  EXPECT_NE(refusal_of({half, half}), "");
  EXPECT_NE(refusal_of({half, transforms::ToFloat{}}), "");
  EXPECT_NE(refusal_of({half, transforms::Normalize{.mean = {0.5}, .std = {0.5}}}), "");
  EXPECT_NE(refusal_of({half, transforms::CenterCrop{.size = 4}}), "");
  EXPECT_NE(refusal_of({half, make("RandomErasing")}), "");
  const auto program = ImageProgram::compile({half}, MemoryFormat::channels_first).value();
  EXPECT_NE(program.describe().find("divide by 255 + write -> any size float16 CHW"), std::string::npos)
      << program.describe();
}

}  // namespace
}  // namespace penstock::inline v0
