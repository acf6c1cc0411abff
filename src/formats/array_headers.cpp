#include "formats/array_headers.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/crc32c.hpp"
#include "formats/npy.hpp"

namespace penstock::inline v0 {

Result<ArraySpec> array_by_header(std::uint64_t size,
                                  const std::function<Result<Bytes>(std::uint64_t size)>& first_bytes) {
  constexpr std::uint64_t kFirstLook = 4096;
  for (const std::uint64_t looked : {kFirstLook, kNpyStart}) {
    PENSTOCK_ASSIGN(const Bytes start, first_bytes(std::min(looked, size)));
    auto header = read_npy_header(start, size);
    PENSTOCK_TRY(start.intact());
    if (header.ok()) {
      return std::move(header->array);
    }
    if (looked == kNpyStart || looked >= size) {
      return std::move(header).error();
    }
  }
  return ArraySpec{};
}

std::uint32_t checksum_of(const ArraySpec& array) {
  const std::string text = array.to_string();
  return std::max(1u, crc32c({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}));
}

}  // namespace penstock::inline v0
