#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/utf8.hpp"
#include "formats/json.hpp"

namespace penstock {
namespace {

constexpr int kDeepestValue = 32;

void put_utf8(std::string& out, std::uint32_t code) {
  const auto put = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | (code >> 6));
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | (code >> 12));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | (code >> 18));
    put(0x80 | ((code >> 12) & 0x3F));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

class Parser {
 public:
  Parser(std::string_view text, std::uint64_t most) : text_(text), left_(most) {}

  Result<Json> document() {
    PENSTOCK_ASSIGN(Json value, this->value(0));
    skip_space();
    if (at_ != text_.size()) {
      return fail("something follows the value");
    }
    return value;
  }

 private:
  Error fail(const char* what) const {
    return {.kind = ErrorKind::corrupt,
            .message = fmt::format("this is no JSON: {}", what),
            .advice = {},
            .place = {.offset = at_, .stage = "open"}};
  }
  void skip_space() noexcept {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) {
      ++at_;
    }
  }
  bool take(std::string_view token) noexcept {
    if (!text_.substr(at_).starts_with(token)) {
      return false;
    }
    at_ += token.size();
    return true;
  }

  Result<Json> value(int depth) {
    if (depth > kDeepestValue) {
      return fail("it is nested too deeply");
    }
    if (left_-- == 0) {
      return fail("it has too many values");
    }
    skip_space();
    if (at_ == text_.size()) {
      return fail("it ends early");
    }
    switch (text_[at_]) {
      case '{':
        return object(depth);
      case '[':
        return list(depth);
      case '"': {
        PENSTOCK_ASSIGN(std::string text, string());
        return Json(std::move(text));
      }
      default:
        break;
    }
    if (take("true")) {
      return Json(true);
    }
    if (take("false")) {
      return Json(false);
    }
    if (take("null")) {
      return Json();
    }
    return number();
  }

  Result<Json> object(int depth) {
    Json::Members members;
    ++at_;
    skip_space();
    if (take("}")) {
      return Json(std::move(members));
    }
    while (true) {
      skip_space();
      if (at_ == text_.size() || text_[at_] != '"') {
        return fail("a member has no name");
      }
      PENSTOCK_ASSIGN(std::string name, string());
      const bool twice = std::any_of(members.begin(), members.end(),
                                     [&name](const auto& member) { return member.first == name; });
      if (twice || members.size() >= kMostMembers) {
        return fail(twice ? "a member comes twice" : "an object has too many members");
      }
      skip_space();
      if (!take(":")) {
        return fail("a colon is missing");
      }
      PENSTOCK_ASSIGN(Json item, value(depth + 1));
      members.emplace_back(std::move(name), std::move(item));
      skip_space();
      if (take("}")) {
        return Json(std::move(members));
      }
      if (!take(",")) {
        return fail("a comma or the end of an object is missing");
      }
    }
  }

  Result<Json> list(int depth) {
    Json::List items;
    ++at_;
    skip_space();
    if (take("]")) {
      return Json(std::move(items));
    }
    while (true) {
      PENSTOCK_ASSIGN(Json item, value(depth + 1));
      items.push_back(std::move(item));
      skip_space();
      if (take("]")) {
        return Json(std::move(items));
      }
      if (!take(",")) {
        return fail("a comma or the end of a list is missing");
      }
    }
  }

  Result<std::string> string() {
    std::string out;
    ++at_;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return out;
      }
      if (c == '\\') {
        ++at_;
        PENSTOCK_TRY(escape(out));
        continue;
      }
      if (static_cast<unsigned char>(c) < 0x20) {
        return fail("a text holds a control character");
      }
      const std::size_t length = character_size(text_.substr(at_));
      if (length == 0) {
        return fail("a text is not UTF-8");
      }
      out += text_.substr(at_, length);
      at_ += length;
    }
    return fail("a text has no end");
  }

  Status escape(std::string& out) {
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    if (at_ == text_.size()) {
      return fail("a text has no end");
    }
    if (const std::size_t known = kLetters.find(text_[at_]); known != std::string_view::npos) {
      out += kMeanings[known];
      ++at_;
      return {};
    }
    std::optional<std::uint32_t> code = unicode_escape();
    if (!code) {
      return fail("an escape is wrong");
    }
    if (*code >= 0xDC80 && *code <= 0xDCFF) {
      out += static_cast<char>(*code - 0xDC00);
      return {};
    }
    if (*code >= 0xD800 && *code < 0xDC00 && take("\\")) {
      const std::optional<std::uint32_t> low = unicode_escape();
      if (!low || *low < 0xDC00 || *low > 0xDFFF) {
        return fail("an escape is wrong");
      }
      code = 0x10000 + ((*code - 0xD800) << 10) + (*low - 0xDC00);
    }
    if (*code >= 0xD800 && *code <= 0xDFFF) {
      return fail("an escape is wrong");
    }
    put_utf8(out, *code);
    return {};
  }

  /// "uXXXX", behind the backslash.
  std::optional<std::uint32_t> unicode_escape() noexcept {
    const std::string_view part = text_.substr(at_, 5);
    std::uint32_t code = 0;
    if (part.size() != 5 || part[0] != 'u' || part[1] == '-') {
      return {};
    }
    const auto [end, failure] = std::from_chars(part.data() + 1, part.data() + 5, code, 16);
    if (failure != std::errc() || end != part.data() + 5) {
      return {};
    }
    at_ += 5;
    return code;
  }

  Result<Json> number() {
    const std::size_t begin = at_;
    const auto digits = [this] {
      const std::size_t first = at_;
      while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') {
        ++at_;
      }
      return at_ - first;
    };
    take("-");
    const std::size_t integer_begin = at_;
    const std::size_t integer_digits = digits();
    if (integer_digits == 0 || (integer_digits > 1 && text_[integer_begin] == '0')) {
      return fail("a value is expected");
    }
    bool fraction = false;
    if (take(".")) {
      fraction = true;
      if (digits() == 0) {
        return fail("a number is incomplete");
      }
    }
    if (take("e") || take("E")) {
      fraction = true;
      if (!take("+")) {
        take("-");
      }
      if (digits() == 0) {
        return fail("a number is incomplete");
      }
    }
    const std::string_view token = text_.substr(begin, at_ - begin);
    if (!fraction) {
      if (std::uint64_t whole = 0; read(token, whole)) {
        return Json(whole);
      }
      if (std::int64_t whole = 0; read(token, whole)) {
        return Json(whole);
      }
    }
    double value = 0;
    if (!read(token, value) || !std::isfinite(value)) {
      return fail("a number is too large");
    }
    return Json(value);
  }

  template <class T>
  static bool read(std::string_view token, T& value) noexcept {
    const auto [end, failure] = std::from_chars(token.data(), token.data() + token.size(), value);
    return failure == std::errc() && end == token.data() + token.size();
  }

  static constexpr std::size_t kMostMembers = 256;

  std::string_view text_;
  std::uint64_t left_;  // values that may still come
  std::size_t at_ = 0;
};

}  // namespace

Result<Json> Json::parse(std::string_view text, std::uint64_t most) { return Parser(text, most).document(); }

}  // namespace penstock
