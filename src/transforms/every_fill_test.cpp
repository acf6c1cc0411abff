// Every operation that fills pixels, by being listed in the catalogue: its fill suits the images, or is
// refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "transforms/any_operation_for_test.hpp"
#include "transforms/image_program.hpp"

namespace penstock::inline v0 {
namespace {

using testing::HasSubstr;
using Fill = std::vector<std::int64_t>;

bool has(const OperationInfo& info, std::string_view parameter) {
  return std::any_of(info.parameters.begin(), info.parameters.end(),
                     [&](const ParameterInfo& it) { return it.name == parameter; });
}

std::vector<const OperationInfo*> operations_that_fill() {
  std::vector<const OperationInfo*> some;
  for (const OperationInfo* info : test::operations_on<ImageTransform>()) {
    // What RandomBackgroundBlend fills is of what it makes, RGB of RGBA.
    if (has(*info, "fill") && info->name != "RandomBackgroundBlend") {
      some.push_back(info);
    }
  }
  return some;
}

constexpr ImageSpec images_of(int channels, ElementType type = ElementType::uint8) {
  return {.size = {}, .type = type, .channels = channels};
}

class every_fill : public testing::TestWithParam<const OperationInfo*> {
 protected:
  /// What is wrong with such a fill for such images.
  static std::string refusal(const Fill& fill, const ImageSpec& images) {
    Params params;
    for (const auto& [name, value] : params_of(**test::make_any(*GetParam()))) {
      if (name != "fill" && name != "interpolation") {
        params.emplace_back(name, value);
      }
    }
    params.emplace_back("fill", fill);
    if (has(*GetParam(), "interpolation")) {
      params.emplace_back("interpolation", std::string("nearest"));
    }
    const auto made = make_transform(GetParam()->name, params);
    if (!made.ok()) {
      return made.error().to_string();
    }
    const auto program =
        ImageProgram::compile({*made}, MemoryFormat::channels_last, Fuse::exact, {.input = images});
    return program.ok() ? "" : program.error().to_string();
  }
};

TEST_P(every_fill, has_one_number_or_one_for_each_channel) {
  for (const int channels : {1, 3, 4}) {
    const Fill each(static_cast<std::size_t>(channels), 9);
    EXPECT_EQ(refusal({9}, images_of(channels)), "");
    EXPECT_EQ(refusal(each, images_of(channels)), "");
  }
  EXPECT_THAT(refusal({1, 2, 3}, images_of(4)),
              HasSubstr("fill has 3 numbers, the image 4 channels; pass one number or 4"));
  EXPECT_THAT(refusal({1, 2, 3, 4}, images_of(3)), HasSubstr("fill has 4 numbers, the image 3 channels"));
  EXPECT_THAT(refusal({1, 2, 3}, images_of(1)),
              HasSubstr("fill has 3 numbers, the image one channel; pass one number"));
  EXPECT_THAT(refusal({1, 2}, images_of(3)), HasSubstr("fill"));
}

TEST_P(every_fill, is_a_value_that_pixels_can_have) {
  EXPECT_EQ(refusal({255}, images_of(3)), "");
  EXPECT_THAT(refusal({256}, images_of(3)),
              HasSubstr("fill must be between 0 and 255 for 8-bit images, got 256"));
  EXPECT_THAT(refusal({0, 0, 256}, images_of(3)), HasSubstr("fill must be between 0 and 255"));
  const ImageSpec wide = images_of(1, ElementType::uint16);
  if (refusal({9}, wide).find("works on 8-bit images") != std::string::npos) {
    return;  // whatever the fill is
  }
  EXPECT_EQ(refusal({65535}, wide), "");
  EXPECT_THAT(refusal({65536}, wide), HasSubstr("fill must be between 0 and 65535, got 65536"));
  EXPECT_THAT(refusal({-1}, wide), HasSubstr("fill must be between 0 and 65535, got -1"));
}

INSTANTIATE_TEST_SUITE_P(of_the_catalogue, every_fill, testing::ValuesIn(operations_that_fill()),
                         [](const auto& info) { return info.param->name; });

}  // namespace
}  // namespace penstock::inline v0
