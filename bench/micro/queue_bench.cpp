// Handing work to threads (R252): the lock-free queue beside a queue behind a mutex.

#include <benchmark/benchmark.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

#include "core/spmc_queue.hpp"

namespace penstock::bench {
namespace {

/// About what the planner hands to a worker.
struct Work {
  std::uint64_t batch = 0;
  std::uint32_t first_row = 0;
  std::uint32_t rows = 0;
};

constexpr std::size_t kCapacity = 512;

/// The usual bounded queue: a lock, and a condition to wake whoever waits.
class MutexQueue {
 public:
  bool try_push(const Work& work) {
    {
      const std::lock_guard lock(mutex_);
      if (items_.size() == kCapacity) {
        return false;
      }
      items_.push_back(work);
    }
    filled_.notify_one();
    return true;
  }
  std::optional<Work> try_pop() {
    const std::lock_guard lock(mutex_);
    if (items_.empty()) {
      return std::nullopt;
    }
    const Work work = items_.front();
    items_.pop_front();
    return work;
  }

 private:
  std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<Work> items_;
};

struct LockFreeQueue : SpmcQueue<Work> {
  LockFreeQueue() : SpmcQueue(kCapacity) {}
};

/// Pushes alone, a queue's worth at a time; emptying it is not timed.
template <class Queue>
void push_alone(benchmark::State& state) {
  Queue queue;
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < kCapacity; ++i) {
      benchmark::DoNotOptimize(queue.try_push(Work{.batch = i}));
    }
    state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    while (queue.try_pop()) {
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kCapacity));
}

/// One producer pushes while another thread pops as fast as it can.
template <class Queue>
void push_contended(benchmark::State& state) {
  Queue queue;
  std::atomic<bool> stop{false};
  std::thread consumer([&] {
    while (!stop.load(std::memory_order_relaxed)) {
      benchmark::DoNotOptimize(queue.try_pop());
    }
  });
  for (auto _ : state) {
    while (!queue.try_push(Work{})) {
    }
  }
  stop = true;
  consumer.join();
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK(push_alone<MutexQueue>)->Name("R252_queue_push/before_mutex")->UseManualTime();
BENCHMARK(push_alone<LockFreeQueue>)->Name("R252_queue_push/after_spmc")->UseManualTime();
BENCHMARK(push_contended<MutexQueue>)->Name("R252_queue_push_contended/before_mutex")->UseRealTime();
BENCHMARK(push_contended<LockFreeQueue>)->Name("R252_queue_push_contended/after_spmc")->UseRealTime();

}  // namespace
}  // namespace penstock::bench
