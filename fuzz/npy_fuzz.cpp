// Any bytes as an .npy file: what it claims to hold must lie inside of it.
#include <cstdint>
#include <vector>

#include "formats/npy.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace penstock;
  const ByteSpan file(data, size);
  const auto header = read_npy_header(file, size);
  if (!header) {
    return 0;
  }
  std::vector<std::uint8_t> elements(header->array.bytes());
  copy_npy(*header, file, elements.data());
  std::uint64_t sum = 0;
  for (const std::uint8_t byte : elements) {
    sum += byte;
  }
  return sum == UINT64_MAX ? 1 : 0;
}
