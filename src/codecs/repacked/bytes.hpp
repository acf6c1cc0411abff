#pragma once
// Little-endian numbers in memory of any alignment.

#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

namespace penstock::inline v0::detail {

static_assert(std::endian::native == std::endian::little, "numbers are read in place");

inline std::uint16_t load_16(const std::uint8_t* at) {
  std::uint16_t value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

inline std::uint32_t load_32(const std::uint8_t* at) {
  std::uint32_t value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

inline std::uint64_t load_64(const std::uint8_t* at) {
  std::uint64_t value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

inline void append_16(std::vector<std::uint8_t>& out, unsigned value) {
  out.push_back(static_cast<std::uint8_t>(value));
  out.push_back(static_cast<std::uint8_t>(value >> 8));
}

inline void append_32(std::vector<std::uint8_t>& out, std::uint32_t value) {
  append_16(out, value & 0xFFFF);
  append_16(out, value >> 16);
}

}  // namespace penstock::inline v0::detail
