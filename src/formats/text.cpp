#include "formats/text.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace penstock::inline v0 {
namespace {

template <class T>
std::optional<T> whole_number(std::string_view digits) noexcept {
  T value = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (failure != std::errc() || end != digits.data() + digits.size()) {
    return {};
  }
  return value;
}

/// Without white space around it and a plus sign.
std::string_view bare_number(std::string_view text) noexcept {
  constexpr auto is_space = [](char c) { return c == ' ' || ('\t' <= c && c <= '\r'); };
  while (!text.empty() && is_space(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_space(text.back())) {
    text.remove_suffix(1);
  }
  if (text.starts_with('+') && !text.starts_with("+-")) {
    text.remove_prefix(1);
  }
  return text;
}

}  // namespace

std::optional<std::uint64_t> parse_decimal(std::string_view text) noexcept {
  return whole_number<std::uint64_t>(text);
}

std::optional<std::int64_t> parse_integer(std::string_view text) noexcept {
  return whole_number<std::int64_t>(bare_number(text));
}

bool is_integer(std::string_view text) noexcept {
  std::string_view digits = bare_number(text);
  digits.remove_prefix(digits.starts_with('-') ? 1 : 0);
  return !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
}

std::optional<double> parse_real(std::string_view text) {
  const std::string_view number = bare_number(text);
  double value = 0;
  const auto [end, failure] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (end != number.data() + number.size() || failure == std::errc::invalid_argument) {
    return {};
  }
  // from_chars() does not say on which side of the range it is.
  return failure == std::errc() ? value : std::strtod(std::string(number).c_str(), nullptr);
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return lower;
}

}  // namespace penstock::inline v0
