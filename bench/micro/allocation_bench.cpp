// Memory for batches (R254): buffers used again beside new ones each time, with as many in flight as a loader has.

#include <benchmark/benchmark.h>

#include <array>
#include <memory>
#include <vector>

#include "core/buffer_pool.hpp"

namespace penstock::bench {
namespace {

constexpr std::size_t kBatchBytes = 32ull * 3 * 224 * 224 * 4;
constexpr std::size_t kInFlight = 4;
constexpr std::size_t kPage = 4096;

/// Writes one byte per page, as filling the batch would: new memory becomes real only then.
void touch(std::uint8_t* data, std::size_t size) {
  for (std::size_t at = 0; at < size; at += kPage) {
    data[at] = 1;
  }
  benchmark::ClobberMemory();
}

void new_each_time(benchmark::State& state) {
  std::array<std::unique_ptr<std::uint8_t[]>, kInFlight> held;
  std::size_t number = 0;
  for (auto _ : state) {
    auto& place = held[number++ % kInFlight];
    place = std::make_unique_for_overwrite<std::uint8_t[]>(kBatchBytes);
    touch(place.get(), kBatchBytes);
  }
}

void zeroed_vector_each_time(benchmark::State& state) {
  std::array<std::vector<float>, kInFlight> held;
  std::size_t number = 0;
  for (auto _ : state) {
    auto& place = held[number++ % kInFlight];
    place = std::vector<float>(kBatchBytes / sizeof(float));
    benchmark::DoNotOptimize(place.data());
  }
}

void pooled(benchmark::State& state) {
  BufferPool pool;
  std::array<Slab, kInFlight> held;
  std::size_t number = 0;
  for (auto _ : state) {
    auto& place = held[number++ % kInFlight];
    place = pool.acquire(kBatchBytes);
    touch(place.data(), kBatchBytes);
  }
}

BENCHMARK(new_each_time)->Name("R254_allocation/before_new");
BENCHMARK(zeroed_vector_each_time)->Name("R254_allocation/zeroed_vector");
BENCHMARK(pooled)->Name("R254_allocation/after_pool");

}  // namespace
}  // namespace penstock::bench
