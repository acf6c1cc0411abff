#include "formats/json_reader.hpp"

#include <fmt/format.h>

#include <charconv>

#include "core/utf8.hpp"

namespace penstock::inline v0 {
namespace {

constexpr std::string_view kEscapes = "\"\\/bfnrt";
constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
constexpr std::size_t kUnitDigits = 4;

bool is_digit(char letter) noexcept { return letter >= '0' && letter <= '9'; }
bool is_high(std::uint32_t unit) noexcept { return unit >= 0xD800 && unit < 0xDC00; }
bool is_low(std::uint32_t unit) noexcept { return unit >= 0xDC00 && unit < 0xE000; }
/// Stands for a byte that is no part of a character.
bool is_byte(std::uint32_t unit) noexcept { return unit >= 0xDC80 && unit <= 0xDCFF; }

/// The unit of UTF-16 that "XXXX" at the start of `text` stands for; false if it does not.
bool read_unit(std::string_view text, std::uint32_t& unit) noexcept {
  if (text.size() < kUnitDigits) {
    return false;
  }
  const char* const end = text.data() + kUnitDigits;
  return text[0] != '-' && std::from_chars(text.data(), end, unit, 16).ptr == end;
}

}  // namespace

Error JsonReader::error(const char* problem) const {
  return {.kind = ErrorKind::corrupt,
          .message = fmt::format("not valid JSON: {}", problem),
          .advice = {},
          .place = {.offset = at_, .stage = "open"}};
}

void JsonReader::restart(std::string_view text) noexcept {
  text_ = text;
  at_ = begin_ = end_ = value_begin_ = 0;
  open_.clear();
  expected_ = Expected::value;
  values_ = 0;
  problem_ = "";
}

void JsonReader::skip_space() noexcept {
  while (next_is(' ') || next_is('\n') || next_is('\r') || next_is('\t')) {
    ++at_;
  }
}

bool JsonReader::take(char letter) noexcept {
  const bool there = next_is(letter);
  at_ += there ? 1 : 0;
  return there;
}

bool JsonReader::take(std::string_view word) noexcept {
  const bool there = text_.substr(at_).starts_with(word);
  at_ += there ? word.size() : 0;
  return there;
}

JsonReader::Token JsonReader::next() {
  if (*problem_ != '\0') {
    return Token::wrong;
  }
  switch (expected_) {
    case Expected::value:
      return value();
    case Expected::first_item:
    case Expected::first_member:
      skip_space();
      if (next_is(open_.back() == '[' ? ']' : '}')) {
        return close();
      }
      if (open_.size() > rules_.max_depth) {
        return fail("it is nested too deeply");
      }
      return open_.back() == '[' ? value() : name();
    case Expected::rest:
      break;
  }
  skip_space();
  if (open_.empty()) {
    return at_ == text_.size() ? Token::end : fail("unexpected data after the value");
  }
  const bool in_list = open_.back() == '[';
  if (next_is(in_list ? ']' : '}')) {
    return close();
  }
  if (!take(',')) {
    return fail(in_list ? "expected a comma or the end of the list"
                        : "expected a comma or the end of the object");
  }
  return in_list ? value() : name();
}

JsonReader::Token JsonReader::open(char bracket, Expected expected, Token token) {
  ++at_;
  open_ += bracket;
  expected_ = expected;
  return token;
}

JsonReader::Token JsonReader::close() {
  ++at_;
  const bool in_list = open_.back() == '[';
  open_.pop_back();
  expected_ = Expected::rest;
  return in_list ? Token::end_list : Token::end_object;
}

JsonReader::Token JsonReader::name() {
  skip_space();
  if (!take('"')) {
    return fail("expected the name of a member");
  }
  if (const char* const problem = string()) {
    return fail(problem);
  }
  skip_space();
  if (!take(':')) {
    return fail("expected a colon");
  }
  expected_ = Expected::value;
  return Token::name;
}

JsonReader::Token JsonReader::value() {
  if (values_++ == rules_.max_values) {
    return fail("it has too many values");
  }
  skip_space();
  if (at_ == text_.size()) {
    return fail("it ends unexpectedly");
  }
  expected_ = Expected::rest;
  begin_ = value_begin_ = at_;
  const auto word = [this](std::string_view letters, Token token) {
    const bool there = take(letters);
    end_ = at_;
    return there ? token : fail("expected a value");
  };
  switch (text_[at_]) {
    case '{':
      return open('{', Expected::first_member, Token::begin_object);
    case '[':
      return open('[', Expected::first_item, Token::begin_list);
    case '"': {
      ++at_;
      const char* const problem = string();
      return problem == nullptr ? Token::text : fail(problem);
    }
    case 't':
      return word("true", Token::boolean);
    case 'f':
      return word("false", Token::boolean);
    case 'n':
      return word("null", Token::null);
    default:
      break;
  }
  if (rules_.like_python && (take("NaN") || take("Infinity") || take("-Infinity"))) {
    end_ = at_;
    return Token::number;
  }
  return number();
}

const char* JsonReader::string() {
  begin_ = at_;
  while (at_ < text_.size()) {
    const char letter = text_[at_];
    if (letter == '"') {
      end_ = at_++;
      return nullptr;
    }
    if (letter == '\\') {
      if (!escape()) {
        return at_ < text_.size() ? "invalid escape sequence" : "unterminated string";
      }
      continue;
    }
    if (static_cast<unsigned char>(letter) < 0x20) {
      return "a string contains a control character";
    }
    const std::size_t size = character_size(text_.substr(at_), rules_.like_python);
    if (size == 0) {
      return "a string is not valid UTF-8";
    }
    at_ += size;
  }
  return "unterminated string";
}

/// Behind the escape at the position, which begins with a backslash; false if it is wrong.
bool JsonReader::escape() noexcept {
  ++at_;
  if (at_ == text_.size()) {
    return false;
  }
  if (!take('u')) {
    return kEscapes.find(text_[at_++]) != std::string_view::npos;
  }
  std::uint32_t code = 0;
  if (!unit(code)) {
    return false;
  }
  if (rules_.like_python || is_byte(code) || !(is_high(code) || is_low(code))) {
    return true;
  }
  std::uint32_t low = 0;
  return is_high(code) && take("\\u") && unit(low) && is_low(low);
}

bool JsonReader::unit(std::uint32_t& code) noexcept {
  const bool there = read_unit(text_.substr(at_), code);
  at_ += there ? kUnitDigits : 0;
  return there;
}

std::size_t JsonReader::digits() noexcept {
  const std::size_t first = at_;
  while (at_ < text_.size() && is_digit(text_[at_])) {
    ++at_;
  }
  return at_ - first;
}

JsonReader::Token JsonReader::number() {
  take('-');
  const std::size_t whole = take('0') ? 1 : digits();
  if (whole == 0) {
    return fail("expected a value");
  }
  bool is_integer = true;
  if (take('.')) {
    is_integer = false;
    if (digits() == 0) {
      return fail("incomplete number");
    }
  }
  if (take('e') || take('E')) {
    is_integer = false;
    if (!take('+')) {
      take('-');
    }
    if (digits() == 0) {
      return fail("incomplete number");
    }
  }
  if (rules_.like_python && is_integer && whole > kMaxIntegerDigits) {
    return fail("an integer has too many digits");
  }
  end_ = at_;
  return Token::number;
}

void JsonReader::unescape(std::string& out) const {
  const std::string_view from = written();
  out.clear();
  for (std::size_t at = 0; at < from.size();) {
    const std::size_t plain = std::min(from.find('\\', at), from.size());
    out += from.substr(at, plain - at);
    if (plain == from.size()) {
      break;
    }
    at = plain + 2;
    if (from[plain + 1] != 'u') {
      out += kMeanings[kEscapes.find(from[plain + 1])];
      continue;
    }
    std::uint32_t code = 0;
    std::uint32_t low = 0;
    read_unit(from.substr(at), code);
    at += kUnitDigits;
    if (is_high(code) && from.substr(at).starts_with("\\u") && read_unit(from.substr(at + 2), low) &&
        is_low(low)) {
      at += 2 + kUnitDigits;
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    if (is_byte(code) && !rules_.like_python) {
      out += static_cast<char>(code - 0xDC00);
    } else {
      append_character(out, code);
    }
  }
}

}  // namespace penstock::inline v0
