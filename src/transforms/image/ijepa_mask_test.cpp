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

TransformPtr jepa(Params params = {}) {
  params.emplace_back("grid", std::int64_t{14});
  return make("IJEPAMask", params);
}

TEST(IJEPAMask, gives_all_images_of_a_batch_contexts_and_targets_of_one_count) {
  MaskRunner runner(jepa());
  std::set<std::int64_t> context_counts, target_counts;
  for (std::uint64_t first = 0; first < 100 * 8; first += 8) {
    std::set<std::int64_t> contexts, targets;
    std::set<Mask> different;
    for (std::uint64_t row = 0; row < 8; ++row) {
      runner.draw(0, row_of_batch(first, row, 8));
      const Mask context = runner.mask(0), blocks = runner.mask(1);
      contexts.insert(patches_of(context));
      different.insert(blocks);
      for (std::size_t target = 0; target < 4; ++target) {
        const auto begin = blocks.begin() + static_cast<std::ptrdiff_t>(196 * target);
        targets.insert(patches_of(Mask(begin, begin + 196)));
      }
      EXPECT_EQ(runner.replayed(runner.drawn(), 0), context);
      EXPECT_EQ(runner.replayed(runner.drawn(), 1), blocks);
    }
    EXPECT_EQ(contexts.size(), 1u);
    EXPECT_GT(*contexts.begin(), 10);
    EXPECT_EQ(targets.size(), 1u) << "sizes are drawn for the batch";
    EXPECT_GE(different.size(), 6u) << "places for each image";
    context_counts.insert(contexts.begin(), contexts.end());
    target_counts.insert(targets.begin(), targets.end());
  }
  EXPECT_GT(context_counts.size(), 20u);
  // From int(196 * 0.15) patches, as whole rows and columns, up to int(196 * 0.2).
  EXPECT_LE(*target_counts.rbegin(), 40);
  EXPECT_GE(*target_counts.begin(), 28);
}

TEST(IJEPAMask, cuts_targets_out_of_the_context_and_contexts_to_the_shortest) {
  MaskRunner runner(jepa());
  std::vector<std::int64_t> whole;
  std::int64_t kept = 0;
  for (std::uint64_t row = 0; row < 64; ++row) {
    runner.draw(0, row_of_batch(640, row, 64));
    const Mask context = runner.mask(0), blocks = runner.mask(1);
    const auto drawn = runner.drawn();
    const auto box = test::value_of<Blocks>(drawn, "context");
    const auto cut_out = test::value_of<std::int64_t>(drawn, "cut_out");
    kept = test::value_of<std::int64_t>(drawn, "context_patches");
    std::vector<std::size_t> left;
    for (std::int64_t y = box[0]; y < box[0] + box[2]; ++y) {
      for (std::int64_t x = box[1]; x < box[1] + box[3]; ++x) {
        const auto at = static_cast<std::size_t>(14 * y + x);
        bool free = true;
        for (std::size_t target = 0; target < static_cast<std::size_t>(cut_out); ++target) {
          free = free && blocks[196 * target + at] == 0;
        }
        if (free) {
          left.push_back(at);
        }
      }
    }
    whole.push_back(static_cast<std::int64_t>(left.size()));
    Mask expected(196, 0);
    for (std::size_t i = 0; i < static_cast<std::size_t>(kept); ++i) {
      expected[left.at(i)] = 1;
    }
    EXPECT_EQ(context, expected);
  }
  EXPECT_EQ(*std::min_element(whole.begin(), whole.end()), kept);
  EXPECT_GT(*std::max_element(whole.begin(), whole.end()), kept);
}

TEST(IJEPAMask, cuts_out_fewer_targets_where_too_little_is_left) {
  MaskRunner all(jepa({{"min_keep", std::int64_t{10}}}));
  MaskRunner some(jepa({{"min_keep", std::int64_t{120}}, {"targets", std::int64_t{6}}}));
  MaskRunner none(jepa({{"min_keep", std::int64_t{196}}}));
  std::set<std::int64_t> cut;
  for (std::uint64_t row = 0; row < 32; ++row) {
    all.draw(0, row_of_batch(0, row, 32));
    EXPECT_EQ(test::value_of<std::int64_t>(all.drawn(), "cut_out"), 4);
    some.draw(0, row_of_batch(0, row, 32));
    EXPECT_GT(test::value_of<std::int64_t>(some.drawn(), "context_patches"), 120);
    cut.insert(test::value_of<std::int64_t>(some.drawn(), "cut_out"));
    none.draw(0, row_of_batch(0, row, 32));
    EXPECT_EQ(test::value_of<std::int64_t>(none.drawn(), "cut_out"), 0) << "bounded";
  }
  EXPECT_GT(cut.size(), 1u);
}

TEST(IJEPAMask, places_blocks_evenly_but_never_at_the_last_place) {
  MaskRunner runner(jepa({{"target_scale", std::vector<double>{0.1, 0.1}},
                          {"target_aspect", std::vector<double>{1.0, 1.0}}}));  // 4 x 4
  std::vector<int> tops(10);
  for (std::uint64_t first = 0; first < 1000; ++first) {
    runner.draw(0, row_of_batch(first, 0, 1));
    const auto targets = test::value_of<Blocks>(runner.drawn(), "targets");
    ASSERT_EQ(targets.size(), 16u);
    for (std::size_t i = 0; i < targets.size(); i += 4) {
      ASSERT_EQ(targets[i + 2], 4);
      ++tops.at(static_cast<std::size_t>(targets[i]));
    }
  }
  EXPECT_LT(test::unevenness(tops), test::kUnevenness);
}

TEST(IJEPAMask, does_on_awkward_grids_what_it_can) {
  for (const Blocks& grid : {Blocks{1, 1}, Blocks{1, 9}, Blocks{9, 1}, Blocks{2, 2}, Blocks{3, 200}}) {
    MaskRunner runner(make("IJEPAMask", {{"grid", grid}}));
    for (std::uint64_t row = 0; row < 8; ++row) {
      runner.draw(0, row_of_batch(5, row, 8));
      EXPECT_GE(patches_of(runner.mask(1)), 4);
    }
  }
}

TEST(IJEPAMask, refuses_what_cannot_be) {
  const auto refused = [](const char* name, const ParamValue& value) {
    return test::refusal("IJEPAMask", {{"grid", std::int64_t{14}}, {name, value}});
  };
  EXPECT_NE(refused("context_scale", std::vector<double>{0.5, 1.1}).find("context_scale must be"),
            std::string::npos);
  EXPECT_EQ(refused("targets", std::int64_t{65}), "IJEPAMask: targets must be between 1 and 64, got 65");
  EXPECT_EQ(refused("min_keep", std::int64_t{-1}),
            "IJEPAMask: min_keep must be a non-negative integer, got -1");
  MaskRunner runner(jepa());
  runner.draw(0);
  Params drawn = runner.drawn();
  ASSERT_FALSE(runner.replayed(drawn).empty());
  for (auto& [name, value] : drawn) {
    if (name == "targets") {
      value = Blocks{0, 0, 2, 2};
    }
  }
  EXPECT_TRUE(runner.replayed(drawn).empty()) << "another number of targets";
}

}  // namespace
}  // namespace penstock::inline v0
