#pragma once
// What 8-bit values become as float32: a table for each channel, and where possible arithmetic that gives the
// same bits.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace penstock::inline v0 {

/// What a list of operations makes of the values. Starts as value / 255, or value / 65535 for 16 bits.
struct FloatTable {
  static constexpr std::size_t kChannels = 4;  ///< images with fewer use the first
  struct Shift {
    std::array<float, kChannels> mean{};
    std::array<float, kChannels> std{};
  };

  std::array<std::array<float, 256>, kChannels> values{};
  /// (value / 255 - mean) / std describes `values`, if `simple`.
  std::array<float, kChannels> mean{};
  std::array<float, kChannels> std = {1.0F, 1.0F, 1.0F, 1.0F};
  bool simple = true;
  std::vector<Shift> shifts;  ///< one after the other, what makes `values`

  FloatTable();
  /// Subtracts, then divides.
  void shift(const Shift& by);
  /// What a 16-bit value becomes.
  float of_16_bits(std::uint16_t value, std::size_t channel) const noexcept {
    float result = static_cast<float>(value) / 65535.0F;
    for (const Shift& by : shifts) {
      result = (result - by.mean[channel]) / by.std[channel];
    }
    return result;
  }
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
  std::array<std::array<float, 2>, FloatTable::kChannels> inverse_std{};

  FloatMap() = default;
  /// Tries each method on all values and keeps the fastest that agrees with the table to the bit.
  explicit FloatMap(const FloatTable& table);
};

}  // namespace penstock::inline v0
