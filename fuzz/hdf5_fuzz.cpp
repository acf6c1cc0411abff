// Any bytes as an HDF5 file: every row that it claims to have must lie inside of it. Checksums always match
// in builds for fuzzing.
#include <cstdint>
#include <vector>

#include "formats/hdf5_sets.hpp"
#include "io/memory_source.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace penstock;
  const MemorySource source("fuzz.h5", {data, data + size});
  const std::uint64_t start = find_hdf5_start(source).value().value_or(0);
  const Hdf5Bytes file(source, start);
  const auto group = hdf5_root_group(file);
  if (!group) {
    return 0;
  }
  std::uint64_t sum = 0;
  std::size_t looked_at = 0;
  for (const auto& [name, link] : *group) {
    if (++looked_at > 16) {
      break;
    }
    const auto header = find_hdf5_object(*group, name);
    if (!header || !*header) {
      continue;
    }
    const auto set = find_hdf5_set(file, name, **header);
    for (std::uint64_t row = 0; set && row < set->rows && row < 1000; ++row) {
      const std::uint8_t* const bytes = data + start + set->place_of(row);
      sum += bytes[0] + bytes[set->row_bytes - 1];
    }
  }
  return sum == UINT64_MAX ? 1 : 0;
}
