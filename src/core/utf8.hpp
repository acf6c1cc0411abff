#pragma once
// UTF-8, one character at a time (RFC 3629).

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "penstock/sample.hpp"

namespace penstock::inline v0 {

/// Bytes of the character at the start of `rest`, which is not empty; 0 if there is none. Surrogates are no
/// characters unless asked for: Python's JSON reader takes them, its text decoder does not.
inline std::size_t character_size(ByteSpan rest, bool surrogates = false) noexcept {
  const std::uint8_t first = rest[0];
  if (first < 0x80) {
    return 1;
  }
  const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || rest.size() < size) {
    return 0;
  }
  for (std::size_t i = 1; i < size; ++i) {
    if ((rest[i] & 0xC0) != 0x80) {
      return 0;
    }
  }
  const std::uint8_t second = rest[1];
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool too_large = first == 0xF4 && second > 0x8F;
  const bool surrogate = first == 0xED && second > 0x9F && !surrogates;
  return overlong || too_large || surrogate ? 0 : size;
}

inline std::size_t character_size(std::string_view rest, bool surrogates = false) noexcept {
  return character_size(ByteSpan(reinterpret_cast<const std::uint8_t*>(rest.data()), rest.size()),
                        surrogates);
}

/// The number of a character, which is whole.
inline std::uint32_t character_code(std::string_view character) noexcept {
  const auto first = static_cast<std::uint8_t>(character[0]);
  const std::uint32_t mask = first < 0x80 ? 0x7F : first < 0xE0 ? 0x1F : first < 0xF0 ? 0x0F : 0x07;
  std::uint32_t code = first & mask;
  for (std::size_t i = 1; i < character.size(); ++i) {
    code = code << 6 | (static_cast<std::uint8_t>(character[i]) & 0x3Fu);
  }
  return code;
}

/// Appends the character of that number, at most 0x10FFFF; a surrogate as if it were one.
inline void append_character(std::string& out, std::uint32_t code) {
  const auto put = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
  const auto put_rest = [&](int shift) { put(0x80 | ((code >> shift) & 0x3F)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put_rest(0);
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put_rest(6);
    put_rest(0);
  } else {
    put(0xF0 | code >> 18);
    put_rest(12);
    put_rest(6);
    put_rest(0);
  }
}

}  // namespace penstock::inline v0
