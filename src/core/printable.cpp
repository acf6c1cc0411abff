#include "core/printable.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/utf8.hpp"

namespace penstock::inline v0 {
namespace {

std::string escaped(std::uint32_t code) {
  switch (code) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    case '\\':
      return "\\\\";
    default:
      return code < 0x80 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{:04x}", code);
  }
}

/// `kept`: characters that stay although they are not harmless, or a backslash.
void append(std::string& shown, std::string_view text, std::string_view kept) {
  while (!text.empty()) {
    const std::size_t size = character_size(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(size, 1));
    if (size == 0) {
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    } else if ((character != "\\" && is_harmless(character_code(character))) ||
               kept.find(character) != std::string_view::npos) {
      shown += character;
    } else {
      shown += escaped(character_code(character));
    }
    text.remove_prefix(character.size());
  }
}

bool continues_character(char byte) noexcept { return (static_cast<unsigned char>(byte) & 0xC0u) == 0x80u; }

constexpr std::size_t kMaxContinuations = 3;

/// `at`, or up to three bytes earlier, where a character begins. If none begins there, it is not UTF-8.
std::size_t begin_of_character(std::string_view text, std::size_t at) noexcept {
  for (std::size_t back = 0; at < text.size() && back <= std::min(kMaxContinuations, at); ++back) {
    if (!continues_character(text[at - back])) {
      return at - back;
    }
  }
  return at;
}

std::string shortened(std::string_view text, std::size_t longest, std::string_view kept) {
  std::string shown;
  if (text.size() <= longest) {
    append(shown, text, kept);
    return shown;
  }
  append(shown, text.substr(0, begin_of_character(text, (longest + 1) / 2)), kept);
  shown += "...";
  append(shown, text.substr(begin_of_character(text, text.size() - longest / 2)), kept);
  return shown;
}

}  // namespace

bool is_harmless(std::uint32_t code) noexcept {
  const auto within = [code](std::uint32_t first, std::uint32_t last) {
    return code >= first && code <= last;
  };
  return !(code < 0x20 || within(0x7F, 0x9F) || code == 0x061C || within(0x200E, 0x200F) ||
           within(0x2028, 0x202E) || within(0x2066, 0x2069));
}

std::string printable(std::string_view name, std::size_t longest) { return shortened(name, longest, ""); }

std::string printable_path(std::string_view path) {
  constexpr std::size_t kMaxLength = 1000;
  return printable(path, kMaxLength);
}

std::string printable_line(std::string_view line, std::size_t longest) {
  return shortened(line, longest, "\\");
}

std::string printable_lines(std::string_view text) {
  std::string shown;
  append(shown, text, "\n\t\\");
  return shown;
}

}  // namespace penstock::inline v0
