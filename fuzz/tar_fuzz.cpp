// Any bytes as a tar shard: opened and read as a table. Checksums of header blocks are set right first, since
// no random change would pass them; the last byte of the input says for which blocks.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "formats/tar.hpp"
#include "formats/tar_for_test.hpp"
#include "formats/tar_table.hpp"

namespace {

void seal(penstock::TarHeader& header) {
  std::memset(header.checksum, ' ', sizeof header.checksum);
  unsigned sum = 0;
  for (std::size_t i = 0; i < sizeof header; ++i) {
    sum += reinterpret_cast<const unsigned char*>(&header)[i];
  }
  for (int digit = 5; digit >= 0; --digit, sum >>= 3) {
    header.checksum[digit] = static_cast<char>('0' + (sum & 7));
  }
  header.checksum[6] = '\0';
}

void seal_blocks(std::vector<std::uint8_t>& bytes, std::uint8_t which) {
  for (std::size_t block = 0; (block + 1) * 512 <= bytes.size(); ++block) {
    penstock::TarHeader header;
    std::memcpy(&header, bytes.data() + block * 512, 512);
    const bool looks_like_header = std::memcmp(header.magic, "ustar", 5) == 0;
    if (looks_like_header && ((which >> (block % 8)) & 1) == 0) {
      seal(header);
      std::memcpy(bytes.data() + block * 512, &header, 512);
    }
  }
}

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace penstock;
  std::vector<std::uint8_t> bytes(data, data + size);
  if (!bytes.empty()) {
    const std::uint8_t which = bytes.back();
    bytes.pop_back();
    seal_blocks(bytes, which);
  }
  const auto table = open_tars_for_test({{"fuzz.tar", std::move(bytes)}});
  if (!table.ok()) {
    require(table.error().place.shard == "fuzz.tar" && !table.error().message.empty());
    return 0;
  }
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < (*table)->size(); ++i) {
    require(!(*table)->key(i).empty());
    for (std::size_t field = 0; field < (*table)->fields().size(); ++field) {
      const auto value = (*table)->read(i, field);
      if (value.ok()) {
        require(value->bytes.size() == (*table)->stored_size(i, field));
        for (const std::uint8_t byte : value->bytes) {
          sum += byte;
        }
      } else {
        require(value.error().place.index == i);
      }
    }
  }
  require((*table)->fingerprint().size() == 32 && sum < UINT64_MAX);
  return 0;
}
