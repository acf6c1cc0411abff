#pragma once
// A coefficient as the bits of a JPEG scan.

#include <bit>
#include <cstdint>
#include <cstdlib>

#include "codecs/repacked/scan_writer.hpp"

namespace penstock::inline v0::detail {

inline constexpr unsigned kLengthMask = (1u << ScanSetup::Codes::kLengthBits) - 1;

/// A code and the bits of a value after it.
struct ValueBits {
  std::uint64_t bits;
  unsigned length;
  bool missing;  ///< there is no such code
};

[[gnu::always_inline]] inline ValueBits value_bits(const ScanSetup::Codes& codes, unsigned run, int value) {
  const auto size = static_cast<unsigned>(std::bit_width(static_cast<unsigned>(std::abs(value))));
  const std::uint32_t code = codes.of[(run << 4 | size) & 255u];
  const unsigned low = static_cast<unsigned>(value + (value >> 31)) & ((1u << size) - 1);
  return {.bits = std::uint64_t{code >> ScanSetup::Codes::kLengthBits} << size | low,
          .length = (code & kLengthMask) + size,
          .missing = code == 0 || size > 15};
}

}  // namespace penstock::inline v0::detail
