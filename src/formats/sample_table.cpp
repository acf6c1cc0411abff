#include "formats/sample_table.hpp"

#include <fmt/format.h>

namespace penstock::inline v0 {

Status FieldSpec::check_length(std::uint64_t bytes) const {
  if (encoding == Encoding::values && array && array->fixed() && bytes != array->bytes()) {
    return Error{.kind = ErrorKind::corrupt,
                 .message = fmt::format("the stored field is damaged: {} bytes where {} are expected", bytes,
                                        array->to_string()),
                 .place = {.stage = "read"}};
  }
  return {};
}

Result<Location> SampleTable::locate(std::uint64_t sample, std::size_t field) const {
  return Error{.kind = ErrorKind::unsupported,
               .message = "these samples lie in no object",
               .place = place(sample, field)};
}

NamedPath SampleTable::object(std::uint64_t) const { return {}; }

Result<StoredValue> SampleTable::finish(std::uint64_t, std::size_t, Bytes bytes) const {
  return StoredValue{.bytes = std::move(bytes)};
}

}  // namespace penstock::inline v0
