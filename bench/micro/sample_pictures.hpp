#pragma once
// The tar shards that the component benchmarks read, and the pictures in them.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/mapped_file.hpp"
#include "penstock/sample.hpp"

namespace penstock::bench {

/// Where one picture lies.
struct StoredPicture {
  std::size_t shard = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

/// Opened once per process, then read-only.
struct SamplePictures {
  std::vector<std::string> paths;
  std::vector<std::shared_ptr<const MappedFile>> shards;
  std::vector<StoredPicture> pictures;

  ByteSpan bytes(std::size_t picture) const;
};

/// From the folder that PENSTOCK_BENCH_TARS names, else the shared sample. Empty if there are no tars.
const SamplePictures& sample_pictures();

/// False, with the benchmark marked as failed, when there are no pictures.
bool have_pictures(benchmark::State& state);

/// Reads every byte, so that what was delivered was really there.
std::uint64_t read_all(ByteSpan bytes);

}  // namespace penstock::bench
