#pragma once
// JSON from front to back, a mark or a value at a time: for documents of any size, in memory that depends on
// their depth alone. The one place that knows the grammar.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/result.hpp"

namespace penstock::inline v0 {

/// Digits of an integer that Python reads, unless sys.set_int_max_str_digits() says otherwise.
inline constexpr std::size_t kMaxIntegerDigits = 4300;

/// What a document may hold. The defaults are RFC 8259.
struct JsonRules {
  std::size_t max_depth = 32;  ///< lists and objects inside each other that hold something
  std::uint64_t max_values = std::numeric_limits<std::uint64_t>::max();
  /// What Python's json.loads takes: NaN, Infinity, -Infinity and surrogates without the other half as well,
  /// but no integer of more than kMaxIntegerDigits digits.
  bool like_python = false;
};

/// `text` must outlive it. One thread.
class JsonReader {
 public:
  enum class Token : std::uint8_t {
    wrong,  ///< the text is no such JSON, from here on: error() says why
    null,
    boolean,
    number,
    text,
    name,  ///< of the member whose value comes next
    begin_list,
    end_list,
    begin_object,
    end_object,
    end,  ///< of the document
  };

  explicit JsonReader(std::string_view text, const JsonRules& rules = {}) : text_(text), rules_(rules) {}

  /// From the front of another text, by the same rules, in the memory that is there already.
  void restart(std::string_view text) noexcept;

  Token next();

  /// The token as it is written, but for the quotes of a name or text.
  std::string_view written() const noexcept { return text_.substr(begin_, end_ - begin_); }
  /// A name or text without escapes. \udc80 to \udcff stand for the bytes 0x80 to 0xff, as in Python's
  /// surrogateescape, or, if Python's JSON is read, for themselves, as other surrogates that stand alone do.
  std::string unescaped() const {
    std::string out;
    unescape(out);
    return out;
  }
  /// The same, in place of what `out` holds.
  void unescape(std::string& out) const;
  /// Where the value, list or object begins that was read or begun last.
  std::size_t begin() const noexcept { return value_begin_; }
  /// Where the reader is: behind the token, or where the text goes wrong.
  std::size_t position() const noexcept { return at_; }
  /// What is wrong: "a colon is missing".
  const char* problem() const noexcept { return problem_; }
  /// As an error of kind `corrupt`, with its place.
  Error error() const { return error(problem_); }
  /// For what the user of the reader finds wrong at the token.
  Error error(const char* problem) const;

 private:
  enum class Expected : std::uint8_t { value, first_item, first_member, rest };

  Token fail(const char* problem) noexcept {
    problem_ = problem;
    return Token::wrong;
  }
  Token value();
  Token name();
  Token number();
  Token open(char bracket, Expected expected, Token token);
  Token close();
  /// To the end of a string, whose first quote has been read; what is wrong with it, or nothing.
  const char* string();
  bool escape() noexcept;
  bool unit(std::uint32_t& code) noexcept;
  std::size_t digits() noexcept;
  void skip_space() noexcept;
  bool next_is(char letter) const noexcept { return at_ < text_.size() && text_[at_] == letter; }
  bool take(char letter) noexcept;
  bool take(std::string_view word) noexcept;

  std::string_view text_;
  JsonRules rules_;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;  // of the token, without a quote
  std::size_t end_ = 0;
  std::size_t value_begin_ = 0;
  std::string open_;  // brackets
  Expected expected_ = Expected::value;
  std::uint64_t values_ = 0;
  const char* problem_ = "";
};

}  // namespace penstock::inline v0
