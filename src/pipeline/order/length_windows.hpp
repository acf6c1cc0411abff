#pragma once
// Rows of similar length side by side, so that batches need little padding.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "penstock/options.hpp"
#include "penstock/result.hpp"
#include "pipeline/order/row_plan.hpp"

namespace penstock::inline v0 {

/// Which rows are sorted together, and by what.
struct LengthRule {
  std::uint64_t window = 0;  ///< places; 0: nothing is sorted
  /// Of each row: the size of its files stands for the length of its recordings. It follows from the data
  /// set's fingerprint, the rows and the seed, so a state never meets another order.
  std::vector<std::uint64_t> sizes{};

  /// `invalid` where the data set has no recordings. The options have a seed.
  static Result<LengthRule> make(const LoaderOptions& options, const RowPlan& plan,
                                 std::span<const RowTable> tables);
};

/// An epoch's order with the rows of each window of places sorted by length. A window is sorted when the
/// first of its places is asked for, so that continuing in the middle of an epoch costs no more than a
/// window. Any thread may ask.
class LengthWindows {
 public:
  LengthWindows(std::uint64_t places, std::uint64_t window);

  /// `base(place)` is the order before, `falls(window)` whether the longest come first.
  template <class Base, class Falls>
  std::uint64_t at(std::uint64_t place, const LengthRule& rule, Base&& base, Falls&& falls) const {
    const std::uint64_t window = place / window_;
    std::call_once(sorted_[window], [&] {
      const std::uint64_t first = window * window_;
      const std::uint64_t count = std::min(window_, places_ - first);
      for (std::uint64_t i = 0; i < count; ++i) {
        order_[first + i] = base(first + i);
      }
      sort(first, count, rule, falls(window));
    });
    return order_[place];
  }

 private:
  void sort(std::uint64_t first, std::uint64_t count, const LengthRule& rule, bool falls) const noexcept;

  std::uint64_t places_;
  std::uint64_t window_;
  std::unique_ptr<std::uint64_t[]> order_;  // written once, by whoever sorts a window
  std::unique_ptr<std::once_flag[]> sorted_;
};

}  // namespace penstock::inline v0
