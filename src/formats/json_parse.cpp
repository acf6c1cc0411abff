#include <algorithm>
#include <charconv>
#include <cmath>

#include "formats/json.hpp"
#include "formats/json_reader.hpp"

namespace penstock::inline v0 {
namespace {

constexpr std::size_t kMaxMembers = 256;

template <class T>
bool read(std::string_view digits, T& value) noexcept {
  const char* const end = digits.data() + digits.size();
  const auto [stop, failure] = std::from_chars(digits.data(), end, value);
  return failure == std::errc() && stop == end;
}

Result<Json> number(const JsonReader& reader) {
  const std::string_view written = reader.written();
  if (std::uint64_t whole = 0; read(written, whole)) {
    return Json(whole);
  }
  if (std::int64_t whole = 0; read(written, whole)) {
    return Json(whole);
  }
  double value = 0;
  if (!read(written, value) || !std::isfinite(value)) {
    return reader.error("number too large");
  }
  return Json(value);
}

Result<Json> build(JsonReader& reader, JsonReader::Token token);

Result<Json> list(JsonReader& reader) {
  Json::List items;
  for (auto token = reader.next(); token != JsonReader::Token::end_list; token = reader.next()) {
    PENSTOCK_ASSIGN(Json item, build(reader, token));
    items.push_back(std::move(item));
  }
  return Json(std::move(items));
}

Result<Json> object(JsonReader& reader) {
  Json::Members members;
  for (auto token = reader.next(); token != JsonReader::Token::end_object; token = reader.next()) {
    if (token == JsonReader::Token::wrong) {
      return reader.error();
    }
    std::string name = reader.unescaped();
    if (std::any_of(members.begin(), members.end(),
                    [&name](const auto& member) { return member.first == name; })) {
      return reader.error("duplicate member");
    }
    if (members.size() == kMaxMembers) {
      return reader.error("an object has too many members");
    }
    PENSTOCK_ASSIGN(Json item, build(reader, reader.next()));
    members.emplace_back(std::move(name), std::move(item));
  }
  return Json(std::move(members));
}

/// The value that begins with this token.
Result<Json> build(JsonReader& reader, JsonReader::Token token) {
  switch (token) {
    case JsonReader::Token::null:
      return Json();
    case JsonReader::Token::boolean:
      return Json(reader.written() == "true");
    case JsonReader::Token::number:
      return number(reader);
    case JsonReader::Token::text:
      return Json(reader.unescaped());
    case JsonReader::Token::begin_list:
      return list(reader);
    case JsonReader::Token::begin_object:
      return object(reader);
    default:  // no other token comes where a value is expected
      return reader.error();
  }
}

}  // namespace

Result<Json> Json::parse(std::string_view text, std::uint64_t max_values) {
  JsonReader reader(text, {.max_values = max_values});
  PENSTOCK_ASSIGN(Json value, build(reader, reader.next()));
  if (reader.next() != JsonReader::Token::end) {
    return reader.error();
  }
  return value;
}

}  // namespace penstock::inline v0
