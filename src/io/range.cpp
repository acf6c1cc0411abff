#include "io/range.hpp"

#include <fmt/format.h>

namespace penstock::inline v0 {

Error range_error(const Source& source, std::uint64_t offset, std::uint64_t size) {
  return {.kind = ErrorKind::corrupt,
          .message = fmt::format("cannot read {} bytes: the file ends at byte {}", size, source.size()),
          .advice = "the file is truncated or was changed after it was opened; fetch it again and reopen it",
          .place = {.shard = source.name(), .offset = offset, .stage = "read"}};
}

}  // namespace penstock::inline v0
