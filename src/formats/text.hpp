#pragma once
// Small text helpers of the formats. ASCII only, no locale.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace penstock {

/// Digits only, at least one, below 2^64.
std::optional<std::uint64_t> parse_decimal(std::string_view text) noexcept;
/// Decimal with an optional sign and white space around it, as Python's int() takes it (without underscores).
std::optional<std::int64_t> parse_integer(std::string_view text) noexcept;
std::string lower_case(std::string_view text);
/// For messages: at most 120 bytes, control characters replaced by '?'.
std::string printable(std::string_view text);

}  // namespace penstock
