#include <gtest/gtest.h>

#include <cstring>

#include "core/counting_new_for_test.hpp"
#include "transforms/image_program.hpp"
#include "transforms/run_for_test.hpp"

namespace penstock::inline v0 {
namespace {

TEST(ImageProgramMemory, allocates_nothing_for_images_like_those_it_has_seen) {
  const std::vector<TransformPtr> padded = {transforms::RandomCrop{.size = 90, .padding = {4}},
                                            transforms::RandomHorizontalFlip{},
                                            transforms::Resize{.size = 40}, transforms::ToFloat{}};
  std::vector<TransformPtr> colours = presets::imagenet_train(64);
  colours.insert(
      colours.begin() + 2,
      {test::make("RandomRotation", {{"degrees", 20.0}, {"interpolation", std::string("bilinear")}}),
       test::make("ColorJitter", {{"brightness", 0.5}, {"contrast", 0.5}, {"saturation", 0.5}, {"hue", 0.1}}),
       test::make("PillowGaussianBlur")});
  colours.push_back(test::make("RandomErasing", {{"value", std::string("random")}}));
  std::vector<TransformPtr> policies = presets::imagenet_train(64);
  policies.insert(policies.begin() + 2,
                  {test::make("AutoAugment"), test::make("RandAugment", {{"num_ops", std::int64_t{8}}}),
                   test::make("TimmRandAugment"), test::make("AugMix"), test::make("ThreeAugment")});
  for (const auto& list :
       {presets::imagenet_train(64), presets::imagenet_val(64), padded, colours, policies}) {
    const ImageProgram program = ImageProgram::compile(list, MemoryFormat::channels_first).value();
    const auto workspace = program.make_workspace();
    std::vector<float> out(3 * 64 * 64);
    const ReadBox read = [](const Rect& box, const PixelView& view) -> Status {
      for (int y = 0; y < box.height; ++y) {
        std::memset(view.data + static_cast<std::size_t>(y) * view.stride, y,
                    static_cast<std::size_t>(box.width) * 3);
      }
      return {};
    };
    const auto epoch = [&] {
      for (std::uint64_t sample = 0; sample < 300; ++sample) {
        const ImageSize size{90 + static_cast<int>(sample % 7) * 10, 100 + static_cast<int>(sample % 5) * 10};
        EXPECT_TRUE(program.resolve(*workspace, size, {1, 2, sample}).ok());
        EXPECT_TRUE(program.run(*workspace, read, out.data()).ok());
      }
    };
    epoch();
    const std::uint64_t before = allocations;
    epoch();
    EXPECT_EQ(allocations - before, 0u);
  }
}

}  // namespace
}  // namespace penstock::inline v0
