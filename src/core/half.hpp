#pragma once
// Numbers of half precision.

#include <bit>
#include <cstdint>

namespace penstock::inline v0 {

/// IEEE half precision, rounded to nearest even.
inline std::uint16_t half_of(float value) {
  const auto all = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = all >> 16 & 0x8000;
  const std::uint32_t bits = all & 0x7fffffff;
  if (bits >= 0x47800000) {  // 65536 and above, infinity, NaN
    return static_cast<std::uint16_t>(sign | (bits > 0x7f800000 ? 0x7e00 : 0x7c00));
  }
  if (bits <
      0x38800000) {  // below 2^-14: the sum has half's smallest step as its last bit, and is rounded to it
    const float sum = std::bit_cast<float>(bits) + 0.5F;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(sum) - 0x3f000000));
  }
  const std::uint32_t rounded = bits + 0xfff + (bits >> 13 & 1) - (std::uint32_t{112} << 23);
  return static_cast<std::uint16_t>(sign | rounded >> 13);
}

}  // namespace penstock::inline v0
