// Every operation that fills pixels, by being listed in the catalogue: its fill suits the images, or is
// refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "transforms/any_operation_for_test.hpp"
#include "transforms/image_program.hpp"
#include "transforms/run_for_test.hpp"
#include "transforms/sample_program.hpp"

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

TEST_P(every_fill, of_masks_is_where_that_of_the_image_is) {
  const TransformPtr any = test::make_any(*GetParam()).value();
  if (!dynamic_cast<const ImageTransform&>(*any).moves_pixels()) {
    EXPECT_FALSE(has(*GetParam(), "mask_fill"));
    return;
  }
  const Params given = {{"fill", Fill{7}},
                        {"mask_fill", std::int64_t{9}},
                        {"interpolation", std::string("nearest")},
                        {"padding", Fill{3}},
                        {"degrees", Fill{40}},
                        {"canvas_size", Fill{40, 40}},
                        {"background", std::string("constant")},
                        {"pad_mode", std::string("zeros")},
                        {"zoom", std::vector<double>{1.2, 1.5}},
                        {"distortion", Fill{1}},
                        {"p", std::int64_t{1}}};
  Params params;
  for (const auto& [name, value] : params_of(*any)) {
    const auto own =
        std::find_if(given.begin(), given.end(), [&](const auto& it) { return it.first == name; });
    params.emplace_back(name, own != given.end() ? own->second : value);
  }
  const auto program = SampleProgram::compile({{"", 0, {make_transform(GetParam()->name, params).value()}}},
                                              images_of(1), MemoryFormat::channels_last)
                           .value();
  auto workspace = program.make_workspace();
  const auto image = test::TestImage::filled({32, 32}, 200, 1);
  std::size_t filled = 0;
  for (std::uint64_t sample = 0; sample < 40; ++sample) {
    ASSERT_TRUE(program.resolve(workspace, image.size, {3, 4, sample}).ok());
    ASSERT_TRUE(program.decode(workspace, image.reader()).ok());
    ASSERT_TRUE(program.decode_mask(workspace, ElementType::uint8, image.reader()).ok());
    const ImageSize size = workspace.sizes[0];
    std::vector<std::uint8_t> mask(static_cast<std::size_t>(size.width * size.height));
    program.run_mask(workspace, 0, mask.data());
    for (const std::uint8_t value : mask) {
      ASSERT_TRUE(value == 200 || value == 9) << int{value};
      filled += value == 9 ? 1 : 0;
    }
  }
  EXPECT_GT(filled, 0U);
}

TEST_P(every_fill, of_masks_is_a_value_that_masks_can_have) {
  if (!has(*GetParam(), "mask_fill")) {
    return;
  }
  for (const std::int64_t fill : {-1, 65536}) {
    Params params;
    for (const auto& [name, value] : params_of(**test::make_any(*GetParam()))) {
      params.emplace_back(name, name == "mask_fill" ? ParamValue(fill) : value);
    }
    const auto made = make_transform(GetParam()->name, params);
    ASSERT_FALSE(made.ok());
    EXPECT_THAT(made.error().to_string(), HasSubstr("mask_fill must be between 0 and 65535, got "));
  }
}

INSTANTIATE_TEST_SUITE_P(of_the_catalogue, every_fill, testing::ValuesIn(operations_that_fill()),
                         [](const auto& info) { return info.param->name; });

}  // namespace
}  // namespace penstock::inline v0
