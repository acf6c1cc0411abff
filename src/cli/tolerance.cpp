#include "cli/tolerance.hpp"

#include <fmt/format.h>

#include <charconv>

namespace penstock::cli {

std::optional<Tolerance> tolerance_of(const std::string& text) {
  Tolerance tolerance;
  const char* const end = text.data() + text.size();
  const auto read = [&](auto& number) {
    const auto [stopped, failure] = std::from_chars(text.data(), end, number);
    return failure == std::errc() && stopped == end;
  };
  if (text.empty() || text.find_first_not_of("0123456789.") != std::string::npos) {
    return {};
  }
  if (text.find('.') == std::string::npos) {
    return read(tolerance.count.emplace()) ? std::optional(tolerance) : std::nullopt;
  }
  const bool fits = read(tolerance.share.emplace()) && *tolerance.share <= 1;
  return fits ? std::optional(tolerance) : std::nullopt;
}

std::string check_max_errors(const std::string& text) {
  return tolerance_of(text) ? "" : fmt::format("must be a count (100) or a share (0.01), got '{}'", text);
}

}  // namespace penstock::cli
