#include "io/memory_source.hpp"

#include "io/range.hpp"

namespace penstock::inline v0 {

Result<Bytes> MemorySource::read(std::uint64_t offset, std::uint64_t size) const {
  if (!is_within(offset, size, bytes_.size())) {
    return range_error(*this, offset, size);
  }
  return bytes_.lend(offset, size);
}

}  // namespace penstock::inline v0
