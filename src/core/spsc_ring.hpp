#pragma once
// A bounded lock-free ring between one producer thread and one consumer thread.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/ring_capacity.hpp"

namespace penstock::inline v0 {

/// First in, first out; owns the elements it holds and destroys those left over.
/// try_push: one thread at a time, the producer. try_pop: one thread at a time, the consumer. size(): any
/// thread. Nothing blocks; see parking.hpp for waiting. Construction and destruction need exclusive access.
template <class T>
class SpscRing {
  static_assert(std::is_nothrow_move_constructible_v<T> && std::is_nothrow_destructible_v<T>);

 public:
  /// `capacity`: elements, a power of two, at least 2; else throws std::invalid_argument.
  explicit SpscRing(std::size_t capacity)
      : mask_(checked_ring_capacity(capacity) - 1),
        slots_(std::make_unique_for_overwrite<Slot[]>(capacity)) {}
  SpscRing(const SpscRing&) = delete;
  SpscRing& operator=(const SpscRing&) = delete;
  ~SpscRing() {
    while (try_pop()) {
    }
  }

  /// False when full; `value` is then untouched.
  bool try_push(T&& value) noexcept { return push(std::move(value)); }
  bool try_push(const T& value) noexcept(std::is_nothrow_copy_constructible_v<T>) { return push(value); }

  /// The oldest element, or nothing when empty.
  std::optional<T> try_pop() noexcept {
    const std::uint64_t head = head_.load(std::memory_order_relaxed);
    if (head == known_tail_) {
      known_tail_ = tail_.load(std::memory_order_acquire);
      if (head == known_tail_) {
        return std::nullopt;
      }
    }
    T* element = slots_[head & mask_].element();
    std::optional<T> value(std::move(*element));
    std::destroy_at(element);
    head_.store(head + 1, std::memory_order_release);
    return value;
  }

  std::size_t capacity() const noexcept { return mask_ + 1; }
  /// Elements held, a moment ago: for statistics.
  std::size_t size() const noexcept {
    const std::uint64_t head = head_.load(std::memory_order_relaxed);
    const std::uint64_t tail = tail_.load(std::memory_order_relaxed);
    return tail > head ? std::min<std::uint64_t>(tail - head, capacity()) : 0;
  }

 private:
  struct Slot {
    alignas(T) std::byte bytes[sizeof(T)];
    T* element() noexcept { return std::launder(reinterpret_cast<T*>(bytes)); }
  };

  template <class U>
  bool push(U&& value) noexcept(std::is_nothrow_constructible_v<T, U&&>) {
    const std::uint64_t tail = tail_.load(std::memory_order_relaxed);
    if (tail - known_head_ > mask_) {
      known_head_ = head_.load(std::memory_order_acquire);
      if (tail - known_head_ > mask_) {
        return false;
      }
    }
    ::new (static_cast<void*>(slots_[tail & mask_].bytes)) T(std::forward<U>(value));
    tail_.store(tail + 1, std::memory_order_release);
    return true;
  }

  // Each side writes one line only, and keeps its last look at the other side's counter there. The counters
  // only grow; at 64 bits they never wrap.
  alignas(kCacheLine) std::atomic<std::uint64_t> tail_{0};  // written by the producer
  std::uint64_t known_head_ = 0;
  alignas(kCacheLine) std::atomic<std::uint64_t> head_{0};  // written by the consumer
  std::uint64_t known_tail_ = 0;
  alignas(kCacheLine) const std::size_t mask_;
  const std::unique_ptr<Slot[]> slots_;
};

}  // namespace penstock::inline v0
