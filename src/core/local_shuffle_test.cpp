#include "core/local_shuffle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

namespace penstock::inline v0 {
namespace {

template <class Shuffle>
std::vector<std::uint64_t> order_of(const Shuffle& shuffle, std::uint64_t size) {
  std::vector<std::uint64_t> order(size);
  for (std::uint64_t place = 0; place < size; ++place) {
    order[place] = shuffle.at(place);
  }
  return order;
}

void expect_permutation(std::vector<std::uint64_t> order) {
  std::sort(order.begin(), order.end());
  for (std::uint64_t i = 0; i < order.size(); ++i) {
    ASSERT_EQ(order[i], i) << "of " << order.size();
  }
}

std::uint64_t distance(std::uint64_t a, std::uint64_t b) { return a < b ? b - a : a - b; }

TEST(WindowShuffle, is_a_permutation_that_moves_nothing_further_than_the_window) {
  for (const std::uint64_t size : {0, 1, 2, 3, 5, 64, 100, 1000, 4999}) {
    for (const std::uint64_t window : {4, 5, 7, 64, 100, 999, 100000}) {
      for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
        const auto order = order_of(WindowShuffle(size, window, 7, epoch), size);
        expect_permutation(order);
        for (std::uint64_t place = 0; place < size; ++place) {
          ASSERT_LT(distance(order[place], place), window);
        }
      }
    }
  }
}

TEST(WindowShuffle, mixes_within_the_window_and_has_no_walls) {
  constexpr std::uint64_t kSize = 40000;
  constexpr std::uint64_t kWindow = 400;
  const WindowShuffle shuffle(kSize, kWindow, 1, 2);
  double moved = 0;
  std::vector<bool> wall(kSize + 1, true);  // no index from before comes after, nor the other way round
  std::uint64_t largest = 0;
  for (std::uint64_t place = 0; place < kSize; ++place) {
    const std::uint64_t index = shuffle.at(place);
    moved += static_cast<double>(distance(index, place));
    largest = std::max(largest, index);
    wall[place + 1] = largest == place;
  }
  // From a place in a block of 200 to anywhere in that block and half a block around it: 13/24 of a block.
  EXPECT_NEAR(moved / kSize, 200 * 13 / 24.0, 2);
  EXPECT_EQ(std::count(wall.begin() + 1, wall.end() - 1, true), 0);
}

TEST(WindowShuffle, differs_by_epoch_and_seed_and_repeats_for_the_same) {
  const auto make = [](std::uint64_t seed, std::uint64_t epoch) {
    return order_of(WindowShuffle(1000, 100, seed, epoch), 1000);
  };
  EXPECT_EQ(make(1, 1), make(1, 1));
  EXPECT_NE(make(1, 1), make(1, 2));
  EXPECT_NE(make(1, 1), make(2, 1));
  EXPECT_EQ(make(1, 1)[0], 41u) << "an order that runs have been started with";
  EXPECT_EQ(make(1, 1)[999], 983u);
}

TEST(WindowShuffle, needs_no_table_for_a_billion) {
  constexpr std::uint64_t kBillion = 1'000'000'000'000;
  const WindowShuffle shuffle(kBillion, 1'000'000, 1, 1);
  std::set<std::uint64_t> seen;
  for (std::uint64_t place = kBillion - 1000; place < kBillion; ++place) {
    const std::uint64_t index = shuffle.at(place);
    ASSERT_LT(index, kBillion);
    ASSERT_LT(distance(index, place), 1'000'000u);
    seen.insert(index);
  }
  EXPECT_EQ(seen.size(), 1000u);
}

TEST(ShardShuffle, is_a_permutation_whatever_the_shards) {
  const std::vector<std::vector<std::uint64_t>> layouts = {
      {0}, {0, 1}, {0, 1, 2, 3}, {0, 10, 11, 500, 700}, {0, 999}};
  for (const auto& starts : layouts) {
    for (const std::uint64_t size : {1000, 1001}) {
      for (const std::uint64_t together : {1, 2, 3, 100}) {
        expect_permutation(order_of(ShardShuffle(size, starts, together, 3, 4), size));
      }
    }
  }
  expect_permutation(order_of(ShardShuffle(1, {0}, 1, 3, 4), 1));
}

TEST(ShardShuffle, reads_as_many_shards_at_a_time_as_asked_for) {
  std::vector<std::uint64_t> starts(50);
  for (std::uint64_t i = 0; i < 50; ++i) {
    starts[i] = 20 * i;
  }
  const auto order = order_of(ShardShuffle(1000, starts, 5, 1, 1), 1000);
  std::set<std::uint64_t> all;
  for (std::uint64_t group = 0; group < 10; ++group) {
    std::set<std::uint64_t> shards;
    for (std::uint64_t place = 100 * group; place < 100 * (group + 1); ++place) {
      shards.insert(order[place] / 20);
    }
    EXPECT_EQ(shards.size(), 5u);
    all.insert(shards.begin(), shards.end());
    EXPECT_FALSE(std::is_sorted(order.begin() + 100 * group, order.begin() + 100 * (group + 1)));
  }
  EXPECT_EQ(all.size(), 50u);
  EXPECT_NE(order, order_of(ShardShuffle(1000, starts, 5, 1, 2), 1000));
  EXPECT_NE(order, order_of(ShardShuffle(1000, starts, 5, 2, 1), 1000));
}

TEST(ShardShuffle, works_for_a_billion_in_many_shards) {
  constexpr std::uint64_t kBillion = 1'000'000'000;
  std::vector<std::uint64_t> starts(100'000);
  for (std::uint64_t i = 0; i < starts.size(); ++i) {
    starts[i] = i * 10'000;
  }
  const ShardShuffle shuffle(kBillion, starts, 8, 1, 1);
  std::set<std::uint64_t> seen;
  for (std::uint64_t place = 0; place < kBillion; place += 999'983) {
    seen.insert(shuffle.at(place));
  }
  EXPECT_EQ(seen.size(), 1001u);
  EXPECT_LT(*seen.rbegin(), kBillion);
}

}  // namespace
}  // namespace penstock::inline v0
