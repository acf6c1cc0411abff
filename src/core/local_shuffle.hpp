#pragma once
// Shuffles that keep reads together: samples stay near their place, or come from a few shards at a time. As
// IndexShuffle they are bijections, computed and not stored.

#include <array>
#include <cstdint>
#include <vector>

#include "core/index_shuffle.hpp"

namespace penstock::inline v0 {

/// Every index comes within `window` places of its own: |at(place) - place| < window. Two passes shuffle
/// blocks of half a window; the second has its blocks half a block further on, so that none is a wall, and
/// both begin elsewhere every epoch. A pure function of (size, window, seed, epoch), constant time and
/// memory. A value; const calls are safe from any thread.
class WindowShuffle {
 public:
  /// window >= 4.
  WindowShuffle(std::uint64_t size, std::uint64_t window, std::uint64_t seed, std::uint64_t epoch);

  /// The index that comes at `place`, place < size.
  std::uint64_t at(std::uint64_t place) const noexcept;

 private:
  std::uint64_t within_block(std::uint64_t place, std::uint32_t pass) const noexcept;

  std::uint64_t size_;
  std::uint64_t block_;
  std::uint64_t seed_;
  std::uint64_t epoch_;
  std::array<std::uint64_t, 2> cut_{};  // where the second block begins, in each pass
};

/// Shards in random order, their indices mixed among as many shards as `together` says. A pure function of
/// (size, starts, together, seed, epoch). Takes memory and time in proportion to the shards when made, and
/// their logarithm for a place. A value; const calls are safe from any thread.
class ShardShuffle {
 public:
  /// `starts`: the first index of each shard, ascending, the first 0. together >= 1.
  ShardShuffle(std::uint64_t size, const std::vector<std::uint64_t>& starts, std::uint64_t together,
               std::uint64_t seed, std::uint64_t epoch);

  /// The index that comes at `place`, place < size.
  std::uint64_t at(std::uint64_t place) const noexcept;

 private:
  std::uint64_t together_;
  std::uint64_t seed_;
  std::uint64_t epoch_;
  std::vector<std::uint64_t> first_index_;  // of each shard, in the order of the epoch
  std::vector<std::uint64_t> first_place_;  // the same, and the end
};

}  // namespace penstock::inline v0
