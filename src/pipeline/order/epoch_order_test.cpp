#include "pipeline/order/epoch_order.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "pipeline/loader_for_test.hpp"
#include "pipeline/order/rank_slices.hpp"

namespace penstock::inline v0 {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::uint64_t> order_of(const Sampler& sampler, std::uint64_t samples, std::uint64_t epoch = 0,
                                    bool shuffle = false) {
  const EpochOrder order(OrderRule::make(sampler, shuffle, sample_per_row(samples), 7).value(), epoch);
  std::vector<std::uint64_t> all;
  for (std::uint64_t place = 0; place < order.places(); ++place) {
    all.push_back(order.row_at(place));
  }
  return all;
}

std::string refusal(const Sampler& sampler, bool shuffle = false) {
  return OrderRule::make(sampler, shuffle, sample_per_row(4), 0).error().to_string();
}

TEST(RankSlices, any_ranks_and_batches_cover_the_epoch_once) {
  for (const std::uint64_t places : {1u, 7u, 64u, 101u}) {
    const bool dealt = places % 2 == 1;
    for (const std::uint64_t batch : {1u, 3u, 8u}) {
      for (const std::uint64_t world : {1u, 2u, 5u}) {
        for (const std::uint64_t start : {std::uint64_t{0}, places / 2, places}) {
          std::vector<int> seen(places, 0);
          std::uint64_t position = start;
          const std::uint64_t steps = RankSlices(batch, 0, world, false, dealt).steps(start, places);
          for (std::uint64_t step = 0; step < steps; ++step) {
            std::size_t most = 0;
            std::size_t fewest = batch;
            for (std::uint64_t rank = 0; rank < world; ++rank) {
              const StepSlice slice = RankSlices(batch, rank, world, false, dealt).at(position, places);
              EXPECT_EQ(slice.stride, dealt && !slice.repeated && places - position >= world ? world : 1);
              EXPECT_GE(slice.rows, 1u) << "every rank has every step";
              most = std::max(most, slice.rows);
              fewest = std::min(fewest, slice.rows);
              for (std::uint64_t row = 0; row < slice.rows; ++row) {
                const std::uint64_t place = slice.first + row * slice.stride;
                ASSERT_LT(place, places);
                seen[place] += slice.repeated ? 0 : 1;
              }
            }
            EXPECT_LE(most - fewest, 1u) << "a tail is shared out evenly";
            position = RankSlices(batch, 0, world, false).end_of(position, places);
          }
          for (std::uint64_t place = 0; place < places; ++place) {
            EXPECT_EQ(seen[place], place >= start ? 1 : 0);
          }
        }
      }
    }
  }
}

TEST(RankSlices, few_samples_are_repeated_from_the_start) {
  // 10 places, 4 ranks of 2: the last step has 2 samples for 4 ranks.
  std::vector<std::uint64_t> last;
  std::vector<bool> repeated;
  for (std::uint64_t rank = 0; rank < 4; ++rank) {
    const StepSlice slice = RankSlices(2, rank, 4, false).at(8, 10);
    EXPECT_EQ(slice.rows, 1u);
    last.push_back(slice.first);
    repeated.push_back(slice.repeated);
  }
  EXPECT_THAT(last, ElementsAre(8, 9, 0, 1));
  EXPECT_THAT(repeated, ElementsAre(false, false, true, true));
  EXPECT_EQ(RankSlices(2, 0, 4, true).steps(0, 10), 1u);
}

TEST(EpochOrder, permutations_hold_every_sample_once) {
  for (const std::uint64_t samples : {1u, 10u, 5000u}) {
    std::vector<std::uint64_t> all(samples);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(order_of({}, samples), all);
    EXPECT_EQ(order_of(Sampler::sequential(), samples), all);
    std::vector<std::uint64_t> shuffled = order_of(Sampler::random(), samples);
    EXPECT_EQ(shuffled, order_of({}, samples, 0, true)) << "shuffle is the random sampler";
    EXPECT_TRUE(samples == 1 || shuffled != order_of(Sampler::random(), samples, 1));
    std::sort(shuffled.begin(), shuffled.end());
    EXPECT_EQ(shuffled, all);
  }
}

TEST(EpochOrder, draws_with_replacement_are_uniform_and_keyed_by_place) {
  constexpr std::uint64_t kSamples = 50;
  constexpr std::uint64_t kDraws = 100000;
  std::vector<double> counts(kSamples);
  for (const std::uint64_t sample : order_of(Sampler::random(true, kDraws), kSamples)) {
    ++counts.at(sample);
  }
  const double expected = static_cast<double>(kDraws) / kSamples;
  double chi2 = 0;
  for (const double count : counts) {
    chi2 += (count - expected) * (count - expected) / expected;
  }
  EXPECT_LT(chi2, 94.6) << "49 degrees of freedom, 1 in 10,000";
  EXPECT_GT(chi2, 17.0) << "too even to be random";
  EXPECT_TRUE(OrderRule::make(Sampler::random(true), false, sample_per_row(4), 0).value()->repeats());
  EXPECT_FALSE(OrderRule::make(Sampler::random(), false, sample_per_row(4), 0).value()->repeats());
}

TEST(EpochOrder, repeated_samples_come_several_times_in_a_row) {
  constexpr std::uint64_t kSamples = 700;
  const std::vector<std::uint64_t> shuffled = order_of(Sampler::random(), kSamples, 2);
  const std::vector<std::uint64_t> order = order_of(Sampler::repeated(3), kSamples, 2);
  ASSERT_EQ(order.size(), 512u) << "rounded down to a multiple of 256";
  for (std::size_t place = 0; place < order.size(); ++place) {
    EXPECT_EQ(order[place], shuffled[place / 3]);
  }
  EXPECT_EQ(order_of(Sampler::repeated(2), 100).size(), 100u) << "too few to be rounded";
  EXPECT_EQ(order_of(Sampler::repeated(2, 200), 100).size(), 200u);
  EXPECT_THAT(refusal(Sampler::repeated(2, 9)), HasSubstr("4 samples, 2 times each, do not make 9"));
  EXPECT_THAT(refusal(Sampler::repeated(0)), HasSubstr("num_repeats must be between 1 and 65536, got 0"));
  EXPECT_THAT(refusal(Sampler::repeated(), true), HasSubstr("shuffle=True and this sampler"));
  const auto rule = [](std::uint64_t times) {
    return OrderRule::make(Sampler::repeated(times), false, sample_per_row(4), 0).value();
  };
  EXPECT_TRUE(rule(3)->repeats()) << "copies draw for themselves";
  EXPECT_NE(rule(3)->describe_sampler(), rule(2)->describe_sampler());
}

TEST(EpochOrder, weighted_draws_have_the_frequencies_of_the_weights) {
  const std::vector<double> weights = {0, 1, 2, 3, 0.5, 10, 0, 1e-3};
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  constexpr std::uint64_t kDraws = 200000;
  std::vector<double> counts(weights.size());
  for (const std::uint64_t sample : order_of(Sampler::weighted(weights, true, kDraws), weights.size())) {
    ++counts.at(sample);
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double p = weights[i] / sum;
    EXPECT_NEAR(counts[i] / kDraws, p, 4.5 * std::sqrt(p * (1 - p) / kDraws)) << i;
  }
}

TEST(EpochOrder, weighted_without_replacement_takes_each_once_heavy_ones_first) {
  const std::vector<double> weights = {1, 0, 3, 6};
  std::vector<double> first(weights.size());
  constexpr int kEpochs = 20000;
  for (std::uint64_t epoch = 0; epoch < kEpochs; ++epoch) {
    std::vector<std::uint64_t> order = order_of(Sampler::weighted(weights, false), weights.size(), epoch);
    ++first.at(order[0]);
    std::sort(order.begin(), order.end());
    ASSERT_THAT(order, ElementsAre(0, 2, 3));
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double p = weights[i] / 10;
    EXPECT_NEAR(first[i] / kEpochs, p, 4.5 * std::sqrt(p * (1 - p) / kEpochs)) << i;
  }
}

TEST(EpochOrder, of_very_small_weights_is_that_of_larger_ones_in_proportion) {
  constexpr double kTiny = 0x1p-1074;  // the smallest number
  const std::vector<double> weights = {1, 5, 2, 0, 3, 1, 4, 9, 7, 7};
  std::vector<double> tiny = weights;
  for (double& weight : tiny) {
    weight *= kTiny;
  }
  for (std::uint64_t epoch = 0; epoch < 100; ++epoch) {
    EXPECT_EQ(order_of(Sampler::weighted(tiny, false), 10, epoch),
              order_of(Sampler::weighted(weights, false), 10, epoch));
    EXPECT_EQ(order_of(Sampler::weighted(tiny, true, 50), 10, epoch),
              order_of(Sampler::weighted(weights, true, 50), 10, epoch));
  }
  EXPECT_THAT(order_of(Sampler::weighted({0, 0, kTiny, 0}, true), 4), ElementsAre(2, 2, 2, 2));
}

TEST(EpochOrder, very_small_weights_beside_large_ones_are_drawn_in_proportion) {
  const std::vector<double> weights = {1e-310, 1e300, 2e-310, 1, 3e-310};
  constexpr int kEpochs = 12000;
  std::vector<double> third(weights.size());
  for (std::uint64_t epoch = 0; epoch < kEpochs; ++epoch) {
    const std::vector<std::uint64_t> order = order_of(Sampler::weighted(weights, false), 5, epoch);
    ASSERT_EQ(order[0], 1u);
    ASSERT_EQ(order[1], 3u);
    ++third.at(order[2]);
  }
  double chi2 = 0;
  for (const std::size_t i : {0u, 2u, 4u}) {
    const double expected = kEpochs * weights[i] / 6e-310;
    chi2 += (third[i] - expected) * (third[i] - expected) / expected;
  }
  EXPECT_LT(chi2, 18.4) << "2 degrees of freedom, 1 in 10,000";
}

TEST(EpochOrder, of_ordinary_weights_is_the_promised_one) {
  std::vector<double> weights;
  for (int i = 0; i < 400; ++i) {
    weights.push_back(std::ldexp(1 + i % 17, i % 41 * 20 - 400));
  }
  for (std::uint64_t epoch = 0; epoch < 20; ++epoch) {
    std::vector<std::pair<double, std::uint64_t>> keys;
    for (std::uint64_t i = 0; i < weights.size(); ++i) {
      Draws draws({.seed = 7, .epoch = epoch, .sample = i}, 0xFFFE0000u);
      keys.emplace_back(-std::log1p(-draws.uniform()) / weights[i], i);
    }
    std::sort(keys.begin(), keys.end());
    const std::vector<std::uint64_t> order =
        order_of(Sampler::weighted(weights, false), weights.size(), epoch);
    for (std::size_t place = 0; place < keys.size(); ++place) {
      ASSERT_EQ(order[place], keys[place].second);
    }
  }
}

TEST(EpochOrder, indices_come_as_they_are) {
  EXPECT_THAT(order_of(Sampler::of_indices({3, 0, 3}), 4), ElementsAre(3, 0, 3));
  EXPECT_TRUE(
      OrderRule::make(Sampler::of_indices({3, 0, 3}), false, sample_per_row(4), 0).value()->repeats());
  EXPECT_FALSE(OrderRule::make(Sampler::of_indices({3, 0}), false, sample_per_row(4), 0).value()->repeats());
}

TEST(EpochOrder, refuses_what_does_not_fit) {
  EXPECT_THAT(refusal(Sampler::of_indices({4})), HasSubstr("sample 4 (at place 0) is out of range for 4"));
  EXPECT_THAT(refusal(Sampler::weighted({1, 2})), HasSubstr("2 weights for 4 samples"));
  EXPECT_THAT(refusal(Sampler::weighted({1, -1, 1, 1})), HasSubstr("the weight of sample 1 must be"));
  EXPECT_THAT(refusal(Sampler::weighted({1, NAN, 1, 1})), HasSubstr("of sample 1"));
  EXPECT_THAT(refusal(Sampler::weighted({0, 0, 0, 0})), HasSubstr("above 0"));
  EXPECT_THAT(refusal(Sampler::weighted({1, 0, 0, 0}, false, 2)),
              HasSubstr("2 samples cannot be drawn from 1"));
  EXPECT_THAT(refusal(Sampler::random(false, 5)), HasSubstr("5 samples cannot be drawn from 4"));
  EXPECT_THAT(refusal(Sampler::sequential(), true), HasSubstr("cannot be combined"));
}

class ShardedTable : public MemoryTable {
 public:
  using MemoryTable::MemoryTable;
  std::vector<std::uint64_t> shard_starts() const override { return starts; }
  std::vector<std::uint64_t> starts;
};

TEST(EpochOrder, shuffle_modes_reach_as_far_as_they_say) {
  const auto table = std::make_shared<ShardedTable>(1000);
  for (std::uint64_t start = 0; start < 1000; start += 50) {
    table->starts.push_back(start);
  }
  const auto run = [&table](LoaderOptions options) {
    options.shuffle = true;
    Loader loader = open_loader(table, options);
    return indices(take_epoch(loader));
  };
  const auto window = run({.shuffle_mode = ShuffleMode::window, .shuffle_window = 30});
  for (std::int64_t place = 0; place < 1000; ++place) {
    ASSERT_LT(std::abs(window[static_cast<std::size_t>(place)] - place), 30);
  }
  const auto shards = run({.shuffle_mode = ShuffleMode::shards, .shuffle_shards = 4});
  for (std::size_t group = 0; group < 5; ++group) {
    std::set<std::int64_t> seen;
    for (std::size_t place = 200 * group; place < 200 * (group + 1); ++place) {
      seen.insert(shards[place] / 50);
    }
    EXPECT_EQ(seen.size(), 4u);
  }
  EXPECT_EQ(std::set(window.begin(), window.end()).size(), 1000u);
  EXPECT_EQ(std::set(shards.begin(), shards.end()).size(), 1000u);
}

TEST(EpochOrder, a_state_knows_how_samples_were_shuffled) {
  const auto table = std::make_shared<ShardedTable>(1000);
  table->starts = {0, 400};
  const auto other = std::make_shared<ShardedTable>(1000);
  other->starts = {0, 500};
  const LoaderOptions by_shards{.shuffle = true, .shuffle_mode = ShuffleMode::shards};
  const std::string state = open_loader(table, by_shards).state().value();
  EXPECT_LT(state.size(), 1000u);
  EXPECT_TRUE(open_loader(table, by_shards).load_state(state));
  EXPECT_THAT(open_loader(other, by_shards).load_state(state).error().to_string(),
              HasSubstr("order: shuffled by shards, 8 together"));
  EXPECT_FALSE(open_loader(table, {.shuffle = true}).load_state(state));
  EXPECT_FALSE(open_loader(table, {.shuffle = true, .shuffle_mode = ShuffleMode::shards, .shuffle_shards = 1})
                   .load_state(state));
}

TEST(EpochOrder, shuffle_modes_that_cannot_be_are_refused) {
  const auto refused = [](const LoaderOptions& options) {
    const auto loader =
        Loader::open(Dataset::of(std::make_shared<MemoryTable>(4), "memory"), FieldTransforms{}, options);
    return loader ? "" : loader.error().to_string();
  };
  EXPECT_THAT(refused({.shuffle = true, .shuffle_mode = ShuffleMode::shards}), HasSubstr("with shards"));
  EXPECT_THAT(refused({.shuffle_mode = ShuffleMode::window}), HasSubstr("shuffle=True"));
  EXPECT_THAT(refused({.shuffle = true, .shuffle_window = 8}), HasSubstr("shuffle_window"));
  EXPECT_THAT(refused({.shuffle = true, .shuffle_shards = 8}), HasSubstr("shuffle_shards"));
  EXPECT_THAT(refused({.shuffle = true, .shuffle_mode = ShuffleMode::window, .shuffle_window = 3}),
              HasSubstr("shuffle_window"));
  EXPECT_EQ(refused({.sampler = Sampler::random(), .shuffle_mode = ShuffleMode::window}), "");
  EXPECT_THAT(refused({.sampler = Sampler::random(true), .shuffle_mode = ShuffleMode::window}),
              HasSubstr("shuffle_mode"));
}

TEST(EpochOrder, finds_the_shards_in_few_looks) {
  const auto find = [](const std::vector<std::uint64_t>& shard_of, std::uint64_t shards) {
    return find_shard_starts(shard_of.size(), shards, [&](std::uint64_t sample) { return shard_of[sample]; });
  };
  EXPECT_THAT(find({0, 0, 1, 1, 1, 4}, 5), ElementsAre(0, 2, 5)) << "shards without samples are none";
  EXPECT_THAT(find({2, 2}, 3), ElementsAre(0));
  EXPECT_THAT(find({}, 3), ElementsAre());
  const std::vector<std::uint64_t> damaged = find({5, 0, 3, 1, 9, 2}, 4);
  EXPECT_EQ(damaged[0], 0u);
  EXPECT_EQ(std::set(damaged.begin(), damaged.end()).size(), damaged.size());
  EXPECT_TRUE(std::is_sorted(damaged.begin(), damaged.end()));
}

}  // namespace
}  // namespace penstock::inline v0
