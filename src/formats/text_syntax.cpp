#include "formats/text_syntax.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "core/utf8.hpp"

namespace penstock {
namespace {

/// One pass with a stack of open brackets; the position says where it stopped.
class JsonScan {
 public:
  explicit JsonScan(ByteSpan bytes) : bytes_(bytes) {}

  std::optional<std::string> run() {
    while (true) {
      skip_space();
      if (!value()) {
        return problem();
      }
      if (opened_) {
        continue;
      }
      if (!after_value()) {
        return problem();
      }
      if (open_.empty()) {
        break;
      }
    }
    skip_space();
    return at_end() ? std::nullopt : std::optional(fail("more than one value"));
  }

 private:
  bool at_end() const noexcept { return at_ == bytes_.size(); }
  bool next_is(char letter) const noexcept {
    return !at_end() && bytes_[at_] == static_cast<std::uint8_t>(letter);
  }
  bool take(char letter) noexcept {
    const bool there = next_is(letter);
    at_ += there ? 1 : 0;
    return there;
  }
  bool take(std::string_view word) noexcept {
    const ByteSpan rest = bytes_.subspan(at_);
    const bool there = rest.size() >= word.size() && std::equal(word.begin(), word.end(), rest.begin());
    at_ += there ? word.size() : 0;
    return there;
  }
  void skip_space() noexcept {
    while (next_is(' ') || next_is('\t') || next_is('\n') || next_is('\r')) {
      ++at_;
    }
  }
  std::string fail(std::string_view what) const { return fmt::format("{} at byte {}", what, at_); }
  std::string problem() const {
    return fail(too_deep_   ? "nested too deeply"
                : too_long_ ? "an integer of too many digits ends"
                            : "a value or mark is missing or wrong");
  }

  /// A value, or the opening of a list or object whose first value comes next (opened_).
  bool value() {
    opened_ = false;
    if (take('[')) {
      skip_space();
      return take(']') || open('[');
    }
    if (take('{')) {
      skip_space();
      return take('}') || (open('{') && name());
    }
    if (next_is('"')) {
      return text();
    }
    return take("true") || take("false") || take("null") || take("NaN") || take("Infinity") ||
           take("-Infinity") || number();
  }
  bool open(char bracket) {
    too_deep_ = open_.size() == kDeepestJson;
    open_.push_back(bracket);
    opened_ = true;
    return !too_deep_;
  }
  bool name() {
    skip_space();
    if (!text()) {
      return false;
    }
    skip_space();
    return take(':');
  }
  /// Commas and closing brackets up to where the next value begins.
  bool after_value() {
    while (!open_.empty()) {
      skip_space();
      if (take(',')) {
        return open_.back() == '[' || name();
      }
      if (!take(open_.back() == '[' ? ']' : '}')) {
        return false;
      }
      open_.pop_back();
    }
    return true;
  }
  bool text() {
    if (!take('"')) {
      return false;
    }
    while (!at_end()) {
      const std::uint8_t letter = bytes_[at_];
      if (letter == '"') {
        ++at_;
        return true;
      }
      if (letter == '\\') {
        ++at_;
        if (!escape()) {
          return false;
        }
        continue;
      }
      const std::size_t size = letter < 0x20 ? 0 : character_size(bytes_.subspan(at_), true);
      if (size == 0) {
        return false;
      }
      at_ += size;
    }
    return false;
  }
  bool escape() {
    if (at_end()) {
      return false;
    }
    const std::uint8_t letter = bytes_[at_++];
    if (letter != 'u') {
      return std::string_view("\"\\/bfnrt").find(static_cast<char>(letter)) != std::string_view::npos;
    }
    for (int digit = 0; digit < 4; ++digit) {
      if (at_end() || !is_hex(bytes_[at_])) {
        return false;
      }
      ++at_;
    }
    return true;
  }
  static bool is_digit(std::uint8_t letter) noexcept { return letter >= '0' && letter <= '9'; }
  static bool is_hex(std::uint8_t letter) noexcept {
    return is_digit(letter) || (letter >= 'a' && letter <= 'f') || (letter >= 'A' && letter <= 'F');
  }
  /// How many there were.
  std::size_t digits() {
    const std::size_t start = at_;
    while (!at_end() && is_digit(bytes_[at_])) {
      ++at_;
    }
    return at_ - start;
  }
  bool number() {
    take('-');
    const std::size_t whole = take('0') ? 1 : digits();
    if (whole == 0) {
      return false;
    }
    bool is_integer = true;
    if (take('.')) {
      is_integer = false;
      if (digits() == 0) {
        return false;
      }
    }
    if (take('e') || take('E')) {
      is_integer = false;
      take('+') || take('-');
      if (digits() == 0) {
        return false;
      }
    }
    too_long_ = is_integer && whole > kLongestInteger;
    return !too_long_;
  }

  const ByteSpan bytes_;
  std::size_t at_ = 0;
  std::vector<char> open_;
  bool opened_ = false;
  bool too_deep_ = false;
  bool too_long_ = false;
};

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

/// The document in UTF-8, or nothing if it is none. Surrogates count as characters, whether they are pairs
/// or not: Python takes both, and neither is a mark of JSON.
std::optional<std::vector<std::uint8_t>> narrowed(ByteSpan bytes, const WideForm& form) {
  bytes = bytes.subspan(form.mark);
  if (bytes.size() % form.unit != 0) {
    return std::nullopt;
  }
  std::vector<std::uint8_t> narrow;
  narrow.reserve(bytes.size());
  for (; !bytes.empty(); bytes = bytes.subspan(form.unit)) {
    std::uint32_t character = 0;
    for (std::size_t i = 0; i < form.unit; ++i) {
      character = character << 8 | bytes[form.big_endian ? i : form.unit - 1 - i];
    }
    if (character > 0x10FFFF) {
      return std::nullopt;
    }
    const auto add = [&narrow](std::uint32_t byte) { narrow.push_back(static_cast<std::uint8_t>(byte)); };
    const auto add_rest = [&](int shift) { add(0x80 | ((character >> shift) & 0x3F)); };
    if (character < 0x80) {
      add(character);
    } else if (character < 0x800) {
      add(0xC0 | character >> 6);
      add_rest(0);
    } else if (character < 0x10000) {
      add(0xE0 | character >> 12);
      add_rest(6);
      add_rest(0);
    } else {
      add(0xF0 | character >> 18);
      add_rest(12);
      add_rest(6);
      add_rest(0);
    }
  }
  return narrow;
}

}  // namespace

std::optional<std::string> text_problem(ByteSpan bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t size = character_size(bytes.subspan(at), false);
    if (size == 0) {
      return fmt::format("byte {} is no part of a character", at);
    }
    at += size;
  }
  return std::nullopt;
}

std::optional<std::string> json_problem(ByteSpan bytes) {
  if (const WideForm form = wide_form_of(bytes); form.unit != 0) {
    const auto narrow = narrowed(bytes, form);
    if (!narrow) {
      return fmt::format("looks like UTF-{} and is none", 8 * form.unit);
    }
    auto problem = JsonScan(*narrow).run();
    return problem ? std::optional(*problem + " of its UTF-8 form") : std::nullopt;
  }
  const bool marked = bytes.size() >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF;
  return JsonScan(bytes.subspan(marked ? 3 : 0)).run();
}

}  // namespace penstock
