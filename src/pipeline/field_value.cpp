#include "pipeline/field_value.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

namespace penstock {

Result<std::int64_t> integer_of(const StoredValue& value) {
  if (value.is_number) {
    return value.number;
  }
  std::string_view text(reinterpret_cast<const char*>(value.bytes.data()), value.bytes.size());
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(kSpace);
  text =
      first == text.npos ? std::string_view{} : text.substr(first, text.find_last_not_of(kSpace) + 1 - first);
  std::string_view digits = text;
  if (digits.starts_with('+') && digits.size() > 1 && digits[1] != '-') {
    digits.remove_prefix(1);
  }
  std::int64_t number = 0;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (status != std::errc{} || end != digits.data() + digits.size()) {
    return Error{.kind = ErrorKind::corrupt,
                 .message = fmt::format("'{}' is not a whole number", text.substr(0, 40)),
                 .advice = {},
                 .place = {.stage = "decode"}};
  }
  return number;
}

Error at_sample(Error error, const SampleTable& table, std::uint64_t sample, std::size_t field) {
  Place place = table.place(sample, field);
  if (error.place.offset) {
    place.offset = error.place.offset;
  }
  place.stage = error.place.stage;
  place.index = sample;
  if (place.key.empty()) {
    place.key = table.key(sample);
  }
  error.place = std::move(place);
  if (table.fields().size() > 1) {
    error.message = fmt::format("field '{}': {}", table.fields()[field].name, error.message);
  }
  return error;
}

}  // namespace penstock
