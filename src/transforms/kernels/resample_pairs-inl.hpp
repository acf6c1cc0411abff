// Resampling with any number of taps: weights of two halves, products of 16 bits in pairs. Included once per
// target.

#if defined(PENSTOCK_RESAMPLE_PAIRS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PENSTOCK_RESAMPLE_PAIRS_INL
#undef PENSTOCK_RESAMPLE_PAIRS_INL
#else
#define PENSTOCK_RESAMPLE_PAIRS_INL
#endif

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/vector_helpers-inl.hpp"
#include "hwy/highway.h"
#include "transforms/kernels/resample.hpp"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

HWY_BEFORE_NAMESPACE();
namespace penstock::inline v0 {
namespace HWY_NAMESPACE {

constexpr int kGroup = 2 * kBlocks;  // rows at once

// A pair of weights as the 32 bits that pair products want.
HWY_INLINE V16 both(const std::int16_t (&weights)[2]) {
  std::int32_t bits;
  std::memcpy(&bits, weights, sizeof bits);
  return hn::BitCast(D16(), hn::Set(D32(), bits));
}

// From both halves of the weights to pixels: (high * 2^11 + low, rounding included) / 2^22.
HWY_INLINE V32 finish(V32 high, V32 low) {
  return hn::ShiftRight<kWeightBits>(hn::Add(hn::ShiftLeft<11>(high), low));
}

// Bytes of four pixels in a block of 16, by channels.
struct PairPicks {
  alignas(16) std::uint8_t pair[2][16];   // two neighbouring pixels as 16-bit lanes: R R' G G' B B' and zeros
  alignas(16) std::uint8_t together[16];  // pixels of four bytes, one after the other
};

template <int kChannels>
inline constexpr PairPicks kPairPicks = [] {
  PairPicks picks{};
  for (int i = 0; i < 16; ++i) {
    const int channel = i / 4, second = i / 2 % 2;
    for (int p = 0; p < 2; ++p) {
      picks.pair[p][i] = static_cast<std::uint8_t>(
          i % 2 == 0 && channel < kChannels ? (2 * p + second) * kChannels + channel : 128);
    }
    picks.together[i] =
        static_cast<std::uint8_t>(i < 4 * kChannels ? i / kChannels * 4 + i % kChannels : 128);
  }
  return picks;
}();

HWY_INLINE V8 in_every_block(const std::uint8_t (&mask)[16]) { return hn::LoadDup128(D8(), mask); }

// One output pixel of kGroups times kBlocks rows: R G B A in each block, 0 for channels that there are not.
// kPairs 0: as many as the pixel has. Several groups share the loads of the weights.
template <int kChannels, int kPairs, int kGroups>
HWY_INLINE void pixel_of_rows(const ResampleAxis::Taps& taps, const ResampleAxis::Pair* pairs,
                              const std::uint8_t* in, std::ptrdiff_t origin, std::size_t stride,
                              V32 (&sums)[kGroups]) {
  const V8 pair0 = in_every_block(kPairPicks<kChannels>.pair[0]);
  const V8 pair1 = in_every_block(kPairPicks<kChannels>.pair[1]);
  const std::uint8_t* from = in + (taps.start * kChannels - origin);
  V32 highs[kGroups], lows[kGroups];
  for (int g = 0; g < kGroups; ++g) {
    highs[g] = hn::Zero(D32());
    lows[g] = hn::Set(D32(), 1 << (kWeightBits - 1));
  }
  const int count = kPairs == 0 ? taps.pairs : kPairs;
  for (int p = 0; p < count; p += 2, from += 4 * kChannels) {
    const V16 high0 = both(pairs[p].high);
    const V16 low0 = both(pairs[p].low);
    const V16 high1 = both(pairs[p + 1].high);
    const V16 low1 = both(pairs[p + 1].low);
    for (int g = 0; g < kGroups; ++g) {
      const V8 pixels = load_blocks(from + static_cast<std::size_t>(g * kBlocks) * stride, stride);
      const V16 a = hn::BitCast(D16(), hn::TableLookupBytesOr0(pixels, pair0));
      highs[g] = add_pair_products(highs[g], a, high0);
      lows[g] = add_pair_products(lows[g], a, low0);
      const V16 b = hn::BitCast(D16(), hn::TableLookupBytesOr0(pixels, pair1));
      highs[g] = add_pair_products(highs[g], b, high1);
      lows[g] = add_pair_products(lows[g], b, low1);
    }
  }
  for (int g = 0; g < kGroups; ++g) {
    sums[g] = finish(highs[g], lows[g]);
  }
}

// Output pixels at t[0] .. t[3] (with weights w[0] .. w[3]) of kGroups * kBlocks rows.
template <int kChannels, int kPairs, int kGroups>
HWY_INLINE void four_pixels(const ResampleAxis::Taps* t0, const ResampleAxis::Taps* t1,
                            const ResampleAxis::Taps* t2, const ResampleAxis::Taps* t3,
                            const ResampleAxis::Pair* w0, const ResampleAxis::Pair* w1,
                            const ResampleAxis::Pair* w2, const ResampleAxis::Pair* w3,
                            const std::uint8_t* in, std::ptrdiff_t origin, std::size_t in_stride, int rows,
                            std::uint8_t* out, std::size_t out_stride) {
  V32 s0[kGroups], s1[kGroups], s2[kGroups], s3[kGroups];
  pixel_of_rows<kChannels, kPairs>(*t0, w0, in, origin, in_stride, s0);
  pixel_of_rows<kChannels, kPairs>(*t1, w1, in, origin, in_stride, s1);
  pixel_of_rows<kChannels, kPairs>(*t2, w2, in, origin, in_stride, s2);
  pixel_of_rows<kChannels, kPairs>(*t3, w3, in, origin, in_stride, s3);
  const V8 drop = in_every_block(kPairPicks<kChannels>.together);
  for (int g = 0; g < kGroups; ++g) {
    const V8 pixels = hn::TableLookupBytesOr0(pack_8(pack_16(s0[g], s1[g]), pack_16(s2[g], s3[g])), drop);
    store_blocks(pixels, out + static_cast<std::size_t>(g * kBlocks) * out_stride, out_stride, rows);
  }
}

// kGroups * kBlocks rows; or one row, which then lies in every block (stride 0).
template <int kChannels, int kPairs, int kGroups>
HWY_INLINE void horizontal_rows(const HorizontalPass& pass, const std::uint8_t* in, std::size_t in_stride,
                                int rows, std::uint8_t* out, std::size_t out_stride) {
  const ResampleAxis& axis = *pass.axis;
  const std::ptrdiff_t origin = std::ptrdiff_t{pass.origin} * kChannels;
  const std::ptrdiff_t step = pass.flip ? -1 : 1;
  const std::ptrdiff_t jump = step * (kPairs == 0 ? axis.stride : kPairs);  // from weights to weights
  int left = axis.count();
  const ResampleAxis::Taps* t = &axis.taps_of(pass.flip ? left - 1 : 0);
  const ResampleAxis::Pair* w = axis.pairs_of(pass.flip ? left - 1 : 0);
  for (; left >= 4; left -= 4) {
    four_pixels<kChannels, kPairs, kGroups>(t, t + step, t + 2 * step, t + 3 * step, w, w + jump,
                                            w + 2 * jump, w + 3 * jump, in, origin, in_stride, rows, out,
                                            out_stride);
    t += 4 * step;
    w += 4 * jump;
    out += 4 * kChannels;
  }
  if (left > 0) {  // the last pixel takes the places of those that are missing
    const std::ptrdiff_t second = left > 1 ? 1 : 0;
    const std::ptrdiff_t last = left - 1;
    four_pixels<kChannels, kPairs, kGroups>(t, t + second * step, t + last * step, t + last * step, w,
                                            w + second * jump, w + last * jump, w + last * jump, in, origin,
                                            in_stride, rows, out, out_stride);
  }
}

template <int kChannels, int kPairs>
void horizontal_all(const HorizontalPass& pass, const std::uint8_t* in, std::size_t in_stride, int rows,
                    std::uint8_t* out, std::size_t out_stride) {
  int y = 0;
  const auto run = [&](auto groups, int rows_each, std::size_t stride) HWY_ATTR {
    const auto offset = static_cast<std::size_t>(y);
    horizontal_rows<kChannels, kPairs, decltype(groups)::value>(
        pass, in + offset * in_stride, stride, rows_each, out + offset * out_stride, out_stride);
  };
  for (; y + kGroup <= rows; y += kGroup) {
    run(std::integral_constant<int, kGroup / kBlocks>(), kBlocks, in_stride);
  }
  for (; y + kBlocks <= rows; y += kBlocks) {
    run(std::integral_constant<int, 1>(), kBlocks, in_stride);
  }
  for (; y < rows; ++y) {
    run(std::integral_constant<int, 1>(), 1, 0);
  }
}

// Adds two rows' bytes, times their weights, to the sums of a vector's bytes in four quarters.
HWY_INLINE void add_rows(V8 a, V8 b, V16 high, V16 low, V32 (&highs)[4], V32 (&lows)[4]) {
  const V8 zero = hn::Zero(D8());
  const V8 lower = hn::InterleaveLower(D8(), a, b);
  const V8 upper = hn::InterleaveUpper(D8(), a, b);
  const V16 quarters[4] = {hn::BitCast(D16(), hn::InterleaveLower(D8(), lower, zero)),
                           hn::BitCast(D16(), hn::InterleaveUpper(D8(), lower, zero)),
                           hn::BitCast(D16(), hn::InterleaveLower(D8(), upper, zero)),
                           hn::BitCast(D16(), hn::InterleaveUpper(D8(), upper, zero))};
  for (int i = 0; i < 4; ++i) {
    highs[i] = add_pair_products(highs[i], quarters[i], high);
    lows[i] = add_pair_products(lows[i], quarters[i], low);
  }
}

template <int kPairs>
HWY_INLINE void vertical_pairs(const ResampleAxis& axis, int pixel, const std::uint8_t* in,
                               std::size_t in_stride, std::size_t bytes, std::uint8_t* out) {
  const auto& taps = axis.taps_of(pixel);
  const ResampleAxis::Pair* pairs = axis.pairs_of(pixel);
  // Pairs without a row have weight 0; the last row there is stands in for the second of a pair.
  const int count = kPairs == 0 ? (taps.count + 1) / 2 : kPairs;
  const bool lone = taps.count % 2 != 0;
  const V16 h0 = both(pairs[0].high), l0 = both(pairs[0].low);
  const V16 h1 = both(pairs[1].high), l1 = both(pairs[1].low);
  for (std::size_t i = 0; i < bytes; i += hn::Lanes(D8())) {
    V32 highs[4], lows[4];
    for (int q = 0; q < 4; ++q) {
      highs[q] = hn::Zero(D32());
      lows[q] = hn::Set(D32(), 1 << (kWeightBits - 1));
    }
    if (kPairs == 0) {
      for (int p = 0; p < count; ++p) {
        const std::uint8_t* a = in + static_cast<std::size_t>(2 * p) * in_stride + i;
        const std::uint8_t* b = lone && p == count - 1 ? a : a + in_stride;
        add_rows(hn::LoadU(D8(), a), hn::LoadU(D8(), b), both(pairs[p].high), both(pairs[p].low), highs,
                 lows);
      }
    } else {
      add_rows(hn::LoadU(D8(), in + i), hn::LoadU(D8(), in + in_stride + i), h0, l0, highs, lows);
      add_rows(hn::LoadU(D8(), in + 2 * in_stride + i), hn::LoadU(D8(), in + 3 * in_stride + i), h1, l1,
               highs, lows);
    }
    const V8 pixels = pack_8(pack_16(finish(highs[0], lows[0]), finish(highs[1], lows[1])),
                             pack_16(finish(highs[2], lows[2]), finish(highs[3], lows[3])));
    hn::StoreU(pixels, D8(), out + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace penstock::inline v0
HWY_AFTER_NAMESPACE();

#endif  // vectors
#endif  // PENSTOCK_RESAMPLE_PAIRS_INL
