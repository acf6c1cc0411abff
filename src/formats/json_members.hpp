#pragma once
// Members of an object that a document must have, each of its kind.

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>

#include "formats/json.hpp"

namespace penstock::inline v0 {

/// Reads members of one object; the first that is wrong is remembered.
class JsonMembers {
 public:
  explicit JsonMembers(const Json& object) : object_(object) {}

  std::uint64_t whole(const char* name) {
    const auto number = get(name).whole();
    return number ? *number : wrong(name), number.value_or(0);
  }
  std::optional<std::uint64_t> optional_whole(const char* name) {
    const Json& value = get(name);
    if (value.is_null()) {
      return {};
    }
    return whole(name);
  }
  std::string text(const char* name) {
    const std::string* const value = get(name).string();
    return value != nullptr ? *value : wrong_text(name);
  }
  std::uint32_t checksum(const char* name) {
    const std::string digits = text(name);
    std::uint32_t value = 0;
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (digits.size() != 8 || failure != std::errc() || end != digits.data() + 8) {
      wrong(name);
    }
    return value;
  }
  template <class Read>
  void list(const char* name, Read&& read) {
    const Json::List* const items = get(name).list();
    if (items == nullptr) {
      wrong(name);
      return;
    }
    for (const Json& item : *items) {
      read(item);
    }
  }
  const Json& get(const char* name) {
    static const Json kNull;
    const Json* const found = object_.find(name);
    if (found == nullptr) {
      wrong(name);
    }
    return found != nullptr ? *found : kNull;
  }
  std::uint64_t wrong(const char* name) {
    if (problem_.empty()) {
      problem_ = name;
    }
    return 0;
  }
  /// Joins what went wrong in an object inside this one.
  void join(const JsonMembers& inner) {
    if (problem_.empty()) {
      problem_ = inner.problem_;
    }
  }
  const std::string& problem() const noexcept { return problem_; }

 private:
  std::string wrong_text(const char* name) {
    wrong(name);
    return {};
  }

  const Json& object_;
  std::string problem_;
};

}  // namespace penstock::inline v0
