#include <gtest/gtest.h>

#include <set>

#include "transforms/distribution_for_test.hpp"
#include "transforms/image/patch_masks_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using test::make;
using test::Mask;
using test::MaskRunner;
using test::patches_of;
using test::row_of_batch;
using Blocks = std::vector<std::int64_t>;

constexpr int kPatches = 14 * 14;

TransformPtr block_mask(Params params = {}) {
  params.emplace_back("grid", std::int64_t{14});
  return make("RandomBlockMask", params);
}

TEST(RandomBlockMask, masks_half_of_a_batch_with_shares_spread_evenly) {
  MaskRunner runner(block_mask());
  std::vector<int> masked_rows(16);
  for (std::uint64_t first = 0; first < 200 * 16; first += 16) {
    std::vector<std::int64_t> counts;
    for (std::uint64_t row = 0; row < 16; ++row) {
      runner.draw(1000 + first + row, row_of_batch(first, row, 16));
      if (const auto count = patches_of(runner.mask()); count > 0) {
        counts.push_back(count);
        ++masked_rows[row];
      }
    }
    ASSERT_EQ(counts.size(), 8u);
    std::sort(counts.begin(), counts.end());
    for (std::size_t i = 0; i < counts.size(); ++i) {
      // Blocks that find no room may leave a few patches unmasked.
      const double step = 0.4 / 8;
      EXPECT_LE(static_cast<double>(counts[i]), kPatches * (0.1 + step * static_cast<double>(i + 1)));
      EXPECT_GE(static_cast<double>(counts[i]), kPatches * (0.1 + step * static_cast<double>(i)) - 12);
    }
  }
  EXPECT_LT(test::unevenness(masked_rows), test::kUnevenness) << "any row is masked as often as others";
}

TEST(RandomBlockMask, masks_one_more_by_chance_where_the_share_is_no_whole_number) {
  MaskRunner runner(block_mask());
  int masked = 0;
  for (std::uint64_t first = 0; first < 2000; ++first) {
    runner.draw(first, row_of_batch(first, 0, 1));
    masked += patches_of(runner.mask()) > 0 ? 1 : 0;
  }
  EXPECT_NEAR(masked, 1000, 100);
}

TEST(RandomBlockMask, leaves_images_to_chance_where_batches_do_not_count) {
  MaskRunner runner(block_mask({{"per_batch", false}, {"p", 0.25}}));
  int masked = 0;
  for (std::uint64_t sample = 0; sample < 4000; ++sample) {
    runner.draw(sample);
    const Mask alone = runner.mask();
    runner.draw(sample, row_of_batch(sample / 8 * 8, sample % 8, 8));
    EXPECT_EQ(runner.mask(), alone);
    masked += patches_of(alone) > 0 ? 1 : 0;
  }
  EXPECT_NEAR(masked, 1000, 110);
}

TEST(RandomBlockMask, masks_blocks_of_the_grid_and_never_more_than_was_drawn) {
  MaskRunner runner(block_mask({{"p", 1.0}, {"mask_ratio", std::vector<double>{0.3, 0.3}}}));
  std::set<Mask> masks;
  std::int64_t total = 0;
  for (std::uint64_t sample = 0; sample < 500; ++sample) {
    runner.draw(sample);
    const Mask mask = runner.mask();
    masks.insert(mask);
    total += patches_of(mask);
    EXPECT_LE(patches_of(mask), static_cast<int>(kPatches * 0.3));
    const Blocks blocks = test::value_of<Blocks>(runner.drawn(), "blocks");
    Mask painted(kPatches, 0);
    for (std::size_t i = 0; i < blocks.size(); i += 4) {
      EXPECT_LT(blocks[i + 2], 14);
      EXPECT_LT(blocks[i + 3], 14);
      for (std::int64_t y = blocks[i]; y < blocks[i] + blocks[i + 2]; ++y) {
        for (std::int64_t x = blocks[i + 1]; x < blocks[i + 1] + blocks[i + 3]; ++x) {
          painted[static_cast<std::size_t>(14 * y + x)] = 1;
        }
      }
    }
    EXPECT_EQ(painted, mask);
    EXPECT_EQ(runner.replayed(runner.drawn()), mask);
  }
  EXPECT_EQ(masks.size(), 500u);
  EXPECT_GT(static_cast<double>(total), 0.97 * 500 * static_cast<int>(kPatches * 0.3));
}

TEST(RandomBlockMask, does_on_awkward_grids_what_it_can) {
  for (const Blocks& grid : {Blocks{1, 1}, Blocks{1, 9}, Blocks{9, 1}, Blocks{2, 2}, Blocks{3, 200}}) {
    MaskRunner runner(make("RandomBlockMask", {{"grid", grid}, {"p", 1.0}}));
    for (std::uint64_t sample = 0; sample < 50; ++sample) {
      runner.draw(sample);
      EXPECT_LE(patches_of(runner.mask()), grid[0] * grid[1] / 2);
    }
  }
}

TEST(RandomBlockMask, refuses_what_cannot_be) {
  const auto refused = [](const char* name, const ParamValue& value) {
    return test::refusal("RandomBlockMask", {{"grid", std::int64_t{14}}, {name, value}});
  };
  EXPECT_EQ(refused("mask_ratio", std::vector<double>{0.5, 0.1}),
            "RandomBlockMask: mask_ratio must be two numbers between 0 and 1, the smaller one first, got "
            "(0.5, 0.1)");
  EXPECT_EQ(refused("min_patches", std::int64_t{-4}),
            "RandomBlockMask: min_patches must be a positive integer, got -4");
  EXPECT_NE(refused("aspect", std::vector<double>{0.0, 2.0}).find("aspect must be"), std::string::npos);
  EXPECT_NE(refused("p", 2.0).find("p must be between 0 and 1"), std::string::npos);
  MaskRunner runner(block_mask());
  EXPECT_TRUE(runner.replayed({{"blocks", Blocks{0, 0, 15, 2}}}).empty()) << "leaves the grid";
  EXPECT_TRUE(runner.replayed({{"blocks", Blocks{0, 0, 5}}}).empty());
}

}  // namespace
}  // namespace penstock::inline v0
