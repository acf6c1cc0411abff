#pragma once
// A bounded lock-free queue with exactly one producer thread and any number of consumer threads.

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

/// What a consumer found at the head of a queue.
enum class PopState : std::uint8_t {
  data,     ///< an element, now the caller's
  empty,    ///< nothing has been pushed there yet
  lagging,  ///< another consumer still holds that slot from the lap before: nothing to take, and no room to
            ///< push
};

/// Elements are claimed in the order of pushing; owns the elements it holds and destroys those left over.
/// try_push: one thread at a time, the producer. try_pop, size: any thread.
/// Nothing blocks; see parking.hpp for waiting. Construction and destruction need exclusive access.
template <class T>
class SpmcQueue {
  static_assert(std::is_nothrow_move_constructible_v<T> && std::is_nothrow_destructible_v<T>);

 public:
  static constexpr std::size_t kDefaultCapacity = 512;

  /// `capacity`: elements, a power of two, at least 2; else throws std::invalid_argument.
  explicit SpmcQueue(std::size_t capacity = kDefaultCapacity)
      : mask_(checked_ring_capacity(capacity) - 1), slots_(std::make_unique_for_overwrite<Slot[]>(capacity)) {
    for (std::size_t i = 0; i < capacity; ++i) {
      slots_[i].sequence.store(i, std::memory_order_relaxed);
    }
  }
  SpmcQueue(const SpmcQueue&) = delete;
  SpmcQueue& operator=(const SpmcQueue&) = delete;
  ~SpmcQueue() {
    while (try_pop()) {
    }
  }

  /// False when full, also while a consumer is still moving out the element that had the slot before;
  /// `value` is then untouched.
  bool try_push(T&& value) noexcept { return push(std::move(value)); }
  bool try_push(const T& value) noexcept(std::is_nothrow_copy_constructible_v<T>) { return push(value); }

  /// The oldest unclaimed element, or nothing.
  std::optional<T> try_pop() noexcept {
    PopState state;
    return try_pop(state);
  }
  /// The same; `state` says why there is nothing.
  std::optional<T> try_pop(PopState& state) noexcept {
    std::uint64_t position = head_.load(std::memory_order_relaxed);
    for (;;) {
      Slot& slot = slots_[position & mask_];
      const std::uint64_t sequence = slot.sequence.load(std::memory_order_acquire);
      if (sequence == position + 1) {
        if (head_.compare_exchange_weak(position, position + 1, std::memory_order_relaxed)) {
          T* element = slot.element();
          std::optional<T> value(std::move(*element));
          std::destroy_at(element);
          slot.sequence.store(position + capacity(), std::memory_order_release);
          state = PopState::data;
          return value;
        }
      } else if (sequence <= position) {
        state = sequence == position ? PopState::empty : PopState::lagging;
        return std::nullopt;
      } else {
        position = head_.load(std::memory_order_relaxed);  // others have claimed this one and maybe more
      }
    }
  }

  std::size_t capacity() const noexcept { return mask_ + 1; }
  /// Elements held, a moment ago: for statistics.
  std::size_t size() const noexcept {
    const std::uint64_t head = head_.load(std::memory_order_relaxed);
    const std::uint64_t tail = tail_.load(std::memory_order_relaxed);
    return tail > head ? std::min<std::uint64_t>(tail - head, capacity()) : 0;
  }

 private:
  // For the slot of position p, sequence is p while free, p + 1 while filled, and p + capacity, the next
  // lap's position, once the element has been moved out. Positions only grow; at 64 bits they never wrap.
  struct alignas(kCacheLine) Slot {
    std::atomic<std::uint64_t> sequence;
    alignas(T) std::byte bytes[sizeof(T)];
    T* element() noexcept { return std::launder(reinterpret_cast<T*>(bytes)); }
  };

  template <class U>
  bool push(U&& value) noexcept(std::is_nothrow_constructible_v<T, U&&>) {
    const std::uint64_t position = tail_.load(std::memory_order_relaxed);
    Slot& slot = slots_[position & mask_];
    if (slot.sequence.load(std::memory_order_acquire) != position) {
      return false;
    }
    ::new (static_cast<void*>(slot.bytes)) T(std::forward<U>(value));
    slot.sequence.store(position + 1, std::memory_order_release);
    tail_.store(position + 1, std::memory_order_relaxed);
    return true;
  }

  alignas(kCacheLine) std::atomic<std::uint64_t> tail_{0};  // written by the producer
  alignas(kCacheLine) std::atomic<std::uint64_t> head_{0};  // claimed by the consumers
  alignas(kCacheLine) const std::size_t mask_;
  const std::unique_ptr<Slot[]> slots_;
};

}  // namespace penstock::inline v0
