#include "core/rng.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace penstock::inline v0 {
namespace {

using Block = std::array<std::uint32_t, 4>;

/// Deviation of Pearson's statistic from what uniform counts give, in standard deviations.
double chi_square_sigmas(const std::vector<std::uint64_t>& counts) {
  double total = 0;
  for (const std::uint64_t count : counts) {
    total += static_cast<double>(count);
  }
  const double expected = total / static_cast<double>(counts.size());
  double sum = 0;
  for (const std::uint64_t count : counts) {
    const double off = static_cast<double>(count) - expected;
    sum += off * off / expected;
  }
  const double freedom = static_cast<double>(counts.size() - 1);
  return (sum - freedom) / std::sqrt(2 * freedom);
}

/// Correlation of two lists of uniform draws, in standard deviations.
double correlation_sigmas(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += (a[i] - 0.5) * (b[i] - 0.5) * 12;
  }
  return sum / std::sqrt(static_cast<double>(a.size()));
}

TEST(philox, agrees_with_the_published_known_answers) {  // kat_vectors of Random123
  EXPECT_EQ(detail::philox4x32_10({0, 0, 0, 0}, {0, 0}),
            (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(detail::philox4x32_10({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(detail::philox4x32_10({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(draws, are_blocks_of_philox_one_after_another) {
  const std::uint64_t key = mix64(mix64(0x70656E73746F636Bull, 11), 22);
  Draws draws({.seed = 11, .epoch = 22, .sample = 0x300000004ull}, 5);
  for (std::uint32_t block = 0; block < 3; ++block) {
    for (const std::uint32_t word : detail::philox4x32_10(
             {4, 3, 5, block}, {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)})) {
      EXPECT_EQ(draws.next32(), word);
    }
  }
}

TEST(draws, are_the_same_for_the_same_address) {
  Draws a({1, 2, 3}, 4);
  Draws b({1, 2, 3}, 4);
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(a.next64(), b.next64());
  }
}

TEST(draws, differ_in_every_part_of_the_address) {
  std::set<std::uint64_t> seen;
  std::size_t made = 0;
  for (std::uint64_t seed :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    for (std::uint64_t epoch = 0; epoch < 10; ++epoch) {
      for (std::uint64_t sample :
           {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32, std::uint64_t{1} << 33}) {
        for (std::uint32_t op = 0; op < 5; ++op) {
          Draws draws({seed, epoch, sample}, op);
          for (int i = 0; i < 6; ++i, ++made) {
            seen.insert(draws.next64());
          }
        }
      }
    }
  }
  EXPECT_EQ(seen.size(), made);
}

TEST(draws, of_neighbouring_addresses_do_not_correlate) {
  const auto stream = [](std::uint64_t seed, std::uint64_t epoch, std::uint64_t first, std::uint32_t op) {
    std::vector<double> values;
    for (std::uint64_t sample = first; sample < first + 50'000; ++sample) {
      values.push_back(Draws({seed, epoch, sample}, op).uniform());
    }
    return values;
  };
  const auto base = stream(7, 3, 0, 1);
  EXPECT_LT(std::abs(correlation_sigmas(base, stream(8, 3, 0, 1))), 4) << "seeds";
  EXPECT_LT(std::abs(correlation_sigmas(base, stream(7, 4, 0, 1))), 4) << "epochs";
  EXPECT_LT(std::abs(correlation_sigmas(base, stream(8, 2, 0, 1))), 4) << "seed up, epoch down";
  EXPECT_LT(std::abs(correlation_sigmas(base, stream(7, 3, 1, 1))), 4) << "samples";
  EXPECT_LT(std::abs(correlation_sigmas(base, stream(7, 3, 0, 2))), 4) << "operations";
  EXPECT_GT(correlation_sigmas(base, stream(7, 3, 0, 1)), 100) << "the measure works";
}

TEST(draws, fill_every_bit_evenly) {
  std::vector<std::uint64_t> ones(64);
  constexpr int kCount = 100'000;
  Draws draws({1, 0, 0}, 0);
  for (int i = 0; i < kCount; ++i) {
    const std::uint64_t word = draws.next64();
    for (int bit = 0; bit < 64; ++bit) {
      ones[bit] += word >> bit & 1;
    }
  }
  for (const std::uint64_t count : ones) {
    EXPECT_LT(std::abs(static_cast<double>(count) - kCount / 2.0), 4.5 * std::sqrt(kCount / 4.0));
  }
}

TEST(draws, uniform_stays_below_one_and_spreads_evenly) {
  std::vector<std::uint64_t> counts(100);
  Draws draws({2, 0, 0}, 0);
  for (int i = 0; i < 200'000; ++i) {
    const double value = draws.uniform();
    ASSERT_GE(value, 0.0);
    ASSERT_LT(value, 1.0);
    ++counts[static_cast<std::size_t>(value * 100)];
  }
  EXPECT_LT(std::abs(chi_square_sigmas(counts)), 4);
}

TEST(draws, uniform_between_bounds_spreads_evenly) {
  std::vector<std::uint64_t> counts(50);
  Draws draws({3, 0, 0}, 0);
  for (int i = 0; i < 100'000; ++i) {
    const double value = draws.uniform(-2.5, 2.5);
    ASSERT_GE(value, -2.5);
    ASSERT_LE(value, 2.5);
    ++counts[std::min<std::size_t>(static_cast<std::size_t>((value + 2.5) * 10), 49)];
  }
  EXPECT_LT(std::abs(chi_square_sigmas(counts)), 4);
}

TEST(draws, below_spreads_evenly_and_stays_below) {
  for (const std::uint64_t bound : {1u, 2u, 3u, 7u, 10u, 100u, 1000u}) {
    std::vector<std::uint64_t> counts(bound);
    Draws draws({4, bound, 0}, 0);
    for (int i = 0; i < 100'000; ++i) {
      const std::uint64_t value = draws.below(bound);
      ASSERT_LT(value, bound);
      ++counts[value];
    }
    if (bound > 1) {
      EXPECT_LT(chi_square_sigmas(counts), 4) << bound;
    }
  }
}

TEST(draws, below_has_no_bias_where_the_bound_is_most_of_the_range) {
  // Without rejection every third value would come up twice as often as the others.
  const std::uint64_t bound = std::uint64_t{3} << 62;
  std::vector<std::uint64_t> counts(3);
  Draws draws({5, 0, 0}, 0);
  for (int i = 0; i < 60'000; ++i) {
    const std::uint64_t value = draws.below(bound);
    ASSERT_LT(value, bound);
    ++counts[value % 3];
  }
  EXPECT_LT(chi_square_sigmas(counts), 4);
  EXPECT_LT(Draws({5, 0, 1}, 0).below(~std::uint64_t{0}), ~std::uint64_t{0});
}

TEST(draws, chance_is_never_always_or_as_often_as_told) {
  Draws draws({6, 0, 0}, 0);
  int hits = 0;
  for (int i = 0; i < 100'000; ++i) {
    ASSERT_FALSE(draws.chance(0.0));
    ASSERT_TRUE(draws.chance(1.0));
    hits += draws.chance(0.3) ? 1 : 0;
  }
  EXPECT_NEAR(hits, 30'000, 4 * std::sqrt(100'000 * 0.3 * 0.7));
}

TEST(draws, go_on_from_a_state_as_if_nothing_had_happened) {
  for (const int before : {0, 1, 3, 4, 5, 8, 11}) {
    Draws draws({7, 8, 9}, 10);
    for (int i = 0; i < before; ++i) {
      draws.next32();
    }
    Draws other(draws.state());
    EXPECT_EQ(other.state(), draws.state());
    for (int i = 0; i < 9; ++i) {
      ASSERT_EQ(other.next32(), draws.next32()) << before << " " << i;
    }
  }
}

TEST(draw_address, rooms_differ_by_view_number_and_key_and_the_only_list_has_none) {
  const RandomKey key{1, 2, 3};
  EXPECT_EQ(Draws(key, 5).next64(), Draws(key, DrawAddress{.room = 0, .op = 5}).next64());
  std::set<std::uint64_t> first;
  for (const DrawAddress& address : {DrawAddress{}, DrawAddress{view_room("a"), 0},
                                     DrawAddress{view_room("b"), 0}, DrawAddress{view_room("a", 1), 0},
                                     DrawAddress{view_room("a"), 1}, key_address("a"), key_address("")}) {
    first.insert(Draws(key, address).next64());
  }
  EXPECT_EQ(first.size(), 7u);
}

TEST(draw_address, parts_differ_by_table_and_number_and_the_first_of_the_first_has_none) {
  EXPECT_EQ(part_address(0, 0), 0u);
  std::set<std::uint64_t> first;
  for (std::uint32_t table = 0; table < 20; ++table) {
    for (std::uint32_t part = 0; part < 20; ++part) {
      const RandomKey key{1, 2, 3, part_address(table, part)};
      first.insert(Draws(key, 0).next64());
      first.insert(Draws(key, DrawAddress{view_room("a"), 0}).next64());
    }
  }
  EXPECT_EQ(first.size(), 800u);
  EXPECT_TRUE(first.contains(Draws({1, 2, 3}, 0).next64()));
  EXPECT_EQ(stream_of({1, 2, 3}), stream_of({1, 2, 77})) << "what stages of the user are given";
}

TEST(draw_address, reserved_numbers_lie_apart_from_each_other_and_from_lists) {
  constexpr std::uint32_t kListRoom = 0x1000;  // more operations than a list may have
  const std::set<std::uint32_t> apart = {0,         kSamplerOp, kLengthOp, kWindowOp,
                                         kShardsOp, kReplaceOp, kBatchOps};
  EXPECT_EQ(apart.size(), 7u);
  for (auto it = apart.begin(); std::next(it) != apart.end(); ++it) {
    EXPECT_GE(*std::next(it) - *it, kListRoom);
  }
  EXPECT_GT(kCutOp, kWindowOp + 1) << "the second pass";
  EXPECT_LT(kCutOp, kReplaceOp);
  EXPECT_GE(kShuffleOp - *apart.rbegin(), kListRoom);
}

TEST(mix64, maps_different_words_to_different_words) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t b = 0; b < 10'000; ++b) {
    seen.insert(mix64(42, b));
  }
  EXPECT_EQ(seen.size(), 10'000u);
}

}  // namespace
}  // namespace penstock::inline v0
