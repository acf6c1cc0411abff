#include "penstock/result.hpp"

#include <fmt/format.h>

#include "penstock/sample.hpp"

namespace penstock {

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
  std::string text;
  const auto part = [&text](std::string piece) { text += (text.empty() ? "" : ", ") + std::move(piece); };
  if (!place.shard.empty()) {
    part(place.shard);
  } else if (!place.source.empty()) {
    part(place.source);
  }
  if (place.index) {
    part(place.key.empty() ? fmt::format("sample {}", *place.index)
                           : fmt::format("sample {} ({})", *place.index, place.key));
  } else if (!place.key.empty()) {
    part(fmt::format("sample {}", place.key));
  }
  if (place.offset) {
    part(fmt::format("byte {}", *place.offset));
  }
  text += (text.empty() ? "" : ": ") + message;
  if (!advice.empty()) {
    text += "; " + advice;
  }
  if (!detail.empty()) {
    text += "\n\n" + detail;
  }
  return text;
}

}  // namespace penstock
