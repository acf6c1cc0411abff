#include "pipeline/order/length_windows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <thread>

#include "pipeline/order/epoch_order.hpp"

namespace penstock::inline v0 {
namespace {

using testing::ElementsAre;

constexpr std::uint64_t kRecordings = 1000;

/// Sample i is as long as i * 7 % 1000 says.
LengthRule lengths(std::uint64_t window) {
  LengthRule rule{.window = window, .sizes = std::vector<std::uint64_t>(kRecordings)};
  for (std::uint64_t i = 0; i < kRecordings; ++i) {
    rule.sizes[i] = i * 7 % kRecordings;
  }
  return rule;
}

std::vector<std::uint64_t> order_of(bool shuffle, std::uint64_t window, std::uint64_t epoch) {
  const EpochOrder order(
      OrderRule::make({}, shuffle, sample_per_row(kRecordings), 5, {}, lengths(window)).value(), epoch);
  std::vector<std::uint64_t> samples(order.places());
  for (std::uint64_t place = 0; place < samples.size(); ++place) {
    samples[place] = order.row_at(place);
  }
  return samples;
}

TEST(LengthWindows, sorts_each_window_of_the_same_epoch_and_loses_nothing) {
  const std::vector<std::uint64_t> base = order_of(true, 0, 3);
  const LengthRule rule = lengths(128);
  std::vector<std::uint64_t> sorted = order_of(true, 128, 3);
  int rising = 0;
  int falling = 0;
  for (std::uint64_t first = 0; first < kRecordings; first += 128) {
    const auto count = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(128, kRecordings - first));
    const auto begin = sorted.begin() + static_cast<std::ptrdiff_t>(first);
    const auto shorter = [&rule](auto a, auto b) { return rule.sizes[a] < rule.sizes[b]; };
    const bool rises = std::is_sorted(begin, begin + count, shorter);
    (rises ? rising : falling) += 1;
    EXPECT_TRUE(rises ||
                std::is_sorted(std::reverse_iterator(begin + count), std::reverse_iterator(begin), shorter));
    EXPECT_TRUE(std::is_permutation(begin, begin + count, base.begin() + static_cast<std::ptrdiff_t>(first)));
  }
  EXPECT_GT(rising, 0);
  EXPECT_GT(falling, 0);
  EXPECT_NE(sorted, order_of(true, 128, 4));
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::uint64_t> each(kRecordings);
  std::iota(each.begin(), each.end(), 0);
  EXPECT_EQ(sorted, each);
}

TEST(LengthWindows, in_order_every_window_rises) {
  LengthRule rule{.window = 3, .sizes = {5, 9, 1, 4, 4, 2, 8}};
  const EpochOrder order(OrderRule::make({}, false, sample_per_row(7), 0, {}, rule).value(), 0);
  EXPECT_FALSE(order.is_sequential());
  std::vector<std::uint64_t> samples;
  for (std::uint64_t place = 0; place < 7; ++place) {
    samples.push_back(order.row_at(place));
  }
  EXPECT_THAT(samples, ElementsAre(2, 0, 1, 5, 3, 4, 6));
}

TEST(LengthWindows, many_threads_see_one_order) {
  const std::vector<std::uint64_t> expected = order_of(true, 50, 0);
  const EpochOrder order(OrderRule::make({}, true, sample_per_row(kRecordings), 5, {}, lengths(50)).value(),
                         0);
  std::vector<std::vector<std::uint64_t>> seen(4, std::vector<std::uint64_t>(kRecordings));
  std::vector<std::thread> threads;
  for (std::vector<std::uint64_t>& mine : seen) {
    threads.emplace_back([&order, &mine] {
      for (std::uint64_t place = kRecordings; place-- > 0;) {
        mine[place] = order.row_at(place);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const std::vector<std::uint64_t>& mine : seen) {
    EXPECT_EQ(mine, expected);
  }
}

}  // namespace
}  // namespace penstock::inline v0
