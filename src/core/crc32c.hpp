#pragma once
// CRC-32C (Castagnoli), by the CPU's instruction where there is one. Finds damage, not intent.

#include <cstdint>
#include <span>

namespace penstock::inline v0 {

/// The checksum of bytes that come in pieces: crc32c(b, crc32c(a)) is that of a and b joined. Any thread.
std::uint32_t crc32c(std::span<const std::uint8_t> bytes, std::uint32_t before = 0) noexcept;

namespace detail {

/// Without the instruction: what crc32c() is compared with.
std::uint32_t crc32c_portable(std::span<const std::uint8_t> bytes, std::uint32_t before) noexcept;

}  // namespace detail
}  // namespace penstock::inline v0
