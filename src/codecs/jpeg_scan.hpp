#pragma once
// Reading the Huffman-coded blocks of a sequential JPEG scan.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "codecs/huffman_lookup.hpp"

namespace penstock::inline v0::detail {

/// A reader of the bits of a scan. Copied into local variables where it is used much.
struct ScanBits {
  std::uint64_t window = 0;  ///< the next bits, first bit on top
  int count = 0;             ///< how many of them
  int padding = 0;           ///< zeros among them, at the end, that stand for data after a marker or the end
  const std::uint8_t* next = nullptr;
  const std::uint8_t* end = nullptr;
};

/// Natural place of the k-th coefficient of the zigzag; damaged data can run 15 places past the end.
inline constexpr std::array<std::uint8_t, 64 + 16> kNatural = [] {
  std::array<std::uint8_t, 64 + 16> order{};
  int row = 0;
  int column = 0;
  for (int k = 0; k < 64; ++k) {
    order[static_cast<std::size_t>(k)] = static_cast<std::uint8_t>(row * 8 + column);
    const bool upwards = (row + column) % 2 == 0;
    if (upwards ? column == 7 : row == 7) {
      (upwards ? row : column) += 1;
    } else if (upwards ? row == 0 : column == 0) {
      (upwards ? column : row) += 1;
    } else {
      row += upwards ? -1 : 1;
      column += upwards ? 1 : -1;
    }
  }
  for (std::size_t k = 64; k < order.size(); ++k) {
    order[k] = 63;
  }
  return order;
}();

inline std::uint64_t load_big_endian(const std::uint8_t* at) {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  if constexpr (std::endian::native == std::endian::little) {
    word = __builtin_bswap64(word);
  }
  return word;
}

inline bool has_ff(std::uint64_t word) {
  return ((~word - 0x0101010101010101ull) & word & 0x8080808080808080ull) != 0;
}

/// Takes out the zero after an FF of the data; at a marker or the end of the file, zeros stand in. Two FF
/// before a zero are neither data nor marker, and end the data: libjpeg's slow path takes them for one FF,
/// but its fast path has by then left coefficients in the block that are not in the file.
/// By value: the caller's copy stays in registers.
[[gnu::noinline]] inline ScanBits refilled_bytewise(ScanBits bits) {
  while (bits.count < 56 && bits.next != bits.end) {
    const std::uint8_t* after = bits.next + 1;
    if (*bits.next == 0xFF) {
      if (after == bits.end || *after != 0) {
        break;
      }
      ++after;
    }
    bits.window |= static_cast<std::uint64_t>(*bits.next) << (56 - bits.count);
    bits.count += 8;
    bits.next = after;
  }
  if (bits.count < 56) {
    bits.padding += 63 - bits.count;
    bits.count = 63;
  }
  return bits;
}

/// At least 56 bits in the window; a code and its value take at most 31.
[[gnu::always_inline]] inline void refill(ScanBits& bits) {
  if (bits.end - bits.next >= 8) [[likely]] {
    const std::uint64_t word = load_big_endian(bits.next);
    if (!has_ff(word)) [[likely]] {
      bits.window |= word >> bits.count;
      bits.next += (63 - bits.count) >> 3;
      bits.count |= 56;
      return;
    }
  }
  bits = refilled_bytewise(bits);
}

[[gnu::always_inline]] inline void take(ScanBits& bits, unsigned length) {
  bits.window <<= length;
  bits.count -= static_cast<int>(length);
}

[[gnu::always_inline]] inline std::size_t look(const ScanBits& bits) {
  return bits.window >> (64 - HuffmanLookup::kLookBits);
}

/// The entry for the code at the top of the window, whatever its length; 0 if it is no code.
[[gnu::always_inline]] inline std::uint32_t find(const ScanBits& bits, const HuffmanLookup& table) {
  const std::uint32_t entry = table.one()[look(bits)];
  return entry != 0 ? entry : table.find_long(bits.window);
}

/// Reads one code in a refilled window. False if it is no code.
[[gnu::always_inline]] inline bool read_dc(ScanBits& bits, const HuffmanLookup& table, int& difference) {
  const std::uint32_t entry = find(bits, table);
  difference = value_length_of(entry) == 0 ? 0 : value_in(bits.window, entry);
  take(bits, length_of(entry));
  return entry != 0;
}

enum class Step { more, block_ends, no_code };

/// Reads one AC code and its value; `k` is the last coefficient read so far.
template <bool kStore>
[[gnu::always_inline]] inline Step read_one(ScanBits& bits, const HuffmanLookup& table, unsigned& k,
                                            std::int16_t* block) {
  refill(bits);
  const std::uint32_t entry = find(bits, table);
  if (entry == 0) {
    return Step::no_code;
  }
  k += passed_by(entry);
  if constexpr (kStore) {
    if (value_length_of(entry) != 0) {
      block[kNatural[k]] = static_cast<std::int16_t>(value_in(bits.window, entry));
    }
  }
  take(bits, length_of(entry));
  return passed_by(entry) == 0 ? Step::block_ends : Step::more;
}

/// The AC coefficients of a block, stored to `block` or only passed over. False if they are damaged.
/// Groups of codes are used as long as all of the group surely belongs to this block: after the 63rd
/// coefficient comes no end of block.
template <bool kStore>
[[gnu::always_inline]] inline bool read_ac(ScanBits& bits, const HuffmanLookup& table, std::int16_t* block) {
  constexpr int kGroupsPerRefill = kStore ? 5 : 2;  // of at most 10 and 25 bits
  unsigned k = 0;
  do {
    refill(bits);
#pragma GCC unroll 5
    for (int i = 0; i < kGroupsPerRefill; ++i) {
      unsigned passed = 0;
      unsigned length = 0;
      bool ends = false;
      if constexpr (kStore) {
        const std::uint64_t group = table.two()[look(bits)];
        passed = static_cast<std::uint8_t>(group >> 16);
        if (k + passed < 63) [[likely]] {
          block[kNatural[k + static_cast<std::uint8_t>(group >> 8)]] = static_cast<std::int16_t>(group >> 32);
          block[kNatural[k + passed]] = static_cast<std::int16_t>(group >> 48);
        }
        length = group & 63;
        ends = (group & (1u << 24)) != 0;
      } else {
        const unsigned group = table.several()[look(bits)];
        passed = (group >> 8) & 127;
        length = group & 63;
        ends = (group & HuffmanLookup::kEndsBlock) != 0;
      }
      if (k + passed < 63) [[likely]] {
        take(bits, length);
        k += passed;
        if (ends) {
          return true;
        }
      } else {
        const Step step = read_one<kStore>(bits, table, k, block);
        if (step != Step::more) {
          return step == Step::block_ends;
        }
        break;
      }
    }
  } while (k < 63);
  return k == 63;
}

}  // namespace penstock::inline v0::detail
