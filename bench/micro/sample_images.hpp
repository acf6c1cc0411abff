#pragma once
// The tar shards that the component benchmarks read, and the images in them.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/mapped_file.hpp"
#include "penstock/sample.hpp"

namespace penstock::bench {

/// Where one image lies.
struct StoredImage {
  std::size_t shard = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

/// Opened once per process, then read-only.
struct SampleImages {
  std::vector<std::string> paths;
  std::vector<std::shared_ptr<const MappedFile>> shards;
  std::vector<StoredImage> images;

  ByteSpan bytes(std::size_t image) const;
};

/// From the folder that PENSTOCK_BENCH_TARS names, else the shared sample. Empty if there are no tars.
const SampleImages& sample_images();

/// False, with the benchmark marked as failed, when there are no images.
bool have_images(benchmark::State& state);

/// Reads every byte, so that what was delivered was really there.
std::uint64_t read_all(ByteSpan bytes);

}  // namespace penstock::bench
