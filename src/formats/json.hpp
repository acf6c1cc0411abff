#pragma once
// JSON values: read strictly, written in one way. For our own small documents, not for data.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "penstock/result.hpp"

namespace penstock::inline v0 {

/// A plain value. Whole numbers of 64 bits keep every digit. Members of an object keep their order.
class Json {
 public:
  using List = std::vector<Json>;
  using Members = std::vector<std::pair<std::string, Json>>;

  // Implicit, so that a document can be written as a list of plain values.
  Json() = default;  ///< null
  Json(bool value) : value_(value) {}
  Json(std::uint64_t value) : value_(value) {}
  Json(std::int64_t value);
  Json(int value) : Json(static_cast<std::int64_t>(value)) {}
  Json(std::uint32_t value) : Json(static_cast<std::uint64_t>(value)) {}
  Json(double value) : value_(value) {}
  Json(std::string value) : value_(std::move(value)) {}
  Json(std::string_view value) : value_(std::string(value)) {}
  Json(const char* value) : value_(std::string(value)) {}
  Json(List value) : value_(std::move(value)) {}
  Json(Members value) : value_(std::move(value)) {}

  /// RFC 8259, nothing before or after the value but white space, no member twice, at most 32 deep; anything
  /// else is `corrupt` with the byte where it happens. Texts are bytes: UTF-8, and \udc80 to \udcff stand for
  /// the bytes 0x80 to 0xff, as in Python's surrogateescape. More values than `max_values`, each of
  /// which takes many times its two bytes of text, are `corrupt` as well.
  static Result<Json> parse(std::string_view text,
                            std::uint64_t max_values = std::numeric_limits<std::uint64_t>::max());
  /// One line if `indent` is 0; else lists and objects that hold others are broken into lines.
  std::string text(int indent = 0) const;

  bool is_null() const noexcept { return std::holds_alternative<std::monostate>(value_); }
  /// Nothing if the value is of another kind.
  std::optional<std::uint64_t> whole() const noexcept;
  /// Of any number.
  std::optional<double> number() const noexcept;
  bool is_fraction() const noexcept { return std::holds_alternative<double>(value_); }
  const bool* boolean() const noexcept { return std::get_if<bool>(&value_); }
  const std::int64_t* negative() const noexcept { return std::get_if<std::int64_t>(&value_); }
  const std::string* string() const noexcept { return std::get_if<std::string>(&value_); }
  const List* list() const noexcept { return std::get_if<List>(&value_); }
  const Members* members() const noexcept { return std::get_if<Members>(&value_); }
  /// The member of an object; null if there is none.
  const Json* find(std::string_view name) const noexcept;

 private:
  void write(std::string& out, int indent, int depth) const;
  bool holds_others() const noexcept;

  std::variant<std::monostate, bool, std::uint64_t, std::int64_t, double, std::string, List, Members> value_;
};

}  // namespace penstock::inline v0
