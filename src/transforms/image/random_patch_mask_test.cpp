#include <gtest/gtest.h>

#include <set>

#include "transforms/distribution_for_test.hpp"
#include "transforms/image/patch_masks_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using test::make;
using test::Mask;
using test::MaskRunner;

TransformPtr patch_mask(double ratio) {
  return make("RandomPatchMask", {{"grid", std::int64_t{14}}, {"mask_ratio", ratio}});
}

TEST(RandomPatchMask, keeps_as_many_patches_as_mae_does) {
  for (const auto& [ratio, kept] : {std::pair(0.75, 49), std::pair(0.6, 78), std::pair(0.0, 196),
                                    std::pair(1.0, 0), std::pair(0.999, 0)}) {
    MaskRunner runner(patch_mask(ratio));
    for (std::uint64_t sample = 0; sample < 50; ++sample) {
      runner.draw(sample);
      EXPECT_EQ(test::patches_of(runner.mask()), 196 - kept) << ratio;
    }
  }
}

TEST(RandomPatchMask, masks_every_patch_and_every_pair_equally_often) {
  MaskRunner runner(
      make("RandomPatchMask", {{"grid", std::vector<std::int64_t>{2, 3}}, {"mask_ratio", 0.5}}));
  std::vector<int> sets(64);
  for (std::uint64_t sample = 0; sample < 20000; ++sample) {
    runner.draw(sample);
    int bits = 0;
    for (const std::uint8_t patch : runner.mask()) {
      bits = 2 * bits + patch;
    }
    ++sets[static_cast<std::size_t>(bits)];
  }
  std::erase(sets, 0);
  EXPECT_EQ(sets.size(), 20u) << "three of six";
  EXPECT_LT(test::unevenness(sets), test::kUnevenness);
}

TEST(RandomPatchMask, depends_on_the_sample_and_not_on_its_batch) {
  MaskRunner runner(patch_mask(0.75));
  std::set<Mask> masks;
  for (std::uint64_t sample = 0; sample < 50; ++sample) {
    runner.draw(sample);
    const Mask alone = runner.mask();
    runner.draw(sample, test::row_of_batch(7, 3, 8));
    EXPECT_EQ(runner.mask(), alone);
    EXPECT_EQ(runner.replayed(runner.drawn()), alone);
    masks.insert(alone);
  }
  EXPECT_EQ(masks.size(), 50u);
}

TEST(RandomPatchMask, refuses_grids_that_cannot_be) {
  const auto refusal = [](const Params& params) { return test::refusal("RandomPatchMask", params); };
  EXPECT_EQ(refusal({{"grid", std::int64_t{-1}}}),
            "RandomPatchMask: grid must be between 1 and 256 patches, got -1");
  EXPECT_EQ(refusal({{"grid", std::int64_t{14}}, {"mask_ratio", 1.5}}),
            "RandomPatchMask: mask_ratio must be between 0 and 1, got 1.5");
  EXPECT_EQ(refusal({{"grid", std::int64_t{14}}, {"name", std::string()}}),
            "RandomPatchMask: name must be a name, got ''");
  const auto program = ImageProgram::compile({transforms::CenterCrop{.size = 224}, patch_mask(0.75),
                                              make("RandomPatchMask", {{"grid", std::int64_t{15}}})},
                                             MemoryFormat::channels_last);
  ASSERT_FALSE(program.ok());
  EXPECT_EQ(program.error().to_string(),
            "RandomPatchMask: grid must divide the image of 224 x 224 (height x width), got 15 x 15; put it "
            "behind what gives images their size");
}

TEST(RandomPatchMask, adds_fields_of_different_names_to_the_list_itself) {
  const auto twice = ImageProgram::compile({patch_mask(0.75), patch_mask(0.5)}, MemoryFormat::channels_last);
  ASSERT_FALSE(twice.ok());
  EXPECT_EQ(
      twice.error().to_string(),
      "RandomPatchMask: two fields of masks would be called 'patch_mask'; give one of them another name");
  const auto held = make("RandomApply", {{"transforms", HeldOperations{{patch_mask(0.75)}}}});
  EXPECT_FALSE(ImageProgram::compile({held}, MemoryFormat::channels_last).ok());
}

}  // namespace
}  // namespace penstock::inline v0
