// The eight bit streams of a tile and the symbols in them, for one target. Included once per target.

#if defined(PENSTOCK_SYMBOL_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PENSTOCK_SYMBOL_LANES_INL
#undef PENSTOCK_SYMBOL_LANES_INL
#else
#define PENSTOCK_SYMBOL_LANES_INL
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "codecs/repacked/bytes.hpp"
#include "codecs/repacked/tile_data.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
#if (HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL) && HWY_COMPILER_GCC && \
    !HWY_COMPILER_CLANG
#pragma GCC target("lzcnt")  // which Highway asks for with AVX2, but does not let gcc use
#endif
namespace penstock::inline v0 {
namespace HWY_NAMESPACE {
using namespace detail;  // a namespace per target
namespace {

constexpr int kRoundsPerRefill = 5;  // of kMaxCodeBits each; 57 bits are there
constexpr std::uint64_t kTop = std::uint64_t{1} << 63;

/// The bit streams of a tile. Nothing here goes wrong with damaged data but the values: positions are
/// compared with the lanes' ends after the last symbol.
struct Lanes {
  const std::uint8_t* base;
  std::array<std::uint64_t, kLanes> position;  // in bits from base
  std::uint64_t furthest;                      // no position is beyond this one
  std::int64_t last_word;                      // the last byte from base where 8 can be read

  /// Whether so many rounds, which must follow, of the longest codes stay within the readable memory.
  HWY_INLINE bool are_safe_for(std::size_t rounds) {
    furthest += rounds * kMaxCodeBits;
    if (HWY_LIKELY(is_readable(furthest))) {
      return true;
    }
    furthest = *std::max_element(position.begin(), position.end()) + rounds * kMaxCodeBits;
    return is_readable(furthest);
  }

  HWY_INLINE bool is_readable(std::uint64_t bit) const {
    return static_cast<std::int64_t>(bit >> 3) <= last_word;
  }

  /// The next 57 bits of a lane, first bit lowest, and on top a bit by which finish() knows how many were
  /// used.
  template <bool kSafe>
  HWY_INLINE std::uint64_t window(std::size_t lane) const {
    const std::uint64_t at = position[lane];
    if (kSafe || is_readable(at)) {
      return load_64(base + (at >> 3)) >> (at & 7) | kTop;
    }
    const std::int64_t beyond = static_cast<std::int64_t>(at) - last_word * 8;
    return (beyond < 64 ? load_64(base + last_word) >> beyond : 0) | kTop;
  }

  HWY_INLINE void finish(std::size_t lane, std::uint64_t window) {
    position[lane] += static_cast<unsigned>(std::countl_zero(window));
  }
};

/// Four windows at a time fit into the registers.
using UpperLanes = std::index_sequence<7, 6, 5, 4>;
using LowerLanes = std::index_sequence<3, 2, 1, 0>;

/// The bits that a lookup goes by.
HWY_INLINE std::size_t low_bits(std::uint64_t window, unsigned count) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  return _bzhi_u64(window, count);
#else
  return window & ((std::uint64_t{1} << count) - 1);
#endif
}

/// Hides that a value is known: gcc would turn one instruction with a register into two with a constant.
HWY_INLINE unsigned in_register(unsigned value) {
#if HWY_COMPILER_GCC || HWY_COMPILER_CLANG
  asm("" : "+r"(value));
#endif
  return value;
}

/// Writes the symbol of a window's next code. kOverBefore: and its length to the byte before, which saves
/// taking the symbol out; whoever owns that byte must write it later.
template <bool kOverBefore>
HWY_INLINE void take(std::uint64_t& window, const std::uint16_t* lookup, unsigned code_bits,
                     std::uint8_t* out) {
  const std::uint16_t entry = lookup[low_bits(window, code_bits)];
  window >>= entry & 63;
  if (kOverBefore) {
    std::memcpy(out - 1, &entry, sizeof entry);
  } else {
    *out = static_cast<std::uint8_t>(entry >> 8);
  }
}

/// Symbols of one class, symbol i from lane i mod 8.
struct ValueRounds {
  static constexpr std::size_t kStep = kLanes;
  const std::uint16_t* lookup;

  template <std::size_t kLane>
  HWY_INLINE void take_next(std::uint64_t& window, unsigned code_bits, std::uint8_t* out) const {
    take<kLane != 0>(window, lookup, code_bits, out + kLane);
  }
};

/// The four classes with one symbol per block, side by side on two lanes each. Their lists follow each other.
struct BlockRounds {
  static constexpr std::size_t kStep = 2;
  std::array<const std::uint16_t*, 4> lookup;  // copies, which no symbol that is written can change

  template <std::size_t kLane>
  HWY_INLINE void take_next(std::uint64_t& window, unsigned code_bits, std::uint8_t* out) const {
    take<kLane % 2 != 0>(window, lookup[kLane / 2], code_bits,
                         out + kLane / 2 * PartData::kPerBlockList + kLane % 2);
  }
};

/// At most kRoundsPerRefill rounds of some lanes, given from the last to the first.
template <bool kSafe, class Kind, std::size_t... kLane>
HWY_INLINE void decode_lanes(Lanes& lanes, const Kind& kind, unsigned code_bits, std::uint8_t* out,
                             std::size_t rounds, std::index_sequence<kLane...>) {
  std::uint64_t windows[] = {lanes.window<kSafe>(kLane)...};
  for (; rounds > 0; --rounds, out += Kind::kStep) {
    std::uint64_t* window = windows;
    (kind.template take_next<kLane>(*window++, code_bits, out), ...);
  }
  const std::uint64_t* window = windows;
  (lanes.finish(kLane, *window++), ...);
}

template <bool kSafe, class Kind>
HWY_INLINE void decode_rounds(Lanes& lanes, const Kind& kind, std::uint8_t* out, std::size_t rounds) {
  const unsigned code_bits = in_register(kMaxCodeBits);
  for (; rounds >= kRoundsPerRefill; rounds -= kRoundsPerRefill, out += kRoundsPerRefill * Kind::kStep) {
    decode_lanes<kSafe>(lanes, kind, code_bits, out, kRoundsPerRefill, UpperLanes());
    decode_lanes<kSafe>(lanes, kind, code_bits, out, kRoundsPerRefill, LowerLanes());
  }
  if (rounds > 0) {
    decode_lanes<kSafe>(lanes, kind, code_bits, out, rounds, UpperLanes());
    decode_lanes<kSafe>(lanes, kind, code_bits, out, rounds, LowerLanes());
  }
}

HWY_NOINLINE void decode_symbols(Lanes& lanes, const std::uint16_t* lookup, std::uint8_t* out,
                                 std::size_t count) {
  const std::size_t rounds = (count + kLanes - 1) / kLanes;
  if (HWY_LIKELY(lanes.are_safe_for(rounds))) {
    decode_rounds<true>(lanes, ValueRounds{lookup}, out, rounds);
  } else {
    decode_rounds<false>(lanes, ValueRounds{lookup}, out, rounds);
  }
}

HWY_NOINLINE void decode_block_symbols(Lanes& lanes, const std::uint16_t* const* lookup, PartData& part) {
  const std::size_t rounds = (static_cast<std::size_t>(part.blocks) + 1) / 2;
  const BlockRounds kind{{lookup[0], lookup[1], lookup[2], lookup[3]}};
  std::uint8_t* const out = part.per_block.data();
  if (HWY_LIKELY(lanes.are_safe_for(rounds))) {
    decode_rounds<true>(lanes, kind, out, rounds);
  } else {
    decode_rounds<false>(lanes, kind, out, rounds);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace penstock::inline v0
HWY_AFTER_NAMESPACE();

#endif  // PENSTOCK_SYMBOL_LANES_INL
