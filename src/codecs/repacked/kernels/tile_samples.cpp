#include <algorithm>
#include <bit>
#include <cstring>

#include "codecs/repacked/tile_data.hpp"
#include "core/cpu.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codecs/repacked/kernels/tile_samples.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "codecs/repacked/kernels/inverse_dct-inl.hpp"
#include "codecs/repacked/kernels/two_eights-inl.hpp"
#include "core/vector_helpers-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace penstock::inline v0 {
namespace HWY_NAMESPACE {
using namespace detail;  // a namespace per target
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

/// Place in the stored order of each natural place.
constexpr std::array<std::uint8_t, 64> kStoredPlace = [] {
  std::array<std::uint8_t, 64> places{};
  for (std::size_t i = 0; i < 64; ++i) {
    places[kStoredOrder[i]] = static_cast<std::uint8_t>(i);
  }
  return places;
}();

/// Calls `add(place, value)` for the dequantised high part of each escaped coefficient of a block; places are
/// those of the stored order.
template <class Add>
HWY_INLINE void for_each_escape(const PartData& part, std::size_t block, const std::int16_t* quant, Add add) {
  if ((part.groups()[block] & kHasEscapes) == 0) {
    return;
  }
  const std::uint8_t* at = part.escapes.data() + part.escape_begin[block];
  bool last = false;
  for (; !last; at += 2) {
    last = (at[0] & kLastEscape) != 0;
    const std::size_t place = kStoredPlace[at[0] & 63u];
    add(place, static_cast<std::int8_t>(at[1]) * 256 * quant[place]);
  }
}

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

constexpr std::size_t kGroup = 1;

struct Quant {
  const std::int16_t* steps;

  explicit Quant(const std::int16_t* given) : steps(given) {}
};

/// The reference: coefficient by coefficient.
HWY_INLINE void decode_blocks(const PartData& part, std::size_t block, std::size_t /*count*/, Values& values,
                              const Quant& quant, std::uint8_t* out, std::size_t stride) {
  std::int16_t coefficients[64] = {};
  const auto add = [&](std::size_t place, int value) {
    std::int16_t& sum = coefficients[kStoredOrder[place]];
    sum = static_cast<std::int16_t>(sum + value);
  };
  add(0, part.dc[block] * quant.steps[0]);
  for (std::uint64_t mask = part.masks[block]; mask != 0; mask &= mask - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(mask));
    const std::uint8_t*& from = i < 8 ? values.of0 : i < 16 ? values.of1 : i < 48 ? values.of2 : values.of3;
    add(i, static_cast<std::int8_t>(*from++) * quant.steps[i]);
  }
  for_each_escape(part, block, quant.steps, add);
  inverse_dct(coefficients, out, stride);
}

#else

constexpr std::size_t kGroup = kBlocks;

/// The steps of a component, by group for kGroup blocks.
struct Quant {
  const std::int16_t* steps;
  V16 rows[8];

  explicit Quant(const std::int16_t* given) : steps(given) {
    for (std::size_t i = 0; i < 8; ++i) {
      rows[i] = hn::LoadDup128(D16(), given + 8 * i);
    }
  }
};

/// Eight bytes of each block.
using DEights = hn::Half<D8>;
using Eights = hn::Vec<DEights>;

/// Shuffles that put the bytes of a list where a mask has ones, and zeros elsewhere; for the lower and the
/// upper half of 16 bytes.
using ExpandTable = std::array<std::array<std::uint8_t, 8>, 256>;
alignas(64) constexpr std::array<ExpandTable, 2> kExpand = [] {
  std::array<ExpandTable, 2> tables{};
  for (unsigned half = 0; half < 2; ++half) {
    for (unsigned mask = 0; mask < 256; ++mask) {
      auto next = static_cast<std::uint8_t>(half * 8);
      for (unsigned i = 0; i < 8; ++i) {
        tables[half][mask][i] = (mask >> i & 1) != 0 ? next++ : std::uint8_t{0x80};
      }
    }
  }
  return tables;
}();

/// Eight bytes from each of kGroup places.
template <class From>
HWY_INLINE Eights load_eights(From from) {
#if HWY_MAX_BYTES == 16
  return hn::LoadU(DEights(), from(0));
#elif HWY_MAX_BYTES == 32
  return load_two_eights(from(0), from(1));
#else
  return hn::Combine(DEights(), load_two_eights(from(2), from(3)), load_two_eights(from(0), from(1)));
#endif
}

/// Where the next values of each block are.
struct Lists {
  const std::uint8_t* at[kGroup];
};

/// Each block's part of a list. A Mask has the bits of the groups that share it, from `masks` on; those of
/// the next block are 8 bytes later.
template <class Mask>
HWY_INLINE Lists split(const std::uint8_t* list, const std::uint8_t* masks) {
  Lists lists;
  lists.at[0] = list;
  for (std::size_t i = 1; i < kGroup; ++i) {
    Mask mask;
    std::memcpy(&mask, masks + 8 * (i - 1), sizeof mask);
    lists.at[i] = lists.at[i - 1] + std::popcount(mask);
  }
  return lists;
}

/// A group of each block, taken off its list.
HWY_INLINE V16 expand(Lists& lists, const std::uint8_t* masks) {
  const Eights values = load_eights([&](std::size_t i) HWY_ATTR { return lists.at[i]; });
  const Eights places =
      load_eights([&](std::size_t i) HWY_ATTR { return kExpand[i % 2][masks[8 * i]].data(); });
  for (std::size_t i = 0; i < kGroup; ++i) {
    lists.at[i] += std::popcount(unsigned{masks[8 * i]});
  }
  const hn::RebindToSigned<DEights> d;
  return hn::PromoteTo(D16(), hn::BitCast(d, hn::TableLookupBytesOr0(values, places)));
}

/// The same of a list that has this group only: each block's values follow those of the block before.
HWY_INLINE V16 expand(const std::uint8_t*& list, const std::uint8_t* masks) {
  Lists lists = split<std::uint8_t>(list, masks);
  const V16 result = expand(lists, masks);
  list = lists.at[kGroup - 1];
  return result;
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

HWY_NOINLINE void add_escapes(const PartData& part, std::size_t block, std::size_t count,
                              const std::int16_t* quant, V16* groups) {
  alignas(64) std::int16_t memory[8][kGroup][8];
  for (std::size_t i = 0; i < 8; ++i) {
    hn::Store(groups[i], D16(), memory[i][0]);
  }
  for (std::size_t i = 0; i < count; ++i) {
    for_each_escape(part, block + i, quant, [&](std::size_t place, int value) {
      std::int16_t& sum = memory[place / 8][i][place % 8];
      sum = static_cast<std::int16_t>(sum + value);
    });
  }
  for (std::size_t i = 0; i < 8; ++i) {
    groups[i] = hn::Load(D16(), memory[i][0]);
  }
}

/// Blocks without AC: one value each.
HWY_INLINE void fill_blocks(const std::int16_t* dc, std::size_t count, int quant, std::uint8_t* out,
                            std::size_t stride) {
  for (std::size_t i = 0; i < count; ++i) {
    const int value = static_cast<std::int16_t>(dc[i] * quant + kDcBias);
    const int sample = std::clamp(value >> 6, 0, 255);
    const std::uint64_t eight = static_cast<std::uint64_t>(sample) * 0x0101010101010101ull;
    for (std::size_t row = 0; row < 8; ++row) {
      std::memcpy(out + row * stride + i * 8, &eight, sizeof eight);
    }
  }
}

/// kGroup blocks on their way to samples: their masks and their coefficients, dequantised, by group.
struct Coefficients {
  const std::uint8_t* masks;
  const V16* quant;
  V16 groups[8];

  HWY_INLINE void put(std::size_t group, V16 v) { groups[group] = hn::Mul(v, quant[group]); }

  /// The upper left quadrants, with the DCs.
  HWY_INLINE void expand_low(Values& values, const std::int16_t* dc) {
    put(0, hn::Or(expand(values.of0, masks), dc_rows(dc)));
    put(1, expand(values.of1, masks + 1));
  }

  HWY_INLINE void expand_two(std::size_t group, Lists& lists) {
    put(group, expand(lists, masks + group));
    put(group + 1, expand(lists, masks + group + 1));
  }

  /// The other quadrants.
  HWY_INLINE void expand_rest(Values& values) {
    Lists lists = split<std::uint32_t>(values.of2, masks + 2);
    expand_two(2, lists);
    expand_two(4, lists);
    values.of2 = lists.at[kGroup - 1];
    lists = split<std::uint16_t>(values.of3, masks + 6);
    expand_two(6, lists);
    values.of3 = lists.at[kGroup - 1];
  }

  HWY_INLINE void expand_one_more(std::size_t group, Values& values) {
    Lists lists = split<std::uint32_t>(values.of2, masks + 2);
    expand_two(group, lists);
    values.of2 = lists.at[kGroup - 1];
  }
};

/// Blocks of which some have escapes; `count` of them are there.
HWY_NOINLINE void decode_escaped(const PartData& part, std::size_t block, std::size_t count, Values& values,
                                 const std::uint8_t* masks, const std::int16_t* quant, const V16* quant_rows,
                                 std::uint8_t* out, std::size_t stride) {
  Coefficients coefficients{masks, quant_rows, {}};
  coefficients.expand_low(values, part.dc.data() + block);
  coefficients.expand_rest(values);
  add_escapes(part, block, count, quant, coefficients.groups);
  inverse_dct<false, false>(coefficients.groups, out, stride);
}

/// Blocks without escapes, of which `any` gives the coefficients that one of them has. What that proves to be
/// zero is left out.
HWY_INLINE void decode_plain(const std::int16_t* dc, Values& values, const std::uint8_t* masks,
                             std::uint64_t any, const V16* quant, std::uint8_t* out, std::size_t stride) {
  constexpr std::uint64_t kRight = 0xFFFF0000FFFF0000;
  constexpr std::uint64_t kBottom = 0xFFFFFFFF00000000;
  Coefficients coefficients{masks, quant, {}};
  coefficients.expand_low(values, dc);
  if (any >> 16 == 0) {
    inverse_dct<true, true>(coefficients.groups, out, stride);
  } else if ((any & kRight) == 0) {
    coefficients.expand_one_more(4, values);
    inverse_dct<false, true>(coefficients.groups, out, stride);
  } else if ((any & kBottom) == 0) {
    coefficients.expand_one_more(2, values);
    inverse_dct<true, false>(coefficients.groups, out, stride);
  } else {
    coefficients.expand_rest(values);
    inverse_dct<false, false>(coefficients.groups, out, stride);
  }
}

/// `count` blocks, at most kGroup, side by side.
HWY_INLINE void decode_blocks(const PartData& part, std::size_t block, std::size_t count, Values& values,
                              const Quant& quant, std::uint8_t* out, std::size_t stride) {
  const std::uint64_t* masks = part.masks.data() + block;
  std::uint64_t some[kGroup];
  if (count < kGroup) {
    for (std::size_t i = 0; i < kGroup; ++i) {
      some[i] = i < count ? masks[i] : 0;
    }
    masks = some;
  }
  std::uint64_t any = 0;
  for (std::size_t i = 0; i < kGroup; ++i) {
    any |= masks[i];
  }
  unsigned flags = 0;
  for (std::size_t i = 0; i < count; ++i) {
    flags |= part.groups()[block + i];
  }
  const std::int16_t* const dc = part.dc.data() + block;
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(masks);
  if (HWY_UNLIKELY((flags & kHasEscapes) != 0)) {
    Values moved = values;  // so that `values` can stay in registers
    decode_escaped(part, block, count, moved, bytes, quant.steps, quant.rows, out, stride);
    values = moved;
  } else if (any == 0) {
    fill_blocks(dc, count, quant.steps[0], out, stride);
  } else {
    decode_plain(dc, values, bytes, any, quant.rows, out, stride);
  }
}

#endif

}  // namespace

CpuTarget samples_target_compiled() { return this_target(); }

void decode_samples_here(const BlockJob& given) {
  const BlockJob job = given;  // which no sample that is written can change
  const PartData& part = *job.part;
  const Quant quant(job.quant);
  const auto& begins = part.value_begins[static_cast<std::size_t>(job.component)];
  Values values{begins[0], begins[1], begins[2], begins[3]};
  auto block = static_cast<std::size_t>(job.component * job.wide * job.high);
  const auto skip = [&](int count) HWY_ATTR {
    for (; count > 0; --count) {
      values.skip(part.masks[block++]);
    }
  };
  skip(job.y0 * job.wide);
  std::uint8_t* row = job.out;
  for (int y = job.y0; y < job.y1; ++y, row += 8 * job.stride) {
    skip(job.x0);
    std::uint8_t* out = row;
    for (auto left = static_cast<std::size_t>(job.x1 - job.x0); left > 0;) {
      const std::size_t count = std::min(kGroup, left);
      decode_blocks(part, block, count, values, quant, out, job.stride);
      block += count;
      out += 8 * count;
      left -= count;
    }
    skip(job.wide - job.x1);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace penstock::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::inline v0 {

HWY_EXPORT(decode_samples_here);
HWY_EXPORT(samples_target_compiled);

void detail::decode_samples(const BlockJob& job) { HWY_DYNAMIC_DISPATCH(decode_samples_here)(job); }

CpuTarget detail::samples_target() { return HWY_DYNAMIC_DISPATCH(samples_target_compiled)(); }

}  // namespace penstock::inline v0
#endif
