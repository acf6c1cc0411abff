#pragma once
// A shuffle that is computed, not stored: a bijection between places and indices.

#include <array>
#include <cstdint>
#include <vector>

#include "core/rng.hpp"

namespace penstock::inline v0 {

namespace detail {

/// A keyed bijection on [0, size) in constant memory: a Feistel network over a grid of 2^k columns that just
/// covers the range, repeated until it lands inside ("cycle walking"; seldom needed). size in [2, 2^62].
class FeistelShuffle {
 public:
  FeistelShuffle() = default;
  FeistelShuffle(std::uint64_t size, std::uint64_t seed, std::uint64_t epoch) noexcept
      : FeistelShuffle(size, Draws({.seed = seed, .epoch = epoch, .sample = size}, kShuffleOp)) {}
  /// The key is the first of the draws.
  FeistelShuffle(std::uint64_t size, Draws draws) noexcept;

  std::uint64_t forward(std::uint64_t x) const noexcept;
  std::uint64_t backward(std::uint64_t x) const noexcept;

 private:
  static constexpr int kRoundPairs = 4;

  std::uint64_t size_ = 0;
  std::uint64_t columns_mask_ = 0;  // columns - 1
  std::uint64_t rows_ = 0;
  int column_bits_ = 0;
  std::array<std::uint64_t, 2 * kRoundPairs> keys_{};
};

}  // namespace detail

/// The order of an epoch: a pseudorandom bijection on [0, size), a pure function of (size, seed, epoch), the
/// same on every machine. Up to kTableLimit it is drawn uniformly from all permutations and held in a table;
/// above that it is computed in constant memory and time. A value; const calls are safe from any thread.
class IndexShuffle {
 public:
  static constexpr std::uint64_t kTableLimit = 4096;
  static constexpr std::uint64_t kMaxSize = std::uint64_t{1} << 62;

  /// Throws std::invalid_argument above kMaxSize.
  IndexShuffle(std::uint64_t size, std::uint64_t seed, std::uint64_t epoch);

  std::uint64_t size() const noexcept { return size_; }
  /// The index that comes at `place`, place < size().
  std::uint64_t at(std::uint64_t place) const noexcept {
    return table_.empty() ? feistel_.forward(place) : table_[place];
  }
  /// The place at which `index` comes, index < size(): the inverse of at(). Here for the tests, which show by
  /// it that at() is a bijection on ranges too large to walk through.
  std::uint64_t place_of(std::uint64_t index) const noexcept {
    return table_.empty() ? feistel_.backward(index) : table_[size_ + index];
  }

 private:
  std::uint64_t size_;
  std::vector<std::uint16_t> table_;  // places to indices, then indices to places
  detail::FeistelShuffle feistel_;
};

}  // namespace penstock::inline v0
