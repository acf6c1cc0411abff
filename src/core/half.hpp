#pragma once
// Numbers of 16 bits.

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

/// bfloat16, the upper half of a float32, rounded to nearest even as torch does it.
inline std::uint16_t bfloat_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000) {  // NaN
    return 0x7fc0;
  }
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

}  // namespace penstock::inline v0
