#include "formats/field_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "formats/annotations.hpp"
#include "formats/text.hpp"
#include "formats/text_syntax.hpp"

namespace penstock::inline v0 {

namespace {

template <class T>
T read_as(ByteSpan bytes) noexcept {
  T value{};
  std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));
  return value;
}

}  // namespace

Result<Number> number_in(ByteSpan bytes, Scalar type) {
  const auto integer = [](std::int64_t value) { return Result<Number>(Number(value)); };
  switch (type) {
    case Scalar::boolean:
    case Scalar::uint8:
      return integer(read_as<std::uint8_t>(bytes));
    case Scalar::int8:
      return integer(read_as<std::int8_t>(bytes));
    case Scalar::uint16:
      return integer(read_as<std::uint16_t>(bytes));
    case Scalar::int16:
      return integer(read_as<std::int16_t>(bytes));
    case Scalar::uint32:
      return integer(read_as<std::uint32_t>(bytes));
    case Scalar::int32:
      return integer(read_as<std::int32_t>(bytes));
    case Scalar::int64:
      return integer(read_as<std::int64_t>(bytes));
    case Scalar::uint64:
      if (const auto value = read_as<std::uint64_t>(bytes); value > INT64_MAX) {
        return Error{.kind = ErrorKind::corrupt,
                     .message = fmt::format("number {} is too large", value),
                     .place = {.stage = "read"}};
      }
      return integer(read_as<std::int64_t>(bytes));
    case Scalar::float32:
      return Number(double{read_as<float>(bytes)});
    case Scalar::float64:
      return Number(read_as<double>(bytes));
    case Scalar::float16:
    case Scalar::bfloat16:
      break;
  }
  return Error{.kind = ErrorKind::unsupported,
               .message = fmt::format("numbers of type {} are not supported", name_of(type)),
               .place = {.stage = "read"}};
}

Result<std::int64_t> integer_of(const StoredValue& value) {
  if (value.number) {
    if (const auto* const integer = std::get_if<std::int64_t>(&*value.number)) {
      return *integer;
    }
    return Error{.kind = ErrorKind::corrupt,
                 .message = fmt::format("{} is not an integer", std::get<double>(*value.number)),
                 .place = {.stage = "decode"}};
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

Result<double> real_of(const StoredValue& value) {
  if (value.number) {
    return std::visit([](auto number) { return static_cast<double>(number); }, *value.number);
  }
  const std::string_view text(reinterpret_cast<const char*>(value.bytes.data()), value.bytes.size());
  const std::optional<double> number = parse_real(text);
  const bool too_large =
      number && std::isinf(*number) && text.find_first_of("0123456789") != std::string_view::npos;
  if (!number || too_large) {
    return Error{.kind = ErrorKind::corrupt,
                 .message = fmt::format("'{}' {}", printable(text, 40),
                                        too_large ? "does not fit in float64" : "is not a number"),
                 .place = {.stage = "decode"}};
  }
  return *number;
}

Result<StoredArray> array_of(const FieldSpec& spec, const StoredValue& value) {
  StoredArray array{.header = {}, .file = value.bytes};
  if (spec.encoding == FieldSpec::Encoding::npy) {
    PENSTOCK_ASSIGN(array.header, read_npy_header(value.bytes, value.bytes.size()));
  } else if (spec.array) {
    PENSTOCK_TRY(spec.check_length(value.bytes.size()));
    const Extents shape = spec.shape_of_length(value.bytes.size());
    array.header.array = {.type = spec.array->type, .shape = {shape.begin(), shape.end()}};
  } else {
    return Error{.kind = ErrorKind::corrupt,
                 .message = fmt::format("{} bytes of an unknown array", value.bytes.size()),
                 .place = {.stage = "decode"}};
  }
  if (spec.array && !spec.array->covers(array.header.array)) {
    return Error{.kind = ErrorKind::corrupt,
                 .message = fmt::format("an array {} in a field whose arrays are {}",
                                        array.header.array.to_string(), spec.array->to_string()),
                 .advice = "arrays of a field have one type and one number of dimensions",
                 .place = {.stage = "decode"}};
  }
  return array;
}

Status check_value(const FieldSpec& spec, const StoredValue& value) {
  switch (spec.kind) {
    case FieldKind::integer:
      PENSTOCK_TRY(integer_of(value));
      return {};
    case FieldKind::real:
      PENSTOCK_TRY(real_of(value));
      return {};
    case FieldKind::array:
      PENSTOCK_TRY(array_of(spec, value));
      return {};
    default:
      if (spec.reading.annotations) {
        Annotations found;
        return read_annotations(value.bytes, *spec.reading.annotations, found);
      }
      return check_syntax(spec.kind, value.bytes);
  }
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
