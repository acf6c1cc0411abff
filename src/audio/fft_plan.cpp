#include "audio/fft_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace penstock::inline v0 {
namespace {

void append_root(std::vector<float>& out, long numerator, long denominator) {
  const double angle =
      -2.0 * std::numbers::pi * static_cast<double>(numerator) / static_cast<double>(denominator);
  out.push_back(static_cast<float>(std::cos(angle)));
  out.push_back(static_cast<float>(std::sin(angle)));
}

/// Fours first: they need the fewest operations; then the other prime factors.
std::vector<int> radices_of(int points) {
  std::vector<int> radices;
  for (; points % 4 == 0; points /= 4) {
    radices.push_back(4);
  }
  for (int prime = 2; points > 1; ++prime) {
    for (; points % prime == 0; points /= prime) {
      radices.push_back(prime);
    }
    if (prime * prime > points && points > 1) {
      radices.push_back(points);
      break;
    }
  }
  return radices;
}

}  // namespace

FftPlan FftPlan::of(int size) {
  FftPlan plan;
  plan.size = size;
  plan.points = size % 2 == 0 ? size / 2 : size;
  int length = plan.points;
  for (const int radix : radices_of(plan.points)) {
    Pass pass{.radix = radix, .length = length, .twiddles = plan.factors.size()};
    const int part = length / radix;
    for (long j = 0; j < part; ++j) {
      for (long p = 1; p < radix; ++p) {
        append_root(plan.factors, j * p % length, length);
      }
    }
    if (radix != 2 && radix != 4) {
      pass.roots = plan.factors.size();
      for (int q = 0; q < radix; ++q) {
        append_root(plan.factors, q, radix);
      }
    }
    plan.max_radix = std::max(plan.max_radix, radix);
    plan.passes.push_back(pass);
    length = part;
  }
  plan.place.resize(static_cast<std::size_t>(plan.points));
  for (int k = 0; k < plan.points; ++k) {
    int rest = k;
    std::size_t place = 0;
    for (const Pass& pass : plan.passes) {
      place += static_cast<std::size_t>(rest % pass.radix * (pass.length / pass.radix));
      rest /= pass.radix;
    }
    plan.place[static_cast<std::size_t>(k)] = place;
  }
  if (plan.is_even()) {
    for (int k = 0; k <= plan.points / 2; ++k) {
      append_root(plan.split, k, size);
    }
  }
  return plan;
}

}  // namespace penstock::inline v0
