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

namespace penstock::inline v0 {
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
/// An instruction takes three cycles and one can begin in each: three lanes of that many bytes go side by
/// side.
constexpr std::size_t kLane = 1024;

using BitMap = std::array<std::uint32_t, 32>;  // what each bit becomes

constexpr std::uint32_t mapped(const BitMap& map, std::uint32_t value) {
  std::uint32_t result = 0;
  for (std::size_t bit = 0; bit < 32; ++bit) {
    result ^= (value >> bit & 1) != 0 ? map[bit] : 0;
  }
  return result;
}

/// What a sum becomes behind kLane zeros, by its four bytes.
constexpr auto kBehindLane = [] {
  BitMap map{};
  for (std::size_t bit = 0; bit < 32; ++bit) {  // behind one bit
    map[bit] = bit == 0 ? kPolynomial : std::uint32_t{1} << (bit - 1);
  }
  for (std::size_t bits = 1; bits < 8 * kLane; bits *= 2) {
    BitMap twice{};
    for (std::size_t bit = 0; bit < 32; ++bit) {
      twice[bit] = mapped(map, map[bit]);
    }
    map = twice;
  }
  std::array<std::array<std::uint32_t, 256>, 4> table{};
  for (std::size_t byte = 0; byte < 4; ++byte) {
    for (std::uint32_t value = 0; value < 256; ++value) {
      table[byte][value] = mapped(map, value << (8 * byte));
    }
  }
  return table;
}();

std::uint32_t behind_lane(std::uint32_t crc) noexcept {
  return kBehindLane[0][crc & 0xFF] ^ kBehindLane[1][crc >> 8 & 0xFF] ^ kBehindLane[2][crc >> 16 & 0xFF] ^
         kBehindLane[3][crc >> 24];
}

std::uint64_t eight_at(const std::uint8_t* at) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, at, 8);
  return word;
}

PENSTOCK_CRC_TARGET std::uint32_t crc32c_by_instruction(std::span<const std::uint8_t> bytes,
                                                        std::uint32_t before) noexcept {
  std::uint32_t crc = ~before;
  const std::uint8_t* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 3 * kLane; left -= 3 * kLane, at += 3 * kLane) {
    std::uint32_t second = 0;
    std::uint32_t third = 0;
    for (std::size_t i = 0; i < kLane; i += 8) {
      crc = add_eight(crc, eight_at(at + i));
      second = add_eight(second, eight_at(at + kLane + i));
      third = add_eight(third, eight_at(at + 2 * kLane + i));
    }
    crc = behind_lane(behind_lane(crc) ^ second) ^ third;
  }
  for (; left >= 8; left -= 8, at += 8) {
    crc = add_eight(crc, eight_at(at));
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

}  // namespace penstock::inline v0
