// From the symbols of blocks to their masks, escapes and DC, for one target. Included once per target.

#if defined(PENSTOCK_BLOCK_LISTS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PENSTOCK_BLOCK_LISTS_INL
#undef PENSTOCK_BLOCK_LISTS_INL
#else
#define PENSTOCK_BLOCK_LISTS_INL
#endif

#include <array>
#include <bit>
#include <cstdint>

#include "codecs/repacked/bytes.hpp"
#include "codecs/repacked/kernels/two_eights-inl.hpp"
#include "codecs/repacked/tile_data.hpp"
#include "core/vector_helpers-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace penstock::inline v0 {
namespace HWY_NAMESPACE {
using namespace detail;  // a namespace per target
namespace {

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

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace penstock::inline v0
HWY_AFTER_NAMESPACE();

#endif  // PENSTOCK_BLOCK_LISTS_INL
