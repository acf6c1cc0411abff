#include <algorithm>
#include <bit>
#include <cstring>

#include "codecs/repacked/tile_data.hpp"
#include "core/cpu.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codecs/repacked/kernels/tile_samples.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "codecs/repacked/kernels/inverse_dct-inl.hpp"
#include "core/vector_helpers-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace penstock {
namespace HWY_NAMESPACE {
using namespace detail;  // NOLINT: a namespace per target
namespace {

/// Where the values of the next block are, by value class.
struct Values {
  const std::uint8_t *of0, *of1, *of2, *of3;

  HWY_INLINE void skip(std::uint64_t mask) {
    of0 += std::popcount(static_cast<std::uint8_t>(mask));
    of1 += std::popcount(static_cast<std::uint8_t>(mask >> 8));
    of2 += std::popcount(static_cast<std::uint32_t>(mask >> 16));
    of3 += std::popcount(static_cast<std::uint16_t>(mask >> 48));
  }
};

/// Adds the high parts of the escaped coefficients of a block; `place` gives the element of a natural place.
template <class Place>
HWY_INLINE void add_escapes(const PartData& part, std::size_t block, std::int16_t* coefficients,
                            Place place) {
  if ((part.groups()[block] & kHasEscapes) == 0) {
    return;
  }
  const std::uint8_t* at = part.escapes.data() + part.escape_begin[block];
  bool last = false;
  for (; !last; at += 2) {
    last = (at[0] & kLastEscape) != 0;
    std::int16_t& value = coefficients[place(at[0] & 63u)];
    value = static_cast<std::int16_t>(value + static_cast<std::int8_t>(at[1]) * 256);
  }
}

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

constexpr std::size_t kGroup = 1;

/// The reference: coefficient by coefficient.
HWY_INLINE void decode_blocks(const PartData& part, std::size_t block, std::size_t /*count*/, Values& values,
                              const std::int16_t* quant, std::uint8_t* out, std::size_t stride) {
  std::int16_t coefficients[64] = {};
  coefficients[0] = part.dc[block];
  for (std::uint64_t mask = part.masks[block]; mask != 0; mask &= mask - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(mask));
    const std::uint8_t*& from = i < 8 ? values.of0 : i < 16 ? values.of1 : i < 48 ? values.of2 : values.of3;
    coefficients[kStoredOrder[i]] = static_cast<std::int8_t>(*from++);
  }
  add_escapes(part, block, coefficients, [](unsigned natural) { return natural; });
  for (std::size_t i = 0; i < 64; ++i) {
    coefficients[i] =
        static_cast<std::int16_t>(static_cast<unsigned>(coefficients[i]) * static_cast<unsigned>(quant[i]));
  }
  inverse_dct(coefficients, out, stride);
}

#else

constexpr std::size_t kGroup = kBlocks;
using D128 = hn::Full128<std::uint8_t>;
using V128 = hn::Vec<D128>;

/// Shuffles that put the bytes of a list where a mask has ones; zeros elsewhere and in the upper half.
alignas(64) constexpr std::array<std::array<std::uint8_t, 16>, 256> kExpand = [] {
  std::array<std::array<std::uint8_t, 16>, 256> table{};
  for (unsigned mask = 0; mask < 256; ++mask) {
    std::uint8_t next = 0;
    for (unsigned i = 0; i < 16; ++i) {
      table[mask][i] = i < 8 && (mask >> i & 1) != 0 ? next++ : std::uint8_t{0x80};
    }
  }
  return table;
}();

HWY_INLINE V128 expand(const std::uint8_t* list, unsigned mask) {
  const hn::Half<D128> half;
  const D128 d;
  return hn::TableLookupBytesOr0(hn::ZeroExtendVector(d, hn::LoadU(half, list)),
                                 hn::Load(d, kExpand[mask].data()));
}

/// Two groups: a quadrant of 4 x 4 coefficients.
HWY_INLINE V128 join(V128 first, V128 second) {
  const hn::Full128<std::uint64_t> d64;
  const D128 d;
  return hn::BitCast(d, hn::InterleaveLower(d64, hn::BitCast(d64, first), hn::BitCast(d64, second)));
}

HWY_INLINE V128 expand_low(Values& values, std::uint64_t mask) {
  const auto first = static_cast<std::uint8_t>(mask);
  const auto second = static_cast<std::uint8_t>(mask >> 8);
  const V128 result = join(expand(values.of0, first), expand(values.of1, second));
  values.of0 += std::popcount(first);
  values.of1 += std::popcount(second);
  return result;
}

HWY_INLINE V128 expand_quadrant(const std::uint8_t*& list, std::uint64_t mask) {
  const auto first = static_cast<std::uint8_t>(mask);
  const auto second = static_cast<std::uint8_t>(mask >> 8);
  const std::uint8_t* const middle = list + std::popcount(first);
  const V128 result = join(expand(list, first), expand(middle, second));
  list = middle + std::popcount(second);
  return result;
}

/// One block of 16 bytes from each.
HWY_INLINE V8 combine(const V128* parts) {
#if HWY_MAX_BYTES == 16
  return parts[0];
#elif HWY_MAX_BYTES == 32
  return hn::Combine(D8(), parts[1], parts[0]);
#else
  const hn::Full256<std::uint8_t> half;
  return hn::Combine(D8(), hn::Combine(half, parts[3], parts[2]), hn::Combine(half, parts[1], parts[0]));
#endif
}

/// Bytes with sign to two rows of 16 bits: the lower and the upper half of each block.
HWY_INLINE void widen(V8 bytes, V16& lower, V16& upper) {
  const hn::Repartition<std::int8_t, D8> signed_bytes;
  const V8 sign = hn::BitCast(D8(), hn::BroadcastSignBit(hn::BitCast(signed_bytes, bytes)));
  lower = hn::BitCast(D16(), hn::InterleaveLower(D8(), bytes, sign));
  upper = hn::BitCast(D16(), hn::InterleaveUpper(D8(), bytes, sign));
}

/// Four rows from their left and right quadrants.
HWY_INLINE void rows_of(V8 left, V8 right, V16* rows) {
  const auto l = hn::BitCast(D32(), left);
  const auto r = hn::BitCast(D32(), right);
  widen(hn::BitCast(D8(), hn::InterleaveLower(D32(), l, r)), rows[0], rows[1]);
  widen(hn::BitCast(D8(), hn::InterleaveUpper(D32(), l, r)), rows[2], rows[3]);
}

/// The DCs of consecutive blocks, each at the front of its block.
HWY_INLINE V16 dc_rows(const std::int16_t* dc) {
  alignas(64) static constexpr std::uint8_t kFront[64] = {
      0, 1, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
      2, 3, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
      4, 5, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
      6, 7, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128};
  const V8 all = hn::LoadDup128(D8(), reinterpret_cast<const std::uint8_t*>(dc));
  return hn::BitCast(D16(), hn::TableLookupBytesOr0(all, hn::Load(D8(), kFront)));
}

HWY_NOINLINE void patch_escapes(const PartData& part, std::size_t block, std::size_t count, V16* rows) {
  alignas(64) std::int16_t memory[8 * 8 * kGroup];
  for (std::size_t i = 0; i < 8; ++i) {
    hn::Store(rows[i], D16(), memory + i * 8 * kGroup);
  }
  for (std::size_t i = 0; i < count; ++i) {
    add_escapes(part, block + i, memory + i * 8,
                [](unsigned natural) { return (natural >> 3) * 8 * kGroup + (natural & 7); });
  }
  for (std::size_t i = 0; i < 8; ++i) {
    rows[i] = hn::Load(D16(), memory + i * 8 * kGroup);
  }
}

/// Blocks without AC: one value each.
HWY_INLINE void fill_blocks(const std::int16_t* dc, std::size_t count, int quant, std::uint8_t* out,
                            std::size_t stride) {
  for (std::size_t i = 0; i < count; ++i) {
    const int value = static_cast<std::int16_t>(static_cast<unsigned>(dc[i]) * static_cast<unsigned>(quant));
    const int sample = std::clamp(((value * 4 + 16) >> 5) + 128, 0, 255);
    const std::uint64_t eight = static_cast<std::uint64_t>(sample) * 0x0101010101010101ull;
    for (std::size_t row = 0; row < 8; ++row) {
      std::memcpy(out + row * stride + i * 8, &eight, sizeof eight);
    }
  }
}

/// `count` blocks, at most kGroup, side by side. What the masks prove to be zero is left out.
HWY_INLINE void decode_blocks(const PartData& part, std::size_t block, std::size_t count, Values& values,
                              const std::int16_t* quant, std::uint8_t* out, std::size_t stride) {
  std::uint64_t masks[kGroup];
  std::uint64_t any = 0;
  unsigned flags = 0;
  for (std::size_t i = 0; i < kGroup; ++i) {
    masks[i] = i < count ? part.masks[block + i] : 0;
    flags |= i < count ? part.groups()[block + i] : 0u;
    any |= masks[i];
  }
  if (any == 0) {
    fill_blocks(part.dc.data() + block, count, quant[0], out, stride);
    return;
  }
  const bool escapes = (flags & kHasEscapes) != 0;
  const auto quant_row = [&](std::size_t row) HWY_ATTR { return hn::LoadDup128(D16(), quant + row * 8); };
  V128 low[kGroup], right[kGroup], bottom[kGroup], corner[kGroup];
  V16 rows[8];
  const V8 zero = hn::Zero(D8());
  if (any >> 32 == 0) {
    for (std::size_t i = 0; i < kGroup; ++i) {
      low[i] = expand_low(values, masks[i]);
    }
    V8 right_half = zero;
    if (any >> 16 != 0) {
      for (std::size_t i = 0; i < kGroup; ++i) {
        right[i] = expand_quadrant(values.of2, masks[i] >> 16);
      }
      right_half = combine(right);
    }
    rows_of(combine(low), right_half, rows);
    rows[0] = hn::Or(rows[0], dc_rows(part.dc.data() + block));
    if (HWY_LIKELY(!escapes)) {
      for (std::size_t i = 0; i < 4; ++i) {
        rows[i] = hn::Mul(rows[i], quant_row(i));
      }
      if (any >> 16 == 0) {
        inverse_dct<true, true>(rows, out, stride);
      } else {
        inverse_dct<true, false>(rows, out, stride);
      }
      return;
    }
    for (std::size_t i = 4; i < 8; ++i) {
      rows[i] = hn::Zero(D16());
    }
  } else {
    for (std::size_t i = 0; i < kGroup; ++i) {
      low[i] = expand_low(values, masks[i]);
      right[i] = expand_quadrant(values.of2, masks[i] >> 16);
      bottom[i] = expand_quadrant(values.of2, masks[i] >> 32);
      corner[i] = expand_quadrant(values.of3, masks[i] >> 48);
    }
    rows_of(combine(low), combine(right), rows);
    rows_of(combine(bottom), combine(corner), rows + 4);
    rows[0] = hn::Or(rows[0], dc_rows(part.dc.data() + block));
  }
  if (HWY_UNLIKELY(escapes)) {
    patch_escapes(part, block, count, rows);
  }
  for (std::size_t i = 0; i < 8; ++i) {
    rows[i] = hn::Mul(rows[i], quant_row(i));
  }
  inverse_dct<false, false>(rows, out, stride);
}

#endif

}  // namespace

CpuTarget samples_target_compiled() { return this_target(); }

void decode_samples_here(const BlockJob& job) {
  const PartData& part = *job.part;
  const auto& begins = part.value_begins[static_cast<std::size_t>(job.component)];
  Values values{begins[0], begins[1], begins[2], begins[3]};
  auto block = static_cast<std::size_t>(job.component * job.wide * job.high);
  const std::size_t rows_above = static_cast<std::size_t>(job.y0 * job.wide);
  const auto skip = [&](std::size_t count) HWY_ATTR {
    for (std::size_t i = 0; i < count; ++i) {
      values.skip(part.masks[block++]);
    }
  };
  skip(rows_above);
  std::uint8_t* out = job.out;
  for (int y = job.y0; y < job.y1; ++y) {
    skip(static_cast<std::size_t>(job.x0));
    for (int x = job.x0; x < job.x1;) {
      const std::size_t count = std::min(kGroup, static_cast<std::size_t>(job.x1 - x));
      decode_blocks(part, block, count, values, job.quant, out + (x - job.x0) * 8, job.stride);
      block += count;
      x += static_cast<int>(count);
    }
    skip(static_cast<std::size_t>(job.wide - job.x1));
    out += 8 * job.stride;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace penstock
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock {

HWY_EXPORT(decode_samples_here);
HWY_EXPORT(samples_target_compiled);

void detail::decode_samples(const BlockJob& job) { HWY_DYNAMIC_DISPATCH(decode_samples_here)(job); }

CpuTarget detail::samples_target() { return HWY_DYNAMIC_DISPATCH(samples_target_compiled)(); }

}  // namespace penstock
#endif
