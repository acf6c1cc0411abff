#pragma once
// Parameters that a caller must give.

#include "transforms/param_codec.hpp"

namespace penstock::inline v0 {

/// A number that must be given.
struct RequiredNumber {
  double value = std::numeric_limits<double>::quiet_NaN();

  bool operator==(const RequiredNumber&) const = default;
};
template <>
struct ParamCodec<RequiredNumber> {
  static constexpr std::string_view kType = "float";
  static ParamValue to_value(const RequiredNumber& number) { return number.value; }
  static bool from_value(const ParamValue& value, RequiredNumber& out) {
    return detail::as_double(value, out.value);
  }
  static bool missing(const RequiredNumber& number) { return std::isnan(number.value); }
};

/// Zero as the default means that there is none.
/// A whole number that must be given.
struct RequiredInt {
  static constexpr int kNone = std::numeric_limits<int>::min();
  int value = kNone;

  bool operator==(const RequiredInt&) const = default;
};
template <>
struct ParamCodec<RequiredInt> {
  static constexpr std::string_view kType = "int";
  static ParamValue to_value(const RequiredInt& number) { return std::int64_t{number.value}; }
  static bool from_value(const ParamValue& value, RequiredInt& out) {
    return detail::as_int(value, out.value);
  }
  static bool missing(const RequiredInt& number) { return number.value == RequiredInt::kNone; }
};

}  // namespace penstock::inline v0
