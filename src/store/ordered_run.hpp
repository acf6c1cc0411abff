#pragma once
// Work on numbered items by several threads, with results written in order and bounded memory.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "core/parallel_for.hpp"
#include "core/seconds_since.hpp"
#include "penstock/result.hpp"

namespace penstock::inline v0 {

/// Samples under way for each thread of a build or a check: one that takes long holds up as many.
inline constexpr std::size_t kSamplesPerThread = 16;

struct OrderedLimits {
  unsigned threads = 1;
  std::uint64_t bytes = std::uint64_t{128} << 20;  ///< of results that wait for their turn
  std::span<double> waited{};                      ///< by thread: takes the seconds that it waited for others
};

/// For every i in [begin, end): make(worker, i, slot), on any thread (`worker` counts them), then
/// write(worker, i, slot) -> Status by one thread at a time and in the order of i. A slot is what passes
/// between the two; there are as many items under way as `slots`, each of which is used again and again.
/// size(slot) counts towards the limit of bytes once it was made. The first error of write() ends the run and
/// is returned; exceptions are passed on.
template <class Slot, class Make, class Size, class Write>
Status run_in_order(std::uint64_t begin, std::uint64_t end, const OrderedLimits& limits,
                    std::span<Slot> slots, Make&& make, Size&& size, Write&& write) {
  std::mutex mutex;
  std::condition_variable moved;
  std::vector<bool> is_made(slots.size(), false);
  std::uint64_t to_make = begin;
  std::uint64_t to_write = begin;
  std::uint64_t bytes = 0;
  bool writing = false;
  bool stopped = false;
  Status outcome;

  const auto write_ready = [&](std::size_t worker, std::unique_lock<std::mutex>& lock) {
    writing = true;
    while (!stopped && is_made[to_write % slots.size()]) {
      const auto at = static_cast<std::size_t>(to_write % slots.size());
      const std::uint64_t slot_bytes = size(std::as_const(slots[at]));
      lock.unlock();
      Status done = write(worker, to_write, slots[at]);
      lock.lock();
      is_made[at] = false;
      bytes -= slot_bytes;
      ++to_write;
      if (!done.ok()) {
        outcome = std::move(done);
        stopped = true;
      }
      moved.notify_all();
    }
    writing = false;
  };

  const auto can_go_on = [&] {
    return stopped || to_make == end || to_make == to_write ||
           (to_make < to_write + slots.size() && bytes < limits.bytes);
  };

  const auto work = [&](std::size_t worker) {
    std::unique_lock lock(mutex);
    while (true) {
      if (!can_go_on()) {
        const auto start = std::chrono::steady_clock::now();
        moved.wait(lock, can_go_on);
        if (worker < limits.waited.size()) {
          limits.waited[worker] += seconds_since(start);
        }
      }
      if (stopped || to_make == end) {
        return;
      }
      const std::uint64_t number = to_make++;
      const auto at = static_cast<std::size_t>(number % slots.size());
      lock.unlock();
      make(worker, number, slots[at]);
      lock.lock();
      bytes += size(std::as_const(slots[at]));
      is_made[at] = true;
      if (!writing) {
        write_ready(worker, lock);
      }
    }
  };

  parallel_for(limits.threads, limits.threads, [&](std::size_t worker) {
    try {
      work(worker);
    } catch (...) {  // the others must not wait for this one; parallel_for carries it to the caller
      {
        const std::lock_guard lock(mutex);
        stopped = true;
      }
      moved.notify_all();
      throw;
    }
  });
  return outcome;
}

}  // namespace penstock::inline v0
