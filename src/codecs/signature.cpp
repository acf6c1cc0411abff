#include "codecs/signature.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "codecs/decode_error.hpp"

namespace penstock::inline v0 {
namespace {

std::string_view text_of(ByteSpan file) { return {reinterpret_cast<const char*>(file.data()), file.size()}; }

bool is_markup(ByteSpan file) {
  using namespace std::string_view_literals;
  const std::string_view text = text_of(file).substr(0, 256);
  const std::size_t start = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (start == std::string_view::npos || text[start] != '<') {
    return false;
  }
  constexpr std::array kOpenings = {"<!doctype"sv, "<html"sv, "<head"sv, "<?xml"sv, "<svg"sv, "<body"sv};
  const std::string_view rest = text.substr(start);
  return std::any_of(kOpenings.begin(), kOpenings.end(), [rest](std::string_view opening) {
    return rest.size() >= opening.size() &&
           std::equal(opening.begin(), opening.end(), rest.begin(), [](char a, char b) {
             return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b + 32) : b);
           });
  });
}

/// "ff d8 ff e0": up to eight.
std::string first_bytes(ByteSpan file) {
  std::string text;
  for (const std::uint8_t byte : file.first(std::min<std::size_t>(file.size(), 8))) {
    text += fmt::format("{}{:02x}", text.empty() ? "" : " ", byte);
  }
  return text;
}

}  // namespace

const Signature* signature_of(ByteSpan file, std::span<const Signature> kinds) noexcept {
  const std::string_view text = text_of(file);
  const auto kind = std::find_if(kinds.begin(), kinds.end(), [text](const Signature& known) {
    return text.size() >= known.offset && text.substr(known.offset).starts_with(known.bytes);
  });
  return kind != kinds.end() ? &*kind : nullptr;
}

Error describe_content(ByteSpan file, std::span<const Signature> others, const char* what,
                       const char* known) {
  if (file.empty()) {
    return detail::decode_error(ErrorKind::corrupt, fmt::format("the {} file is empty", what));
  }
  const Signature* const other = signature_of(file, others);
  const char* name = other != nullptr ? other->name : nullptr;
  if (name == nullptr && is_markup(file)) {
    name = "HTML or XML text";
  }
  if (name != nullptr) {
    return detail::decode_error(ErrorKind::unsupported,
                                fmt::format("the content is {}, not {}", name, known));
  }
  return detail::decode_error(
      ErrorKind::corrupt,
      fmt::format("the content is not a known {} format: it begins with {}", what, first_bytes(file)));
}

}  // namespace penstock::inline v0
