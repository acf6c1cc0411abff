#include "io/memory_source.hpp"

#include "io/range.hpp"

namespace penstock {

Result<ByteSpan> MemorySource::read(std::uint64_t offset, std::uint64_t size, Scratch&) const {
  if (!is_within(offset, size, bytes_.size())) {
    return range_error(*this, offset, size);
  }
  return ByteSpan(bytes_).subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
}

}  // namespace penstock
