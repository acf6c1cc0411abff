#pragma once
// Small text helpers of the formats. ASCII only, no locale.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/printable.hpp"

namespace penstock::inline v0 {

/// Digits only, at least one, below 2^64.
std::optional<std::uint64_t> parse_decimal(std::string_view text) noexcept;
/// Decimal with an optional sign and white space around it, as Python's int() takes it (without underscores).
std::optional<std::int64_t> parse_integer(std::string_view text) noexcept;
/// Whether the text is what parse_integer() takes, except that it may be too large or small for 64 bits.
bool is_integer(std::string_view text) noexcept;
/// Decimal with an optional sign, white space around it, point and exponent, or nan, inf and infinity, as
/// Python's float() takes it (without underscores): what is too large is infinite, what is too small is 0.
std::optional<double> parse_real(std::string_view text);
std::string lower_case(std::string_view text);

}  // namespace penstock::inline v0
