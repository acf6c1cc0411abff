#include <bit>
#include <cstdlib>
#include <cstring>

#include "codecs/repacked/tile_symbols.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codecs/repacked/kernels/block_symbols.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "codecs/repacked/kernels/two_eights-inl.hpp"
#include "core/vector_helpers-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace penstock::inline v0 {
namespace HWY_NAMESPACE {
using namespace detail;  // a namespace per target
namespace {

/// Up to this sum of a column's dequantised magnitudes nothing overflows 16 bits in either pass of the
/// inverse DCT (4 * 1.3870 * 2953 < 2^14), so every decoder gives the same pixels.
constexpr std::int64_t kMaxColumnSum = 2953;

bool columns_are_in_range(const std::int16_t* block, const std::array<std::uint16_t, 64>& quant) {
  for (std::size_t column = 0; column < 8; ++column) {
    std::int64_t sum = 0;
    for (std::size_t i = column; i < 64; i += 8) {
      sum += std::int64_t{std::abs(block[i])} * quant[i];
    }
    if (sum > kMaxColumnSum) {
      return false;
    }
  }
  return true;
}

/// Which coefficients are not zero, in stored order, the DC apart.
std::uint64_t mask_of(const std::int16_t* block) {
  std::uint64_t mask = 0;
  for (std::size_t i = 1; i < 64; ++i) {
    mask |= static_cast<std::uint64_t>(block[kStoredOrder[i]] != 0) << i;
  }
  return mask;
}

/// The symbols of one block's coefficients but its DC, one after the other.
HWY_NOINLINE void add_one_by_one(const std::int16_t* block, SymbolEnds& ends) {
  const std::uint64_t mask = mask_of(block);
  std::uint8_t* escape = ends.at[kEscapes];
  for (std::uint64_t left = mask; left != 0; left &= left - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(left));
    const int value = block[kStoredOrder[i]];
    const int low = static_cast<std::int8_t>(value);
    *ends.at[static_cast<std::size_t>(kValues0) + kValueClassOf[i / 8]]++ = static_cast<std::uint8_t>(low);
    if (value != low) {
      *escape++ = kStoredOrder[i];
      *escape++ = static_cast<std::uint8_t>((value - low) >> 8);
    }
  }
  unsigned groups = 0;
  for (unsigned group = 2; group < 8; ++group) {
    if (const auto of_group = static_cast<std::uint8_t>(mask >> (8 * group)); of_group != 0) {
      *ends.at[kMasks]++ = of_group;
      groups |= 1u << (group - 2);
    }
  }
  if (escape != ends.at[kEscapes]) {
    escape[-2] |= kLastEscape;
    ends.at[kEscapes] = escape;
    groups |= kHasEscapes;
  }
  *ends.at[kGroups]++ = static_cast<std::uint8_t>(groups);
  *ends.at[kMask0]++ = static_cast<std::uint8_t>(mask);
  *ends.at[kMask1]++ = static_cast<std::uint8_t>(mask >> 8);
}

/// False if the DC is too far from what was predicted.
HWY_INLINE bool add_dc(int difference, SymbolEnds& ends) {
  const unsigned folded =
      difference < 0 ? static_cast<unsigned>(-2 * difference - 1) : static_cast<unsigned>(2 * difference);
  *ends.at[kDc]++ = static_cast<std::uint8_t>(folded >> 4);
  *ends.nibble++ = folded & 15;
  return folded <= 4095;
}

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

/// Adds blocks whose values may be anything.
class BlockAdder {
 public:
  explicit BlockAdder(const std::array<std::uint16_t, 64>& quant) : quant_(quant) {}

  bool add(const std::int16_t* block, SymbolEnds& ends) const {
    add_one_by_one(block, ends);
    return columns_are_in_range(block, quant_);
  }

 private:
  const std::array<std::uint16_t, 64>& quant_;
};

#else

using DSmall = hn::Full128<std::int16_t>;
using VSmall = hn::Vec<DSmall>;
using DSum = hn::Full128<std::int32_t>;
using VSum = hn::Vec<DSum>;

/// Where the bytes that a mask names go; for the lower and the upper half of 16 bytes.
using GatherTable = std::array<std::array<std::uint8_t, 8>, 256>;
alignas(64) constexpr std::array<GatherTable, 2> kGather = [] {
  std::array<GatherTable, 2> tables{};
  for (unsigned half = 0; half < 2; ++half) {
    for (unsigned mask = 0; mask < 256; ++mask) {
      std::size_t next = 0;
      for (unsigned i = 0; i < 8; ++i) {
        if ((mask >> i & 1) != 0) {
          tables[half][mask][next++] = static_cast<std::uint8_t>(half * 8 + i);
        }
      }
    }
  }
  return tables;
}();

alignas(16) constexpr std::int16_t kAllButDc[8] = {0, -1, -1, -1, -1, -1, -1, -1};

/// A bit for each byte that is not zero.
HWY_INLINE unsigned bits_of_nonzero(V128 bytes) {
  const D128 d;
#if HWY_TARGET == HWY_NEON
  std::uint8_t bits[8] = {};
  hn::StoreMaskBits(d, hn::Ne(bytes, hn::Zero(d)), bits);
  return bits[0] | static_cast<unsigned>(bits[1]) << 8;
#else
  return static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes.raw, hn::Zero(d).raw))) ^ 0xFFFFu;
#endif
}

/// The values as signed bytes; those that fit none stay other than zero.
HWY_INLINE V128 to_bytes(VSmall first, VSmall second) {
#if HWY_TARGET == HWY_NEON
  return V128(vreinterpretq_u8_s8(vcombine_s8(vqmovn_s16(first.raw), vqmovn_s16(second.raw))));
#else
  return V128{_mm_packs_epi16(first.raw, second.raw)};
#endif
}

/// Sums of products of neighbours.
HWY_INLINE VSum pair_products(VSmall a, VSmall b) {
#if HWY_TARGET == HWY_NEON
  return VSum(vpaddq_s32(vmull_s16(vget_low_s16(a.raw), vget_low_s16(b.raw)), vmull_high_s16(a.raw, b.raw)));
#else
  return VSum{_mm_madd_epi16(a.raw, b.raw)};
#endif
}

/// Stores the bytes that the masks name, those of the lower half at `first` and those of the upper at
/// `second`; eight bytes are overwritten at each.
HWY_INLINE void gather_two(V128 bytes, unsigned lower, unsigned upper, std::uint8_t* first,
                           std::uint8_t* second) {
  const V128 places = load_two_eights(kGather[0][lower].data(), kGather[1][upper].data());
  const V128 gathered = hn::TableLookupBytes(bytes, places);
  const hn::Full128<std::uint64_t> d64;
  const hn::Half<D128> half;
  hn::StoreU(hn::LowerHalf(half, gathered), half, first);
  hn::StoreU(hn::LowerHalf(half, hn::BitCast(D128(), hn::DupOdd(hn::BitCast(d64, gathered)))), half, second);
}

/// Adds blocks, with the coefficients of a group side by side.
class BlockAdder {
 public:
  explicit BlockAdder(const std::array<std::uint16_t, 64>& quant) : quant_(quant) {
    for (std::size_t i = 0; i < 64; ++i) {
      small_steps_ = small_steps_ && quant[kStoredOrder[i]] < 256;
      steps_[i] = static_cast<std::int16_t>(quant[kStoredOrder[i]]);
    }
  }

  HWY_INLINE bool add(const std::int16_t* block, SymbolEnds& ends) const {
    const DSmall d;
    const hn::Full128<std::uint64_t> d64;
    VSum sum = hn::Zero(DSum());
    VSmall beyond_bytes = hn::Zero(d);
    V128 bytes[4];
    for (std::size_t pair = 0; pair < 4; ++pair) {
      // Groups 2 * pair and 2 * pair + 1: a quadrant of 4 x 4, two rows each.
      const std::int16_t* const quadrant = block + (pair / 2) * 32 + (pair % 2) * 4;
      const auto two_rows = [&](std::size_t row) HWY_ATTR {
        const std::int16_t* const at = quadrant + row * 8;
        return hn::BitCast(d, load_two_eights(reinterpret_cast<const std::uint8_t*>(at),
                                              reinterpret_cast<const std::uint8_t*>(at + 8)));
      };
      VSmall first = two_rows(0);
      const VSmall second = two_rows(2);
      const auto weigh = [&](VSmall values, std::size_t group) HWY_ATTR {
        sum = hn::Add(sum, pair_products(hn::Max(values, hn::Neg(values)), hn::Load(d, &steps_[group * 8])));
      };
      weigh(first, 2 * pair);
      weigh(second, 2 * pair + 1);
      if (pair == 0) {  // the DC is stored in another way
        first = hn::And(first, hn::Load(d, kAllButDc));
      }
      const VSmall bias = hn::Set(d, 128);
      beyond_bytes = hn::Or(beyond_bytes, hn::Or(hn::Add(first, bias), hn::Add(second, bias)));
      bytes[pair] = to_bytes(first, second);
    }
    const bool escapes = !hn::AllTrue(d, hn::Eq(hn::ShiftRight<8>(beyond_bytes), hn::Zero(d)));
    if (HWY_UNLIKELY(escapes)) {
      add_one_by_one(block, ends);
      return columns_are_in_range(block, quant_);
    }
    const unsigned masks[4] = {bits_of_nonzero(bytes[0]), bits_of_nonzero(bytes[1]),
                               bits_of_nonzero(bytes[2]), bits_of_nonzero(bytes[3])};
    std::uint8_t* const values0 = ends.at[kValues0];
    std::uint8_t* const values1 = ends.at[kValues1];
    gather_two(bytes[0], masks[0] & 255, masks[0] >> 8, values0, values1);
    ends.at[kValues0] = values0 + std::popcount(masks[0] & 255);
    ends.at[kValues1] = values1 + std::popcount(masks[0] >> 8);
    const auto gather = [&](std::size_t pair, std::uint8_t* to) HWY_ATTR {
      const unsigned lower = masks[pair] & 255;
      gather_two(bytes[pair], lower, masks[pair] >> 8, to, to + std::popcount(lower));
      return to + std::popcount(masks[pair]);
    };
    ends.at[kValues2] = gather(2, gather(1, ends.at[kValues2]));
    ends.at[kValues3] = gather(3, ends.at[kValues3]);

    const std::uint64_t high = masks[1] | std::uint64_t{masks[2]} << 16 | std::uint64_t{masks[3]} << 32;
    const V128 high_masks = hn::BitCast(D128(), hn::Set(d64, high));
    const unsigned groups = bits_of_nonzero(high_masks) & 63;
    const hn::Full64<std::uint8_t> d_eight;
    const V128 of_groups = hn::TableLookupBytes(
        high_masks, load_two_eights(kGather[0][groups].data(), kGather[0][groups].data()));
    hn::StoreU(hn::LowerHalf(d_eight, of_groups), d_eight, ends.at[kMasks]);
    ends.at[kMasks] += std::popcount(groups);
    *ends.at[kGroups]++ = static_cast<std::uint8_t>(groups);
    *ends.at[kMask0]++ = static_cast<std::uint8_t>(masks[0]);
    *ends.at[kMask1]++ = static_cast<std::uint8_t>(masks[0] >> 8);
    const auto weighted = static_cast<std::uint32_t>(hn::GetLane(hn::SumOfLanes(DSum(), sum)));
    return (small_steps_ && weighted <= kMaxColumnSum) || columns_are_in_range(block, quant_);
  }

 private:
  alignas(16) std::array<std::int16_t, 64> steps_{};  // in stored order
  bool small_steps_ = true;                           // enough to be summed up
  const std::array<std::uint16_t, 64>& quant_;
};

#endif

}  // namespace

bool add_block_symbols_here(const TileBlocks& blocks, SymbolEnds& out) {
  const BlockAdder adder(*blocks.quant);
  SymbolEnds ends = out;  // a local copy: bytes that are stored cannot change it
  int above = 0;
  const std::int16_t* row = blocks.first;
  for (int y = 0; y < blocks.high; ++y, row += blocks.row_step) {
    const std::int16_t* block = row;
    int predicted = above;
    above = block[0];
    for (int x = 0; x < blocks.wide; ++x, block += 64) {
      if (!add_dc(block[0] - predicted, ends) || !adder.add(block, ends)) {
        return false;
      }
      predicted = block[0];
    }
  }
  out = ends;
  return true;
}

}  // namespace HWY_NAMESPACE
}  // namespace penstock::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::inline v0 {

HWY_EXPORT(add_block_symbols_here);

bool detail::add_block_symbols(const TileBlocks& blocks, SymbolEnds& ends) {
  return HWY_DYNAMIC_DISPATCH(add_block_symbols_here)(blocks, ends);
}

}  // namespace penstock::inline v0
#endif
