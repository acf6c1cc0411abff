#pragma once
// Whether draws follow a distribution, for tests with fixed seeds.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace penstock::test {

/// Kolmogorov and Smirnov's statistic for a uniform distribution between `low` and `high`, times the root of
/// the number of draws: above 1.95 in one of 1,000 samples that follow it.
inline double uniform_distance(std::vector<double> draws, double low, double high) {
  std::sort(draws.begin(), draws.end());
  const auto n = static_cast<double>(draws.size());
  double distance = 0;
  for (std::size_t i = 0; i < draws.size(); ++i) {
    const double share = (draws[i] - low) / (high - low);
    distance =
        std::max({distance, share - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - share});
  }
  return distance * std::sqrt(n);
}
inline constexpr double kUniformDistance = 1.95;

/// Pearson's chi-square of counts that should be equal, as a normal deviate (Wilson and Hilferty): above 3.1
/// in one of 1,000 samples.
inline double unevenness(std::span<const int> counts) {
  double total = 0;
  for (const int count : counts) {
    total += count;
  }
  const auto cells = static_cast<double>(counts.size());
  double sum = 0;
  for (const int count : counts) {
    const double lacking = count - total / cells;
    sum += lacking * lacking / (total / cells);
  }
  const double freedom = cells - 1;
  const double spread = 2 / (9 * freedom);
  return (std::cbrt(sum / freedom) - (1 - spread)) / std::sqrt(spread);
}
inline constexpr double kUnevenness = 3.1;

}  // namespace penstock::test
