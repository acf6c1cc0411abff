#include "formats/text_syntax.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "core/utf8.hpp"

namespace penstock::inline v0 {
namespace {

/// A form of Unicode whose units are wider than a byte.
struct WideForm {
  std::size_t unit = 0;  ///< bytes; 0: the document is in UTF-8
  bool big_endian = false;
  std::size_t mark = 0;  ///< bytes of the byte order mark
};

/// As Python's json.detect_encoding has it.
WideForm wide_form_of(ByteSpan bytes) {
  const auto begins_with = [bytes](std::initializer_list<std::uint8_t> mark) {
    return bytes.size() >= mark.size() && std::equal(mark.begin(), mark.end(), bytes.begin());
  };
  if (begins_with({0, 0, 0xFE, 0xFF}) || begins_with({0xFF, 0xFE, 0, 0})) {
    return {.unit = 4, .big_endian = bytes[0] == 0, .mark = 4};
  }
  if (begins_with({0xFE, 0xFF}) || begins_with({0xFF, 0xFE})) {
    return {.unit = 2, .big_endian = bytes[0] == 0xFE, .mark = 2};
  }
  if (bytes.size() >= 4) {
    if (bytes[0] == 0) {
      return {.unit = bytes[1] != 0 ? 2u : 4u, .big_endian = true};
    }
    if (bytes[1] == 0) {
      return {.unit = bytes[2] != 0 || bytes[3] != 0 ? 2u : 4u};
    }
  } else if (bytes.size() == 2 && (bytes[0] == 0 || bytes[1] == 0)) {
    return {.unit = 2, .big_endian = bytes[0] == 0};
  }
  return {};
}

/// Writes the document in UTF-8; false if it is none. Surrogates count as characters, whether they are pairs
/// or not: Python takes both, and neither is a mark of JSON.
bool narrow(ByteSpan bytes, const WideForm& form, std::string& out) {
  out.clear();
  bytes = bytes.subspan(form.mark);
  if (bytes.size() % form.unit != 0) {
    return false;
  }
  for (; !bytes.empty(); bytes = bytes.subspan(form.unit)) {
    std::uint32_t character = 0;
    for (std::size_t i = 0; i < form.unit; ++i) {
      character = character << 8 | bytes[form.big_endian ? i : form.unit - 1 - i];
    }
    if (character > 0x10FFFF) {
      return false;
    }
    append_character(out, character);
  }
  return true;
}

}  // namespace

std::string JsonText::byte_in_words(std::size_t position) const {
  return fmt::format("byte {} of the json{}", mark + position, is_copy ? "'s UTF-8 form" : "");
}

std::optional<JsonText> json_text(ByteSpan bytes, std::string& memory) {
  if (const WideForm form = wide_form_of(bytes); form.unit != 0) {
    return narrow(bytes, form, memory) ? std::optional(JsonText{.text = memory, .is_copy = true})
                                       : std::nullopt;
  }
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::size_t mark = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  return JsonText{.text = text.substr(mark), .mark = mark};
}

std::optional<std::string> text_problem(ByteSpan bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t size = character_size(bytes.subspan(at), false);
    if (size == 0) {
      return fmt::format("byte {} is not part of a valid character", at);
    }
    at += size;
  }
  return std::nullopt;
}

std::optional<std::string> json_problem(ByteSpan bytes) {
  std::string memory;
  const std::optional<JsonText> document = json_text(bytes, memory);
  if (!document) {
    return fmt::format("looks like UTF-{} but is not valid", 8 * wide_form_of(bytes).unit);
  }
  JsonReader reader(document->text, kFieldJson);
  while (true) {
    switch (reader.next()) {
      case JsonReader::Token::end:
        return std::nullopt;
      case JsonReader::Token::wrong:
        return fmt::format("{} at {}", reader.problem(), document->byte_in_words(reader.position()));
      default:
        break;
    }
  }
}

}  // namespace penstock::inline v0
