#include "core/index_shuffle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <stdexcept>
#include <vector>

namespace penstock::inline v0 {
namespace {

TEST(index_shuffle, is_the_same_on_every_machine) {
  struct Known {
    std::uint64_t size, seed, epoch;
    std::array<std::uint64_t, 4> first_three_and_last;
  };
  const std::vector<Known> known = {
      // From a second implementation, in Python.
      {10u, 0u, 0, {2u, 9u, 7u, 5u}},
      {10u, 0u, 1, {7u, 3u, 9u, 6u}},
      {4096u, 7u, 3, {1677u, 228u, 2010u, 3668u}},
      {4097u, 7u, 3, {2221u, 395u, 1213u, 3221u}},
      {1281167u, 0u, 0, {483198u, 617534u, 1244182u, 942357u}},
      {1281167u, 0u, 1, {48200u, 669715u, 1163521u, 259152u}},
      {1000000000u, 42u, 5, {169891692u, 527736550u, 874071618u, 757445416u}},
      {1000000000000u, 18446744073709551615u, 9, {537975223462u, 12045505372u, 151880433702u, 168582132778u}},
      {4611686018427387904u,
       1u,
       1,
       {1110001976167381092u, 3850141246961008030u, 3706105101831176802u, 4416737622866905647u}},
  };
  for (const Known& k : known) {
    const IndexShuffle shuffle(k.size, k.seed, k.epoch);
    const std::array<std::uint64_t, 4> found = {shuffle.at(0), shuffle.at(1), shuffle.at(2),
                                                shuffle.at(k.size - 1)};
    EXPECT_EQ(found, k.first_three_and_last) << k.size;
  }
}

/// Every index comes once, and place_of() finds it.
template <class At, class PlaceOf>
void expect_bijection(std::uint64_t size, At&& at, PlaceOf&& place_of) {
  std::vector<bool> seen(size);
  for (std::uint64_t place = 0; place < size; ++place) {
    const std::uint64_t index = at(place);
    ASSERT_LT(index, size);
    ASSERT_FALSE(seen[index]) << "size " << size << ": index " << index << " came twice";
    seen[index] = true;
    ASSERT_EQ(place_of(index), place) << "size " << size;
  }
}

void expect_shuffle_is_bijection(std::uint64_t size, std::uint64_t seed, std::uint64_t epoch) {
  const IndexShuffle shuffle(size, seed, epoch);
  EXPECT_EQ(shuffle.size(), size);
  expect_bijection(
      size, [&](std::uint64_t i) { return shuffle.at(i); },
      [&](std::uint64_t i) { return shuffle.place_of(i); });
}

TEST(index_shuffle, is_a_bijection_for_tiny_sizes) {
  for (std::uint64_t size = 0; size <= 64; ++size) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      expect_shuffle_is_bijection(size, seed, seed + 1);
    }
  }
}

TEST(index_shuffle, is_a_bijection_around_squares_powers_of_two_and_the_table_limit) {
  for (const std::uint64_t middle :
       {1024u, 4096u, 4225u, 8192u, 10'000u, 16'384u, 16'641u, 65'536u, 100'489u}) {
    for (std::uint64_t size = middle - 2; size <= middle + 2; ++size) {
      expect_shuffle_is_bijection(size, 9, 1);
    }
  }
  expect_shuffle_is_bijection(500'000, 3, 2);
}

TEST(index_shuffle, the_network_is_a_bijection_for_every_small_size) {
  for (std::uint64_t size = 2; size <= 400; ++size) {
    const detail::FeistelShuffle shuffle(size, 5, size);
    expect_bijection(
        size, [&](std::uint64_t i) { return shuffle.forward(i); },
        [&](std::uint64_t i) { return shuffle.backward(i); });
  }
}

TEST(index_shuffle, finds_its_way_back_in_huge_ranges) {
  for (const std::uint64_t size :
       {std::uint64_t{1'000'000'000}, std::uint64_t{1'000'000'000'000}, std::uint64_t{1} << 40,
        (std::uint64_t{1} << 40) + 1, IndexShuffle::kMaxSize - 1, IndexShuffle::kMaxSize}) {
    const IndexShuffle shuffle(size, 77, 1);
    for (std::uint64_t i = 0; i < 20'000; ++i) {
      const std::uint64_t place = i < 10'000 ? i : size - 1 - (i - 10'000) * (size / 20'000);
      const std::uint64_t index = shuffle.at(place);
      ASSERT_LT(index, size);
      ASSERT_EQ(shuffle.place_of(index), place);
      ASSERT_EQ(shuffle.at(shuffle.place_of(place)), place);
    }
  }
}

TEST(index_shuffle, refuses_more_than_it_can_address) {
  EXPECT_THROW(IndexShuffle(IndexShuffle::kMaxSize + 1, 0, 0), std::invalid_argument);
}

TEST(index_shuffle, depends_on_seed_and_epoch) {
  for (const std::uint64_t size : {std::uint64_t{1000}, std::uint64_t{100'000}}) {
    const IndexShuffle base(size, 1, 1);
    const IndexShuffle same(size, 1, 1);
    const IndexShuffle seed(size, 2, 1);
    const IndexShuffle epoch(size, 1, 2);
    std::uint64_t equal_seed = 0;
    std::uint64_t equal_epoch = 0;
    for (std::uint64_t i = 0; i < 1000; ++i) {
      ASSERT_EQ(base.at(i), same.at(i));
      equal_seed += base.at(i) == seed.at(i);
      equal_epoch += base.at(i) == epoch.at(i);
    }
    EXPECT_LT(equal_seed, 8u);
    EXPECT_LT(equal_epoch, 8u);
  }
}

TEST(index_shuffle, needs_little_memory_for_a_billion) { EXPECT_LE(sizeof(IndexShuffle), 256u); }

// The seeds below are fixed, so these tests always give the same answer; the bounds are in standard
// deviations of what a uniformly drawn permutation would give.

double chi_square_sigmas(double sum, double freedom) { return (sum - freedom) / std::sqrt(2 * freedom); }

TEST(index_shuffle_statistics, all_permutations_of_few_are_equally_likely) {
  for (const std::uint64_t size : {2u, 3u, 4u, 5u}) {
    std::map<std::vector<std::uint64_t>, int> counts;
    double permutations = 1;
    for (std::uint64_t i = 2; i <= size; ++i) {
      permutations *= static_cast<double>(i);
    }
    constexpr int kExpected = 500;
    const auto trials = static_cast<std::uint64_t>(kExpected * permutations);
    for (std::uint64_t seed = 0; seed < trials; ++seed) {
      const IndexShuffle shuffle(size, seed % 1000, seed / 1000);
      std::vector<std::uint64_t> order;
      for (std::uint64_t i = 0; i < size; ++i) {
        order.push_back(shuffle.at(i));
      }
      ++counts[order];
    }
    EXPECT_EQ(static_cast<double>(counts.size()), permutations);
    double sum = 0;
    for (const auto& [order, count] : counts) {
      sum += (count - kExpected) * (count - kExpected) / static_cast<double>(kExpected);
    }
    EXPECT_LT(chi_square_sigmas(sum, permutations - 1), 4) << size;
  }
}

/// Counts (bin of the place, bin of the index) over many seeds against what uniform permutations give.
template <class Shuffle, class At>
double place_by_index_sigmas(std::uint64_t size, std::uint64_t bins, std::uint64_t seeds, At&& at) {
  std::vector<double> counts(bins * bins);
  std::vector<double> widths(bins);
  const auto bin_of = [&](std::uint64_t i) { return i * bins / size; };
  for (std::uint64_t i = 0; i < size; ++i) {
    ++widths[bin_of(i)];
  }
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const Shuffle shuffle(size, 1234, seed);
    for (std::uint64_t place = 0; place < size; ++place) {
      ++counts[bin_of(place) * bins + bin_of(at(shuffle, place))];
    }
  }
  double sum = 0;
  for (std::uint64_t i = 0; i < bins * bins; ++i) {
    const double expected =
        static_cast<double>(seeds) * widths[i / bins] * widths[i % bins] / static_cast<double>(size);
    sum += (counts[i] - expected) * (counts[i] - expected) / expected;
  }
  const auto n = static_cast<double>(size);
  const auto b = static_cast<double>(bins);
  return chi_square_sigmas(sum * (n - 1) / n, (b - 1) * (b - 1));
}

double shuffle_sigmas(std::uint64_t size, std::uint64_t bins, std::uint64_t seeds) {
  return place_by_index_sigmas<IndexShuffle>(size, bins, seeds,
                                             [](const IndexShuffle& s, std::uint64_t i) { return s.at(i); });
}

TEST(index_shuffle_statistics, each_index_comes_at_each_place_equally_often) {
  EXPECT_LT(std::abs(shuffle_sigmas(20, 20, 20'000)), 4) << "table";
  EXPECT_LT(std::abs(shuffle_sigmas(1000, 50, 300)), 4) << "table, binned";
  EXPECT_LT(std::abs(shuffle_sigmas(4097, 64, 200)), 4) << "just above the table";
  EXPECT_LT(std::abs(shuffle_sigmas(4097, 4097 / 17, 200)), 4) << "just above the table, finer";
  EXPECT_LT(std::abs(shuffle_sigmas(50'000, 100, 20)), 4) << "network";
}

TEST(index_shuffle_statistics, the_network_is_even_at_sizes_far_below_its_use) {
  for (const std::uint64_t size : {64u, 100u, 130u}) {
    const double sigmas = place_by_index_sigmas<detail::FeistelShuffle>(
        size, size, 20'000, [](const detail::FeistelShuffle& s, std::uint64_t i) { return s.forward(i); });
    EXPECT_LT(std::abs(sigmas), 4) << size;
  }
}

TEST(index_shuffle_statistics, differences_of_places_near_and_far_are_even) {
  for (const std::uint64_t size :
       {std::uint64_t{4097}, std::uint64_t{1'000'000}, std::uint64_t{1'000'000'000}}) {
    const std::uint64_t columns = std::uint64_t{1} << static_cast<int>(std::log2(size) / 2);
    for (const std::uint64_t stride :
         {std::uint64_t{1}, std::uint64_t{2}, columns, columns + 1, 2 * columns}) {
      constexpr std::uint64_t kBins = 64;
      std::vector<double> counts(kBins);
      double total = 0;
      for (std::uint64_t epoch = 0; epoch < 20; ++epoch) {
        const IndexShuffle shuffle(size, 5, epoch);
        for (std::uint64_t i = 0; i + stride < size && i < 4000; ++i, ++total) {
          const std::uint64_t difference = (shuffle.at(i + stride) + size - shuffle.at(i)) % size;
          ++counts[(difference - 1) * kBins / (size - 1)];
        }
      }
      double sum = 0;
      for (const double count : counts) {
        sum += (count - total / kBins) * (count - total / kBins) / (total / kBins);
      }
      EXPECT_LT(std::abs(chi_square_sigmas(sum, kBins - 1)), 4.5) << size << " stride " << stride;
    }
  }
}

TEST(index_shuffle_statistics, pairs_of_neighbours_are_even) {
  constexpr std::uint64_t kBins = 16;
  for (const std::uint64_t size : {std::uint64_t{4100}, std::uint64_t{1'281'167}}) {
    std::vector<double> counts(kBins * kBins);
    double total = 0;
    std::uint64_t ascents = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      const IndexShuffle shuffle(size, seed, 0);
      for (std::uint64_t i = 0; i < 2000; i += 2, ++total) {
        const std::uint64_t a = shuffle.at(i);
        const std::uint64_t b = shuffle.at(i + 1);
        ++counts[a * kBins / size * kBins + b * kBins / size];
        ascents += a < b;
      }
    }
    EXPECT_NEAR(static_cast<double>(ascents), total / 2, 4 * std::sqrt(total / 4)) << size;
    const double expected = total / (kBins * kBins);
    double sum = 0;
    for (const double count : counts) {
      sum += (count - expected) * (count - expected) / expected;
    }
    EXPECT_LT(std::abs(chi_square_sigmas(sum, kBins * kBins - 1)), 4) << size;
  }
}

TEST(index_shuffle_statistics, fixed_points_are_as_frequent_as_chance_makes_them) {
  constexpr int kEpochs = 800;
  for (const std::uint64_t size : {std::uint64_t{100}, std::uint64_t{4097}}) {
    std::array<int, 3> histogram{};  // none, one, more
    double total = 0;
    double squares = 0;
    for (std::uint64_t epoch = 0; epoch < kEpochs; ++epoch) {
      const IndexShuffle shuffle(size, 17, epoch);
      int fixed = 0;
      for (std::uint64_t i = 0; i < size; ++i) {
        fixed += shuffle.at(i) == i;
      }
      total += fixed;
      squares += fixed * fixed;
      ++histogram[std::min(fixed, 2)];
    }
    const double spread = std::sqrt(static_cast<double>(kEpochs));
    EXPECT_NEAR(total, kEpochs, 4 * spread) << size;
    EXPECT_NEAR(squares, 2 * kEpochs, 4 * std::sqrt(11.0) * spread)
        << size;  // variance of X^2 for Poisson(1)
    EXPECT_NEAR(histogram[0], kEpochs * std::exp(-1.0), 4 * 0.5 * spread) << size;
    EXPECT_NEAR(histogram[1], kEpochs * std::exp(-1.0), 4 * 0.5 * spread) << size;
  }
}

TEST(index_shuffle_statistics, epochs_do_not_correlate) {
  for (const std::uint64_t size : {std::uint64_t{4096}, std::uint64_t{4097}, std::uint64_t{200'000}}) {
    for (std::uint64_t epoch = 0; epoch < 10; ++epoch) {
      const IndexShuffle now(size, 3, epoch);
      const IndexShuffle next(size, 3, epoch + 1);
      const std::uint64_t count = std::min<std::uint64_t>(size, 20'000);
      const double mean = static_cast<double>(size - 1) / 2;
      const double variance = static_cast<double>(size) * static_cast<double>(size) / 12;
      double sum = 0;
      for (std::uint64_t i = 0; i < count; ++i) {
        sum += (static_cast<double>(now.at(i)) - mean) * (static_cast<double>(next.at(i)) - mean) / variance;
      }
      EXPECT_LT(std::abs(sum) / std::sqrt(static_cast<double>(count)), 4) << size << " epoch " << epoch;
    }
  }
}

}  // namespace
}  // namespace penstock::inline v0
