#include <gtest/gtest.h>

#include "core/half.hpp"
#include "transforms/kernels/rounded_floats.hpp"
#include "transforms/run_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using test::make;
using test::run_on;
using test::TestImage;

template <class Element>
std::vector<std::uint8_t> each_of(const TestImage& floats, Element (*round)(float)) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i < floats.bytes.size(); i += sizeof(float)) {
    float value = 0;
    std::memcpy(&value, floats.bytes.data() + i, sizeof(float));
    const Element rounded = round(value);
    const auto* const first = reinterpret_cast<const std::uint8_t*>(&rounded);
    bytes.insert(bytes.end(), first, first + sizeof(Element));
  }
  return bytes;
}

TEST(Rounding, is_that_of_what_the_list_gives_in_float32) {
  const TestImage image = TestImage::noise({31, 17}, 9);
  const TransformPtr normalize = transforms::Normalize{.mean = {0.4, 0.5, 0.6}, .std = {0.2, 0.3, 0.4}};
  const TransformPtr erase = make("RandomErasing", {{"p", 1.0}, {"value", std::string("random")}});
  for (const std::vector<TransformPtr>& before :
       {std::vector<TransformPtr>{transforms::Resize{.size = {9, 7}}, transforms::ToFloat{}},
        std::vector<TransformPtr>{normalize}, std::vector<TransformPtr>{normalize, erase}}) {
    const auto with = [&](const char* last) {
      std::vector<TransformPtr> list = before;
      list.push_back(make(last));
      return run_on(list, image, 3).bytes;
    };
    const TestImage floats = run_on(before, image, 3);
    EXPECT_EQ(with("ToFloat16"), each_of(floats, half_of));
    EXPECT_EQ(with("ToBfloat16"), each_of(floats, bfloat_of));
    EXPECT_EQ(with("ToUint8"), each_of(floats, byte_of));
  }
  EXPECT_EQ(run_on({make("ToFloat16")}, image).bytes.size(), image.bytes.size() * 2);
}

TEST(Rounding, gives_bytes_back_that_became_floats) {
  const TestImage image = TestImage::noise({31, 17}, 9);
  EXPECT_EQ(run_on({transforms::ToFloat{}, make("ToUint8")}, image).bytes, run_on({}, image).bytes);
  EXPECT_EQ(run_on({make("ToUint8")}, image).bytes, run_on({}, image).bytes);
}

TEST(Rounding, is_the_last_word_on_values) {
  const auto refusal_of = [](const std::vector<TransformPtr>& list) {
    const auto made = ImageProgram::compile(list, MemoryFormat::channels_first);
    return made.ok() ? std::string() : made.error().to_string();
  };
  for (const char* name : {"ToFloat16", "ToBfloat16", "ToUint8"}) {
    const TransformPtr last = make(name);
    for (const char* other :
         {"ToFloat16", "ToBfloat16", "ToUint8", "RandomErasing", "RandomInvert", "ColorJitter",
          "RandomHorizontalFlip", "RandomRotate90", "GaussianNoise", "CircularMask", "Cutout"}) {
      const Params params =
          std::string(other) == "Cutout" ? Params{{"crop_size", std::int64_t{2}}} : Params{};
      EXPECT_NE(refusal_of({last, make(other, params)}), "") << name << ", " << other;
    }
    EXPECT_NE(refusal_of({last, transforms::ToFloat{}}), "") << name;
    EXPECT_NE(refusal_of({last, transforms::Normalize{.mean = {0.5}, .std = {0.5}}}), "") << name;
    EXPECT_NE(refusal_of({last, transforms::CenterCrop{.size = 4}}), "") << name;
    EXPECT_EQ(refusal_of({last, make("ClampBoundingBoxes")}), "") << name;
  }
  const auto program = ImageProgram::compile({make("ToBfloat16")}, MemoryFormat::channels_first).value();
  EXPECT_NE(program.describe().find("divide by 255 + write -> any size bfloat16 CHW"), std::string::npos)
      << program.describe();
}

}  // namespace
}  // namespace penstock::inline v0
