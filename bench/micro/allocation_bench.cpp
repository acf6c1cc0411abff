// Memory for batches (R254): buffers used again beside new ones each time, with as many in flight as a loader
// has.

#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/buffer_pool.hpp"

namespace penstock::bench {
namespace {

constexpr std::size_t kImageBytes = 3ull * 224 * 224 * sizeof(float);
constexpr std::size_t kInFlight = 4;
constexpr std::size_t kPage = 4096;

/// Writes one byte per page, as filling the batch would: new memory becomes real only then.
void touch(std::uint8_t* data, std::size_t size) {
  for (std::size_t at = 0; at < size; at += kPage) {
    data[at] = 1;
  }
  benchmark::ClobberMemory();
}

/// Calls `replace(place)` for one of the batches in flight after the other, first until all have been made
/// twice.
template <class Buffer, class Replace>
void take_turns(benchmark::State& state, Replace replace) {
  std::array<Buffer, kInFlight> held;
  for (std::size_t i = 0; i < 2 * kInFlight; ++i) {
    replace(held[i % kInFlight]);
  }
  std::size_t number = 0;
  for (auto _ : state) {
    replace(held[number++ % kInFlight]);
  }
}

std::size_t batch_bytes(const benchmark::State& state) {
  return static_cast<std::size_t>(state.range(0)) * kImageBytes;
}

void new_each_time(benchmark::State& state) {
  const std::size_t size = batch_bytes(state);
  take_turns<std::unique_ptr<std::uint8_t[]>>(state, [&](auto& place) {
    place = std::make_unique_for_overwrite<std::uint8_t[]>(size);
    touch(place.get(), size);
  });
}

void zeroed_vector_each_time(benchmark::State& state) {
  const std::size_t size = batch_bytes(state);
  take_turns<std::vector<float>>(state, [&](auto& place) {
    place = std::vector<float>(size / sizeof(float));
    benchmark::DoNotOptimize(place.data());
  });
}

void pooled(benchmark::State& state) {
  const std::size_t size = batch_bytes(state);
  BufferPool pool;
  take_turns<Slab>(state, [&](auto& place) {
    place = pool.acquire(size);
    touch(place.data(), size);
  });
}

const bool registered = [] {
  for (const int images : {32, 256}) {
    const std::string group = "R254_allocation_batch_" + std::to_string(images);
    benchmark::RegisterBenchmark((group + "/before_new").c_str(), new_each_time)->Arg(images);
    benchmark::RegisterBenchmark((group + "/zeroed_vector").c_str(), zeroed_vector_each_time)->Arg(images);
    benchmark::RegisterBenchmark((group + "/after_pool").c_str(), pooled)->Arg(images);
  }
  return true;
}();

}  // namespace
}  // namespace penstock::bench
