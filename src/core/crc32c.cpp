#include "core/crc32c.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#define PENSTOCK_CRC_TARGET __attribute__((target("sse4.2")))
#elif defined(__aarch64__) && defined(__linux__)
#include <arm_acle.h>
#include <asm/hwcap.h>
#include <sys/auxv.h>
#define PENSTOCK_CRC_TARGET __attribute__((target("+crc")))
#endif

namespace penstock {
namespace {

constexpr std::uint32_t kPolynomial = 0x82F63B78;  // 0x1EDC6F41 reflected

/// Eight tables, for eight bytes at a time.
constexpr std::array<std::array<std::uint32_t, 256>, 8> make_tables() {
  std::array<std::array<std::uint32_t, 256>, 8> tables{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) {
      value = (value >> 1) ^ ((value & 1) != 0 ? kPolynomial : 0);
    }
    tables[0][i] = value;
  }
  for (std::size_t t = 1; t < 8; ++t) {
    for (std::size_t i = 0; i < 256; ++i) {
      tables[t][i] = (tables[t - 1][i] >> 8) ^ tables[0][tables[t - 1][i] & 0xFF];
    }
  }
  return tables;
}

constexpr auto kTables = make_tables();

static_assert(std::endian::native == std::endian::little, "eight bytes at a time are read as one number");

#if defined(__x86_64__)
bool cpu_has_instruction() noexcept { return __builtin_cpu_supports("sse4.2") != 0; }
PENSTOCK_CRC_TARGET inline std::uint32_t add_eight(std::uint32_t crc, std::uint64_t word) noexcept {
  return static_cast<std::uint32_t>(_mm_crc32_u64(crc, word));
}
PENSTOCK_CRC_TARGET inline std::uint32_t add_one(std::uint32_t crc, std::uint8_t byte) noexcept {
  return _mm_crc32_u8(crc, byte);
}
#elif defined(PENSTOCK_CRC_TARGET)
bool cpu_has_instruction() noexcept { return (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0; }
PENSTOCK_CRC_TARGET inline std::uint32_t add_eight(std::uint32_t crc, std::uint64_t word) noexcept {
  return __crc32cd(crc, word);
}
PENSTOCK_CRC_TARGET inline std::uint32_t add_one(std::uint32_t crc, std::uint8_t byte) noexcept {
  return __crc32cb(crc, byte);
}
#endif

#if defined(PENSTOCK_CRC_TARGET)
PENSTOCK_CRC_TARGET std::uint32_t crc32c_by_instruction(std::span<const std::uint8_t> bytes,
                                                        std::uint32_t before) noexcept {
  std::uint32_t crc = ~before;
  const std::uint8_t* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    crc = add_eight(crc, word);
  }
  for (; left > 0; --left, ++at) {
    crc = add_one(crc, *at);
  }
  return ~crc;
}
#endif

}  // namespace

namespace detail {

std::uint32_t crc32c_portable(std::span<const std::uint8_t> bytes, std::uint32_t before) noexcept {
  std::uint32_t crc = ~before;
  const std::uint8_t* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    word ^= crc;
    crc = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      crc ^= kTables[7 - i][(word >> (8 * i)) & 0xFF];
    }
  }
  for (; left > 0; --left, ++at) {
    crc = (crc >> 8) ^ kTables[0][(crc ^ *at) & 0xFF];
  }
  return ~crc;
}

}  // namespace detail

std::uint32_t crc32c(std::span<const std::uint8_t> bytes, std::uint32_t before) noexcept {
#if defined(PENSTOCK_CRC_TARGET)
  static const bool has_instruction = cpu_has_instruction();
  if (has_instruction) {
    return crc32c_by_instruction(bytes, before);
  }
#endif
  return detail::crc32c_portable(bytes, before);
}

}  // namespace penstock
