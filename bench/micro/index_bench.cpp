// Two reasons for how the queues are laid out (R257): a mask instead of a division, a cache line for each
// writer.

#include <benchmark/benchmark.h>

#include <atomic>
#include <cstdint>

#include "core/ring_capacity.hpp"

namespace penstock::bench {
namespace {

/// Each index depends on the one before, so the time is that of the operation itself.
void by_division(benchmark::State& state) {
  std::uint64_t capacity = 512;
  benchmark::DoNotOptimize(capacity);
  std::uint64_t index = 1;
  for (auto _ : state) {
    index = (index + 0x9E3779B97F4A7C15ULL) % capacity;
    benchmark::DoNotOptimize(index);
  }
}

void by_mask(benchmark::State& state) {
  std::uint64_t mask = 511;
  benchmark::DoNotOptimize(mask);
  std::uint64_t index = 1;
  for (auto _ : state) {
    index = (index + 0x9E3779B97F4A7C15ULL) & mask;
    benchmark::DoNotOptimize(index);
  }
}

struct Neighbours {
  alignas(kCacheLine) std::atomic<std::uint64_t> counters[2];
  std::atomic<std::uint64_t>& of(int thread) { return counters[thread]; }
};

struct Apart {
  struct alignas(kCacheLine) Line {
    std::atomic<std::uint64_t> counter;
  };
  Line lines[2];
  std::atomic<std::uint64_t>& of(int thread) { return lines[thread].counter; }
};

template <class Layout>
void two_writers(benchmark::State& state) {
  static Layout layout;
  auto& mine = layout.of(state.thread_index());
  for (auto _ : state) {
    mine.store(mine.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
}

BENCHMARK(by_division)->Name("R257_ring_index/before_division");
BENCHMARK(by_mask)->Name("R257_ring_index/after_mask");
BENCHMARK(two_writers<Neighbours>)->Name("R257_false_sharing/before_one_line")->Threads(2)->UseRealTime();
BENCHMARK(two_writers<Apart>)->Name("R257_false_sharing/after_lines_apart")->Threads(2)->UseRealTime();

}  // namespace
}  // namespace penstock::bench
