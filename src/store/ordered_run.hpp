#pragma once
// Work on numbered items by several threads, with results taken in order and bounded memory.

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <vector>

#include "core/parallel_for.hpp"
#include "penstock/result.hpp"

namespace penstock::inline v0 {

struct OrderedLimits {
  unsigned threads = 1;
  std::uint64_t window = 64;  ///< items between the one taken next and the one begun last
  std::uint64_t bytes = std::uint64_t{128} << 20;  ///< of results that wait for their turn
};

/// For every i in [begin, end): make(worker, i), on any thread (`worker` counts them), then take(i, result)
/// -> Status by one thread at a time and in the order of i. size(result) counts towards the limit. The first
/// error of take() ends the run and is returned; exceptions are passed on.
template <class Item, class Make, class Size, class Take>
Status run_in_order(std::uint64_t begin, std::uint64_t end, const OrderedLimits& limits, Make&& make,
                    Size&& size, Take&& take) {
  std::mutex mutex;
  std::condition_variable moved;
  std::vector<std::optional<Item>> waiting(limits.window);
  std::uint64_t to_make = begin;
  std::uint64_t to_take = begin;
  std::uint64_t bytes = 0;
  bool taking = false;
  bool stopped = false;
  Status outcome;

  const auto take_ready = [&](std::unique_lock<std::mutex>& lock) {
    taking = true;
    while (!stopped && waiting[to_take % limits.window]) {
      Item item = std::move(*waiting[to_take % limits.window]);
      waiting[to_take % limits.window].reset();
      const std::uint64_t item_bytes = size(item);
      lock.unlock();
      Status done = take(to_take, std::move(item));
      lock.lock();
      bytes -= item_bytes;
      ++to_take;
      if (!done.ok()) {
        outcome = std::move(done);
        stopped = true;
      }
      moved.notify_all();
    }
    taking = false;
  };

  const auto work = [&](std::size_t worker) {
    std::unique_lock lock(mutex);
    while (true) {
      moved.wait(lock, [&] {
        return stopped || to_make == end || to_make == to_take ||
               (to_make < to_take + limits.window && bytes < limits.bytes);
      });
      if (stopped || to_make == end) {
        return;
      }
      const std::uint64_t number = to_make++;
      lock.unlock();
      Item item = make(worker, number);
      lock.lock();
      bytes += size(item);
      waiting[number % limits.window].emplace(std::move(item));
      if (!taking) {
        take_ready(lock);
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
