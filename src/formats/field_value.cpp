#include "formats/field_value.hpp"

#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "formats/text.hpp"
#include "formats/text_syntax.hpp"

namespace penstock::inline v0 {

Result<std::int64_t> integer_of(const StoredValue& value) {
  if (value.is_number) {
    return value.number;
  }
  const std::string_view text(reinterpret_cast<const char*>(value.bytes.data()), value.bytes.size());
  if (const std::optional<std::int64_t> number = parse_integer(text)) {
    return *number;
  }
  return Error{.kind = ErrorKind::corrupt,
               .message = fmt::format("'{}' {}", printable(text, 40),
                                      is_integer(text) ? "does not fit in 64 bits" : "is not an integer"),
               .advice = {},
               .place = {.stage = "decode"}};
}

Status check_syntax(FieldKind kind, ByteSpan bytes) {
  const std::optional<std::string> problem = kind == FieldKind::text   ? text_problem(bytes)
                                             : kind == FieldKind::json ? json_problem(bytes)
                                                                       : std::nullopt;
  if (!problem) {
    return {};
  }
  return Error{.kind = ErrorKind::corrupt,
               .message = fmt::format("not {}: {}", kind == FieldKind::text ? "UTF-8" : "JSON", *problem),
               .advice = {},
               .place = {.stage = "decode"}};
}

Status check_value(FieldKind kind, const StoredValue& value) {
  if (kind == FieldKind::integer) {
    PENSTOCK_TRY(integer_of(value));
    return {};
  }
  return check_syntax(kind, value.bytes);
}

Error at_sample(Error error, const SampleTable& table, std::uint64_t sample, std::size_t field) {
  Place place = table.place(sample, field);
  if (!error.place.shard.empty()) {
    place.shard = std::move(error.place.shard);  // the index, say
    place.offset.reset();
  }
  if (error.place.offset) {
    place.offset = error.place.offset;
  }
  place.stage = error.place.stage;
  place.index = sample;
  if (place.key.empty() && table.check_lookups(sample).ok()) {
    place.key = table.key(sample);
  }
  error.place = std::move(place);
  if (table.fields().size() > 1) {
    error.message = fmt::format("field '{}': {}", table.fields()[field].name, error.message);
  }
  return error;
}

}  // namespace penstock::inline v0
