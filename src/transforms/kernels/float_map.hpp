#pragma once
// What 8-bit values become as float32: a table for each channel, and where possible arithmetic that gives the
// same bits.

#include <array>
#include <cstdint>

namespace penstock::inline v0 {

/// What a list of operations makes of the 8-bit values. Starts as value / 255.
struct FloatTable {
  std::array<std::array<float, 256>, 3> values{};
  /// (value / 255 - mean) / std describes `values`, if `simple`.
  std::array<float, 3> mean{};
  std::array<float, 3> std = {1.0F, 1.0F, 1.0F};
  bool simple = true;

  FloatTable();
};

/// Made once from a table; then read-only.
struct FloatMap {
  enum class Method : std::uint8_t {
    divide,    ///< the description as it stands; equal to the table
    multiply,  ///< division replaced by multiplication with two-part reciprocals, fused multiply-add; equal
               ///< too
    doubled,   ///< as multiply, but x / 255 is (257 * x) / 65535, whose reciprocal is nearly a float: one
               ///< operation; equal too
    lookup     ///< only the table is right
  };

  FloatTable table;
  Method method = Method::lookup;
  float inverse_255[2] = {};  ///< high and low part
  /// x / 255 = fma(257 * x, inverse_65535, tie_breaker): the product alone ends in a tie for powers of two.
  static constexpr float inverse_65535 = 0x1.0001p-16F;
  static constexpr float tie_breaker = 0x1p-34F;
  std::array<std::array<float, 2>, 3> inverse_std{};

  FloatMap() = default;
  /// Tries each method on all values and keeps the fastest that agrees with the table to the bit.
  explicit FloatMap(const FloatTable& table);
};

}  // namespace penstock::inline v0
