#pragma once
// Waiting for something that other threads do without locks: spin briefly, yield a little, then sleep.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "core/ring_capacity.hpp"

namespace penstock::inline v0 {

/// An event count. It holds no condition of its own: a waiter announces itself, looks at its condition once
/// more, then sleeps; whoever makes the condition true calls wake afterwards. No wake-up between the
/// announcement and the sleep is lost. With nobody waiting a wake is one atomic operation: no lock, no system
/// call.
///
///     waiter:  auto ticket = parking.prepare();          other:  queue.try_push(...);
///              if (queue has something) parking.cancel();        parking.wake_one();
///              else parking.wait(ticket);
///
/// Any thread may call anything. It must outlive every call. Waits may end early: look at the condition
/// again.
class Parking {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::time_point kForever = Clock::time_point::max();

  /// What prepare() gives and wait() takes.
  class Ticket {
    friend class Parking;
    explicit Ticket(std::uint64_t wakes) noexcept : wakes_(wakes) {}
    std::uint64_t wakes_;
  };

  Parking() = default;
  Parking(const Parking&) = delete;
  Parking& operator=(const Parking&) = delete;

  /// Announces a waiter. To be followed by exactly one of wait() and cancel() on the same thread.
  [[nodiscard]] Ticket prepare() noexcept;
  void cancel() noexcept;
  /// Sleeps until a wake that came after prepare(), or the deadline. False when the deadline passed first.
  bool wait(Ticket ticket, Clock::time_point deadline = kForever);

  /// Wakes one sleeper; use it only where all waiters wait for the same thing and one can take it.
  void wake_one() noexcept;
  void wake_all() noexcept;

  /// Threads between prepare() and the end of their wait, a moment ago.
  unsigned waiters() const noexcept;

 private:
  static constexpr unsigned kWaiterBits = 20;
  static constexpr std::uint64_t kWaiterMask = (std::uint64_t{1} << kWaiterBits) - 1;
  static constexpr std::uint64_t kOneWake = std::uint64_t{1} << kWaiterBits;

  // Number of wakes in the high bits, number of waiters in the low ones. Announcing and waking are both
  // read-modify-writes of this one word, so one of them sees the other: either the waker sees the waiter, or
  // the waiter sees all that came before the wake.
  alignas(kCacheLine) std::atomic<std::uint64_t> state_{0};
  alignas(kCacheLine) std::mutex mutex_;
  std::condition_variable sleepers_;
};

namespace detail {

/// Tells the CPU that this is a spin loop.
inline void spin_pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

inline constexpr int kPureSpins = 10;
inline constexpr int kPoliteSpins = 90;
inline constexpr int kSpinsPerYield = 10;

}  // namespace detail

/// Waits until `ready()` is true or the deadline has passed; returns the last answer of ready(). `ready` may
/// have effects (such as taking an element): it is not called again after it has said true.
template <class Predicate>
bool wait_until(Parking& parking, Predicate&& ready,
                Parking::Clock::time_point deadline = Parking::kForever) {
  for (int i = 0; i < detail::kPureSpins; ++i) {
    if (ready()) {
      return true;
    }
  }
  for (int i = 1; i <= detail::kPoliteSpins; ++i) {
    if (i % detail::kSpinsPerYield == 0) {
      std::this_thread::yield();
    } else {
      detail::spin_pause();
    }
    if (ready()) {
      return true;
    }
  }
  for (;;) {
    const Parking::Ticket ticket = parking.prepare();
    if (ready()) {
      parking.cancel();
      return true;
    }
    if (!parking.wait(ticket, deadline)) {
      return ready();
    }
  }
}

}  // namespace penstock::inline v0
