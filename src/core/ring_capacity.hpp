#pragma once
// What the queues share: the size of a cache line and the rule for capacities.

#include <bit>
#include <cstddef>
#include <stdexcept>
#include <string>

namespace penstock::inline v0 {

/// Bytes that two threads must not share if they write often.
inline constexpr std::size_t kCacheLine = 64;

/// `capacity` if it is a power of two and at least 2, so that a mask can index it; otherwise throws
/// std::invalid_argument naming the value.
inline std::size_t checked_ring_capacity(std::size_t capacity) {
  if (capacity < 2 || !std::has_single_bit(capacity)) {
    throw std::invalid_argument("queue capacity must be a power of two and at least 2, got " +
                                std::to_string(capacity));
  }
  return capacity;
}

}  // namespace penstock::inline v0
