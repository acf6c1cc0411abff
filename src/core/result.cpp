#include "penstock/result.hpp"

#include <fmt/format.h>

#include "core/printable.hpp"
#include "penstock/sample.hpp"

namespace penstock::inline v0 {

const char* name_of(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::not_found:
      return "not_found";
    case ErrorKind::corrupt:
      return "corrupt";
    case ErrorKind::unsupported:
      return "unsupported";
    case ErrorKind::invalid:
      return "invalid";
    case ErrorKind::io:
      return "io";
    case ErrorKind::timeout:
      return "timeout";
    case ErrorKind::cancelled:
      return "cancelled";
  }
  return "unknown";
}

const char* name_of(FieldKind kind) noexcept {
  switch (kind) {
    case FieldKind::image:
      return "image";
    case FieldKind::bytes:
      return "bytes";
    case FieldKind::text:
      return "text";
    case FieldKind::json:
      return "json";
    case FieldKind::integer:
      return "int";
    case FieldKind::real:
      return "float";
    case FieldKind::array:
      return "array";
    case FieldKind::audio:
      return "audio";
  }
  return "unknown";
}

std::string Error::to_string() const {
  // Names come from data, which may be hostile: nothing of them reaches a terminal or a log as it is, and no
  // name fills the screen.
  constexpr std::size_t kMaxKeyLength = 200;
  constexpr std::size_t kMaxClauseLength = 4000;
  std::string text;
  const auto part = [&text](std::string piece) { text += (text.empty() ? "" : ", ") + std::move(piece); };
  if (!place.shard.empty() || !place.source.empty()) {
    part(printable_path(place.shard.empty() ? place.source : place.shard));
  }
  const std::string key = printable(place.key, kMaxKeyLength);
  if (place.index) {
    part(key.empty() ? fmt::format("sample {}", *place.index)
                     : fmt::format("sample {} ({})", *place.index, key));
  } else if (!key.empty()) {
    part(fmt::format("sample {}", key));
  }
  if (place.offset) {
    part(fmt::format("byte {}", *place.offset));
  }
  text += (text.empty() ? "" : ": ") + printable_line(message, kMaxClauseLength);
  if (!advice.empty()) {
    text += "; " + printable_line(advice, kMaxClauseLength);
  }
  if (!detail.empty()) {
    text += "\n\n" + printable_lines(detail);
  }
  return text;
}

}  // namespace penstock::inline v0
