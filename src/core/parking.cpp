#include "core/parking.hpp"

namespace penstock::inline v0 {

Parking::Ticket Parking::prepare() noexcept {
  return Ticket(state_.fetch_add(1, std::memory_order_seq_cst) >> kWaiterBits);
}

void Parking::cancel() noexcept { state_.fetch_sub(1, std::memory_order_seq_cst); }

bool Parking::wait(Ticket ticket, Clock::time_point deadline) {
  const auto woken = [this, ticket] {
    return (state_.load(std::memory_order_seq_cst) >> kWaiterBits) != ticket.wakes_;
  };
  bool in_time = true;
  {
    std::unique_lock lock(mutex_);
    if (deadline == kForever) {
      sleepers_.wait(lock, woken);
    } else {
      in_time = sleepers_.wait_until(lock, deadline, woken);
    }
  }
  cancel();
  return in_time;
}

void Parking::wake_one() noexcept {
  if ((state_.fetch_add(kOneWake, std::memory_order_seq_cst) & kWaiterMask) != 0) {
    // A waiter looks at the count under the lock: after this it either sleeps and hears the call, or has seen
    // it.
    { const std::lock_guard lock(mutex_); }
    sleepers_.notify_one();
  }
}

void Parking::wake_all() noexcept {
  if ((state_.fetch_add(kOneWake, std::memory_order_seq_cst) & kWaiterMask) != 0) {
    { const std::lock_guard lock(mutex_); }
    sleepers_.notify_all();
  }
}

unsigned Parking::waiters() const noexcept {
  return static_cast<unsigned>(state_.load(std::memory_order_relaxed) & kWaiterMask);
}

}  // namespace penstock::inline v0
