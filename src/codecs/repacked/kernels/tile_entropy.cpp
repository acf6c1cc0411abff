#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "codecs/repacked/bytes.hpp"
#include "codecs/repacked/tile_data.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codecs/repacked/kernels/tile_entropy.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "codecs/repacked/kernels/two_eights-inl.hpp"
#include "core/vector_helpers-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
#if (HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL) && HWY_COMPILER_GCC && \
    !HWY_COMPILER_CLANG
#pragma GCC target("lzcnt")  // which Highway asks for with AVX2, but does not let gcc use
#endif
namespace penstock {
namespace HWY_NAMESPACE {
using namespace detail;  // NOLINT: a namespace per target
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

/// Ones in the bytes [begin, end) of a list, as far as `wanted` has them.
HWY_INLINE std::size_t count_bits(const std::uint8_t* list, int begin, int end, std::uint64_t wanted) {
  int count = 0;
  int i = begin;
  for (; i + 8 <= end; i += 8) {
    count += std::popcount(load_64(list + i) & wanted);
  }
  if (i < end) {
    count += std::popcount(load_64(list + i) & wanted & ((std::uint64_t{1} << (8 * (end - i))) - 1));
  }
  return static_cast<std::size_t>(count);
}

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

/// Puts the masks of blocks [begin, end) together; `list` has those of the groups 2 to 7. Gives its end.
HWY_INLINE const std::uint8_t* join_masks(PartData& part, int begin, int end, const std::uint8_t* list) {
  for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
    std::uint64_t masks = (part.mask0()[i] & 0xFEu) | part.mask1()[i] << 8;
    for (unsigned groups = part.groups()[i] & 63u; groups != 0; groups &= groups - 1) {
      masks |= std::uint64_t{*list++} << (16 + 8 * std::countr_zero(groups));
    }
    part.masks[i] = masks;
  }
  return list;
}

#else

/// Where the masks of a list go, by which groups there are; for the lower and the upper half of 16 bytes.
using SpreadTable = std::array<std::array<std::uint8_t, 8>, 64>;
alignas(64) constexpr std::array<SpreadTable, 2> kSpread = [] {
  std::array<SpreadTable, 2> tables{};
  for (unsigned half = 0; half < 2; ++half) {
    for (unsigned groups = 0; groups < 64; ++groups) {
      auto next = static_cast<std::uint8_t>(half * 8);
      for (unsigned i = 0; i < 8; ++i) {
        const bool there = i >= 2 && (groups >> (i - 2) & 1) != 0;
        tables[half][groups][i] = there ? next++ : std::uint8_t{0x80};
      }
    }
  }
  return tables;
}();

/// Puts the masks of blocks [begin, end) together, two at a time; `list` has those of the groups 2 to 7.
/// Gives its end. May overwrite the mask after the last.
HWY_INLINE const std::uint8_t* join_masks(PartData& part, int begin, int end, const std::uint8_t* list) {
  const D128 d;
  alignas(16) static constexpr std::uint8_t kFronts[16] = {0, 1, 128, 128, 128, 128, 128, 128,
                                                           2, 3, 128, 128, 128, 128, 128, 128};
  const V128 fronts = hn::Load(d, kFronts);
  alignas(16) std::uint8_t low[2 * (kMaxPartBlocks + kListSlack)];
  for (int i = begin; i < end; i += 16) {
    const V128 mask0 = hn::And(hn::LoadU(d, part.mask0() + i), hn::Set(d, 0xFE));
    const V128 mask1 = hn::LoadU(d, part.mask1() + i);
    hn::Store(hn::InterleaveLower(d, mask0, mask1), d, low + 2 * (i - begin));
    hn::Store(hn::InterleaveUpper(d, mask0, mask1), d, low + 2 * (i - begin) + 16);
  }
  const std::uint8_t* from = low;
  auto* to = reinterpret_cast<std::uint8_t*>(part.masks.data() + begin);
  const auto join_two = [&](unsigned groups) HWY_ATTR {
    const unsigned first = groups & 0xFF;
    const std::uint8_t* const second = list + std::popcount(first);
    const V128 places = load_two_eights(kSpread[0][first].data(), kSpread[1][groups >> 8].data());
    const V128 high = hn::TableLookupBytesOr0(load_two_eights(list, second), places);
    hn::StoreU(hn::Or(high, hn::TableLookupBytesOr0(hn::LoadU(d, from), fronts)), d, to);
    list += std::popcount(groups);
    from += 4;
    to += 16;
  };
  const std::uint8_t* groups = part.groups() + begin;
  const std::uint8_t* const groups_end = part.groups() + end;
  for (; groups + 2 <= groups_end; groups += 2) {
    join_two(load_16(groups) & 0x3F3Fu);
  }
  if (groups < groups_end) {
    join_two(*groups & 0x3Fu);
  }
  return list;
}

#endif

using ValueCounts = std::array<std::size_t, kValueClasses>;

/// Adds how many values of each class blocks [begin, end) have, with the list of their masks of groups 2
/// to 7.
HWY_INLINE void count_values(const PartData& part, int begin, int end, const std::uint8_t* list,
                             const std::uint8_t* list_end, ValueCounts& counts) {
  const auto of2 = [&](int i) {
    const std::uint64_t mask = part.masks[static_cast<std::size_t>(i)];
    return static_cast<std::size_t>(std::popcount(static_cast<std::uint32_t>(mask >> 16)));
  };
  std::size_t count2 = 0;
  int i = begin;
  for (; i + 4 <= end; i += 4) {
    count2 += of2(i) + of2(i + 1) + of2(i + 2) + of2(i + 3);
  }
  for (; i < end; ++i) {
    count2 += of2(i);
  }
  counts[0] += count_bits(part.mask0(), begin, end, 0xFEFEFEFEFEFEFEFEull);
  counts[1] += count_bits(part.mask1(), begin, end, ~std::uint64_t{0});
  counts[2] += count2;
  counts[3] += count_bits(list, 0, static_cast<int>(list_end - list), ~std::uint64_t{0}) - count2;
}

/// Finds where each block's escapes begin; false unless they are exactly as many as the flags say.
HWY_INLINE bool find_escapes(PartData& part, std::size_t count) {
  if (count == 0) {
    return count_bits(part.groups(), 0, part.blocks, 0x4040404040404040ull) == 0;
  }
  std::size_t at = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(part.blocks); ++i) {
    if ((part.groups()[i] & kHasEscapes) == 0) {
      continue;
    }
    part.escape_begin[i] = static_cast<std::uint16_t>(at);
    bool last = false;
    while (!last) {
      if (at == count) {
        return false;
      }
      last = (part.escapes[at] & kLastEscape) != 0;
      at += 2;
    }
  }
  return at == count;
}

/// Sums of the differences along the rows of a component, each of which begins with that of the first column.
HWY_INLINE void sum_rows(std::int16_t* at, int wide, int high) {
  unsigned above = 0;
  for (int y = 0; y < high; ++y) {
    unsigned dc = above;
    for (int x = 0; x < wide; ++x) {
      dc += static_cast<unsigned>(at[x]);
      at[x] = static_cast<std::int16_t>(dc);
    }
    above = static_cast<unsigned>(at[0]);
    at += wide;
  }
}

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
/// The same for whole tiles, whose rows have 4 or 8 blocks. What follows the last row is read.
template <int kWide>
HWY_INLINE void sum_whole_rows(std::int16_t* at, int high) {
  const hn::Full128<std::int16_t> d;
  const hn::CappedTag<std::int16_t, kWide> row;
  auto above = hn::Zero(d);
  for (int y = 0; y < high; ++y, at += kWide) {
    const auto differences = hn::LoadU(d, at);
    auto sums = hn::Add(differences, hn::ShiftLeftLanes<1>(d, differences));
    sums = hn::Add(sums, hn::ShiftLeftLanes<2>(d, sums));
    if constexpr (kWide == 8) {
      sums = hn::Add(sums, hn::ShiftLeftLanes<4>(d, sums));
      hn::StoreU(hn::Add(sums, above), d, at);
    } else {
      hn::StoreU(hn::LowerHalf(row, hn::Add(sums, above)), row, at);
    }
    above = hn::Add(above, hn::Broadcast<0>(differences));
  }
}
#endif

/// The DC of each block from the differences to its neighbour.
HWY_INLINE void sum_dc(PartData& part, const std::uint8_t* nibbles, int components, int wide, int high) {
  const auto unfolded = [](unsigned high_bits, unsigned low_bits) {
    const unsigned folded = high_bits << 4 | low_bits;
    return static_cast<std::int16_t>((folded >> 1) ^ (0u - (folded & 1)));
  };
  const std::uint8_t* const high_bits = part.dc_high();
  const std::size_t pairs = (static_cast<std::size_t>(part.blocks) + 1) / 2;
  for (std::size_t i = 0; i < pairs; ++i) {
    part.dc[2 * i] = unfolded(high_bits[2 * i], nibbles[i] & 15u);
    part.dc[2 * i + 1] = unfolded(high_bits[2 * i + 1], nibbles[i] >> 4);
  }
  std::int16_t* at = part.dc.data();
  for (int component = 0; component < components; ++component, at += wide * high) {
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
    if (wide == 4) {
      sum_whole_rows<4>(at, high);
      continue;
    }
    if (wide == 8) {
      sum_whole_rows<8>(at, high);
      continue;
    }
#endif
    sum_rows(at, wide, high);
  }
}

/// The bytes before the lanes, taken one after the other.
struct Reader {
  const std::uint8_t* at;
  const std::uint8_t* end;

  bool has(std::size_t count) const { return static_cast<std::size_t>(end - at) >= count; }
};

bool read_escape_count(Reader& reader, unsigned limit, unsigned& flags, std::size_t& count) {
  if (!reader.has(3)) {
    return false;
  }
  flags = *reader.at++;
  count = flags & limit;
  if (count == limit) {
    count = load_16(reader.at);
    reader.at += 2;
  }
  return true;
}

}  // namespace

const char* decode_tile_here(const TileBytes& in, TileData& out) {
  Reader reader{in.tile.data(), in.tile.data() + in.tile.size()};
  std::array<std::size_t, kParts> escapes{};
  unsigned flags = 0;
  unsigned unused = 0;
  if (!read_escape_count(reader, 127, flags, escapes[0]) ||
      (in.parts == 2 && !read_escape_count(reader, 255, unused, escapes[1]))) {
    return "a tile is cut off";
  }
  const std::size_t length_size = (flags & 128) != 0 ? 2 : 1;
  const std::uint8_t* const lengths = reader.at;
  std::array<const std::uint8_t*, kParts> nibbles{};
  std::size_t before_lanes = (kLanes - 1) * length_size;
  for (int part = 0; part < in.parts; ++part) {
    const auto index = static_cast<std::size_t>(part);
    out[index].blocks = in.wide[index] * in.high[index] * (part + 1);
    nibbles[index] = reader.at + before_lanes;
    before_lanes += (static_cast<std::size_t>(out[index].blocks) + 1) / 2;
    if (escapes[index] > static_cast<std::size_t>(out[index].blocks) * 63) {
      return "too many escapes";
    }
  }
  if (!reader.has(before_lanes)) {
    return "a tile is cut off";
  }
  Lanes lanes;
  lanes.base = reader.at + before_lanes;
  const auto lane_bytes = static_cast<std::size_t>(reader.end - lanes.base);
  std::array<std::size_t, kLanes> ends{};
  std::size_t end = 0;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    lanes.position[lane] = end * 8;
    if (lane == kLanes - 1) {
      end = std::max(end, lane_bytes);
    } else {
      end += length_size == 2 ? load_16(lengths + 2 * lane) : lengths[lane];
    }
    ends[lane] = end;
  }
  if (end > lane_bytes) {
    return "a lane is cut off";
  }
  lanes.furthest = lanes.position[kLanes - 1];
  lanes.last_word = in.readable_end - lanes.base - 8;

  for (int index = 0; index < in.parts; ++index) {
    const auto at = static_cast<std::size_t>(index);
    PartData& part = out[at];
    const auto& lookups = in.lookups[at];
    decode_block_symbols(lanes, lookups.data(), part);
    decode_symbols(lanes, lookups[kMasks], part.more_masks.data(),
                   count_bits(part.groups(), 0, part.blocks, 0x3F3F3F3F3F3F3F3Full));
    const std::array<std::uint8_t*, kValueClasses> values = {part.values0.data(), part.values1.data(),
                                                             part.values2.data(), part.values3.data()};
    ValueCounts counts{};
    const int half = part.blocks / (index + 1);
    const std::uint8_t* list = part.more_masks.data();
    for (std::size_t component = 0; component <= at; ++component) {
      for (std::size_t i = 0; i < kValueClasses; ++i) {
        part.value_begins[component][i] = values[i] + counts[i];
      }
      const int begin = static_cast<int>(component) * half;
      const std::uint8_t* const list_end = join_masks(part, begin, begin + half, list);
      count_values(part, begin, begin + half, list, list_end, counts);
      list = list_end;
    }
    for (std::size_t i = 0; i < kValueClasses; ++i) {
      decode_symbols(lanes, lookups[kValues0 + i], values[i], counts[i]);
    }
    if (escapes[at] > 0) {
      decode_symbols(lanes, lookups[kEscapes], part.escapes.data(), 2 * escapes[at]);
    }
    if (!find_escapes(part, 2 * escapes[at])) {
      return "escapes do not match";
    }
    sum_dc(part, nibbles[at], index + 1, in.wide[at], in.high[at]);
  }
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if ((lanes.position[lane] + 7) / 8 != ends[lane]) {
      return "a lane does not end where it should";
    }
  }
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace penstock
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock {

HWY_EXPORT(decode_tile_here);

const char* detail::decode_tile(const TileBytes& in, TileData& out) {
  return HWY_DYNAMIC_DISPATCH(decode_tile_here)(in, out);
}

}  // namespace penstock
#endif
