// Reading images out of tar shards (R250) and what a copy of the compressed bytes costs (R251).

#include <benchmark/benchmark.h>

#include <cstdio>
#include <mutex>
#include <stdexcept>

#include "sample_images.hpp"

namespace penstock::bench {
namespace {

/// One file handle for all threads: seek, read and copy happen under its lock.
class LockedHandles {
 public:
  explicit LockedHandles(const std::vector<std::string>& paths) {
    for (const std::string& path : paths) {
      files_.push_back(std::fopen(path.c_str(), "rb"));
      if (!files_.back()) {
        throw std::runtime_error("cannot open " + path);
      }
    }
  }
  ~LockedHandles() {
    for (std::FILE* file : files_) {
      std::fclose(file);
    }
  }
  LockedHandles(const LockedHandles&) = delete;
  LockedHandles& operator=(const LockedHandles&) = delete;

  std::vector<std::uint8_t> read(const StoredImage& image) {
    const std::lock_guard lock(mutex_);
    std::FILE* file = files_[image.shard];
    std::vector<std::uint8_t> bytes(image.size);
    if (std::fseek(file, static_cast<long>(image.offset), SEEK_SET) != 0 ||
        std::fread(bytes.data(), 1, bytes.size(), file) != bytes.size()) {
      throw std::runtime_error("short read");
    }
    return bytes;
  }

 private:
  std::mutex mutex_;
  std::vector<std::FILE*> files_;
};

/// Threads take every n-th image.
std::size_t first_of(const benchmark::State& state) { return static_cast<std::size_t>(state.thread_index()); }
std::size_t step_of(const benchmark::State& state) { return static_cast<std::size_t>(state.threads()); }

void locked_handle(benchmark::State& state) {
  if (!have_images(state)) {
    return;
  }
  static LockedHandles handles(sample_images().paths);
  const auto& images = sample_images().images;
  std::size_t number = first_of(state);
  for (auto _ : state) {
    const auto bytes = handles.read(images[number % images.size()]);
    benchmark::DoNotOptimize(read_all(bytes));
    number += step_of(state);
  }
  state.SetItemsProcessed(state.iterations());
}

void mapped_view(benchmark::State& state) {
  if (!have_images(state)) {
    return;
  }
  std::size_t number = first_of(state);
  for (auto _ : state) {
    benchmark::DoNotOptimize(read_all(sample_images().bytes(number)));
    number += step_of(state);
  }
  state.SetItemsProcessed(state.iterations());
}

void copied_bytes(benchmark::State& state) {
  if (!have_images(state)) {
    return;
  }
  std::size_t number = 0;
  for (auto _ : state) {
    const ByteSpan view = sample_images().bytes(number++);
    const std::vector<std::uint8_t> copy(view.begin(), view.end());
    benchmark::DoNotOptimize(read_all(copy));
  }
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK(locked_handle)->Name("R250_tar_read/before_one_locked_handle")->Threads(2)->UseRealTime();
BENCHMARK(mapped_view)->Name("R250_tar_read/after_mapped_views")->Threads(2)->UseRealTime();
BENCHMARK(copied_bytes)->Name("R251_memory_copy/before_copied");
BENCHMARK(mapped_view)->Name("R251_memory_copy/after_view");

}  // namespace
}  // namespace penstock::bench
