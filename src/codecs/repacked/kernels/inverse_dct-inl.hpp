// The inverse DCT of libjpeg's "islow" method with its rounding, for one target. Included once per target.

#if defined(PENSTOCK_INVERSE_DCT_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PENSTOCK_INVERSE_DCT_INL
#undef PENSTOCK_INVERSE_DCT_INL
#else
#define PENSTOCK_INVERSE_DCT_INL
#endif

#include <algorithm>
#include <cstdint>

#include "core/vector_helpers-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace penstock {
namespace HWY_NAMESPACE {

// libjpeg's constants, in units of 2^-13.
constexpr int kF0298 = 2446, kF0390 = 3196, kF0541 = 4433, kF0765 = 6270, kF0899 = 7373, kF1175 = 9633,
              kF1501 = 12299, kF1847 = 15137, kF1961 = 16069, kF2053 = 16819, kF2562 = 20995, kF3072 = 25172;

/// The odd part as a matrix: libjpeg's butterflies give the same integers. Row i: outputs i and 7 - i;
/// columns: inputs 1, 3, 5, 7.
constexpr int kOdd[4][4] = {{kF1501 - kF0899 + kF1175 - kF0390, kF1175, kF1175 - kF0390, kF1175 - kF0899},
                            {kF1175, kF3072 - kF2562 + kF1175 - kF1961, kF1175 - kF2562, kF1175 - kF1961},
                            {kF1175 - kF0390, kF1175 - kF2562, kF2053 - kF2562 + kF1175 - kF0390, kF1175},
                            {kF1175 - kF0899, kF1175 - kF1961, kF1175, kF0298 - kF0899 + kF1175 - kF1961}};

/// Of the first pass, which keeps two bits more, and of the second.
constexpr int kFirstShift = 11;
constexpr int kSecondShift = 18;
/// Rounding of the second pass and the shift of samples to 0..255, added to the second pass's DC.
constexpr int kBias = 16 + 128 * 32;

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

inline std::int16_t saturated(std::int32_t value) {
  return static_cast<std::int16_t>(std::clamp(value, -32768, 32767));
}

/// One pass over eight elements that are `step` apart. Sums wrap around, as in vector registers.
inline void inverse_dct_1d(const std::int16_t* in, std::size_t step, int shift, std::int16_t* out) {
  const auto times = [&](std::size_t i, int factor) {
    return static_cast<std::uint32_t>(in[i * step]) * static_cast<std::uint32_t>(factor);
  };
  const std::uint32_t rounding = shift == kFirstShift ? 1u << (kFirstShift - 1) : 0;
  const std::uint32_t sum = times(0, 8192) + times(4, 8192) + rounding;
  const std::uint32_t difference = times(0, 8192) - times(4, 8192) + rounding;
  const std::uint32_t outer = times(2, kF0541 + kF0765) + times(6, kF0541);
  const std::uint32_t inner = times(2, kF0541) + times(6, kF0541 - kF1847);
  const std::uint32_t even[4] = {sum + outer, difference + inner, difference - inner, sum - outer};
  for (std::size_t i = 0; i < 4; ++i) {
    std::uint32_t odd = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      odd += times(2 * k + 1, kOdd[i][k]);
    }
    out[i * step] = saturated(static_cast<std::int32_t>(even[i] + odd) >> shift);
    out[(7 - i) * step] = saturated(static_cast<std::int32_t>(even[i] - odd) >> shift);
  }
}

/// From dequantised coefficients.
inline void inverse_dct(const std::int16_t* coefficients, std::uint8_t* out, std::size_t stride) {
  std::int16_t columns[64];
  for (std::size_t x = 0; x < 8; ++x) {
    inverse_dct_1d(coefficients + x, 8, kFirstShift, columns + x);
  }
  for (std::size_t y = 0; y < 8; ++y) {
    std::int16_t* const row = columns + y * 8;
    std::int16_t samples[8];
    row[0] = saturated(row[0] + kBias);
    inverse_dct_1d(row, 1, kSecondShift, samples);
    for (std::size_t x = 0; x < 8; ++x) {
      out[y * stride + x] = static_cast<std::uint8_t>(std::clamp<int>(samples[x], 0, 255));
    }
  }
}

#else

/// a and b in turns.
HWY_INLINE V16 pairs_of(int a, int b) {
  return hn::BitCast(D16(),
                     hn::Set(D32(), static_cast<std::int32_t>(
                                        static_cast<std::uint32_t>(static_cast<std::uint16_t>(b)) << 16 |
                                        static_cast<std::uint16_t>(a))));
}

/// The lower and the upper four elements of eight 16-bit ones, widened.
struct Wide {
  V32 lower, upper;
};

HWY_INLINE Wide operator+(const Wide& a, const Wide& b) {
  return {hn::Add(a.lower, b.lower), hn::Add(a.upper, b.upper)};
}
HWY_INLINE Wide operator-(const Wide& a, const Wide& b) {
  return {hn::Sub(a.lower, b.lower), hn::Sub(a.upper, b.upper)};
}

/// Two vectors whose elements alternate, to be multiplied in pairs.
struct Paired {
  V16 lower, upper;

  HWY_INLINE Paired(V16 a, V16 b)
      : lower(hn::InterleaveLower(D16(), a, b)), upper(hn::InterleaveUpper(D16(), a, b)) {}

  /// a * first + b * second
  HWY_INLINE Wide times(int first, int second) const {
    const V16 factors = pairs_of(first, second);
    const V32 zero = hn::Zero(D32());
    return {add_pair_products(zero, lower, factors), add_pair_products(zero, upper, factors)};
  }
};

template <int kShift>
HWY_INLINE V16 narrowed(const Wide& wide) {
  return pack_16(hn::ShiftRight<kShift>(wide.lower), hn::ShiftRight<kShift>(wide.upper));
}

/// Outputs i and 7 - i from their even and odd parts.
template <int kShift>
HWY_INLINE void put_outputs(const Wide& even, const Wide& odd, V16& first, V16& last) {
  first = narrowed<kShift>(even + odd);
  last = narrowed<kShift>(even - odd);
}

/// kLowOnly: inputs 4 to 7 are zero and not read.
template <int kShift, bool kLowOnly>
HWY_INLINE void inverse_dct_1d(const V16* in, V16* out) {
  const V32 half = hn::Set(D32(), kShift == kFirstShift ? 1 << (kFirstShift - 1) : 0);
  const Wide rounding{half, half};
  const Paired low(in[1], in[3]);
  if constexpr (kLowOnly) {
    const Paired pair(in[0], in[2]);
    const auto outputs = [&](int i, int even) HWY_ATTR {
      put_outputs<kShift>(pair.times(8192, even) + rounding, low.times(kOdd[i][0], kOdd[i][1]), out[i],
                          out[7 - i]);
    };
    outputs(0, kF0541 + kF0765);
    outputs(1, kF0541);
    outputs(2, -kF0541);
    outputs(3, -(kF0541 + kF0765));
  } else {
    const Paired outer(in[0], in[4]);
    const Paired inner(in[2], in[6]);
    const Paired high(in[5], in[7]);
    const Wide sum = outer.times(8192, 8192) + rounding;
    const Wide difference = outer.times(8192, -8192) + rounding;
    const Wide a = inner.times(kF0541 + kF0765, kF0541);
    const Wide b = inner.times(kF0541, kF0541 - kF1847);
    const auto outputs = [&](int i, const Wide& even) HWY_ATTR {
      put_outputs<kShift>(even, low.times(kOdd[i][0], kOdd[i][1]) + high.times(kOdd[i][2], kOdd[i][3]),
                          out[i], out[7 - i]);
    };
    outputs(0, sum + a);
    outputs(1, difference + b);
    outputs(2, difference - b);
    outputs(3, sum - a);
  }
}

HWY_INLINE void transpose(const V16* in, V16* out) {
  const hn::Repartition<std::uint64_t, D16> d64;
  V32 pairs[8];
  for (int i = 0; i < 4; ++i) {
    pairs[i] = hn::BitCast(D32(), hn::InterleaveLower(D16(), in[2 * i], in[2 * i + 1]));
    pairs[i + 4] = hn::BitCast(D32(), hn::InterleaveUpper(D16(), in[2 * i], in[2 * i + 1]));
  }
  for (int i = 0; i < 2; ++i) {
    const V32* const p = pairs + 4 * i;
    const auto a = hn::BitCast(d64, hn::InterleaveLower(D32(), p[0], p[1]));
    const auto b = hn::BitCast(d64, hn::InterleaveUpper(D32(), p[0], p[1]));
    const auto c = hn::BitCast(d64, hn::InterleaveLower(D32(), p[2], p[3]));
    const auto e = hn::BitCast(d64, hn::InterleaveUpper(D32(), p[2], p[3]));
    out[4 * i] = hn::BitCast(D16(), hn::InterleaveLower(d64, a, c));
    out[4 * i + 1] = hn::BitCast(D16(), hn::InterleaveUpper(d64, a, c));
    out[4 * i + 2] = hn::BitCast(D16(), hn::InterleaveLower(d64, b, e));
    out[4 * i + 3] = hn::BitCast(D16(), hn::InterleaveUpper(d64, b, e));
  }
}

/// Two rows of each block, 8 bytes each; the blocks stand side by side.
HWY_INLINE void store_two_rows(V8 rows, std::uint8_t* out, std::size_t stride) {
#if HWY_TARGET == HWY_AVX2
  const V8 sorted{_mm256_permute4x64_epi64(rows.raw, 0xD8)};
#elif HWY_MAX_BYTES == 64
  const V8 sorted{_mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), rows.raw)};
#else
  const V8 sorted = rows;
#endif
  const hn::Half<D8> half;
  hn::StoreU(hn::LowerHalf(half, sorted), half, out);
  hn::StoreU(hn::UpperHalf(half, sorted), half, out + stride);
}

/// From the rows of dequantised coefficients of kBlocks blocks. kTopOnly: rows 4 to 7 are zero and not read;
/// kLeftOnly: so are columns 4 to 7.
template <bool kTopOnly, bool kLeftOnly>
HWY_INLINE void inverse_dct(const V16* rows, std::uint8_t* out, std::size_t stride) {
  V16 a[8];
  V16 b[8];
  inverse_dct_1d<kFirstShift, kTopOnly>(rows, a);
  transpose(a, b);
  b[0] = hn::SaturatedAdd(b[0], hn::Set(D16(), kBias));
  inverse_dct_1d<kSecondShift, kLeftOnly>(b, a);
  // Columns to rows, as bytes.
  const hn::Repartition<std::uint16_t, D8> du16;
  const auto lower_16 = [&](V8 x, V8 y) HWY_ATTR {
    return hn::BitCast(D32(), hn::InterleaveLower(du16, hn::BitCast(du16, x), hn::BitCast(du16, y)));
  };
  const auto upper_16 = [&](V8 x, V8 y) HWY_ATTR {
    return hn::BitCast(D32(), hn::InterleaveUpper(du16, hn::BitCast(du16, x), hn::BitCast(du16, y)));
  };
  const V8 c04 = pack_8(a[0], a[4]);
  const V8 c15 = pack_8(a[1], a[5]);
  const V8 c26 = pack_8(a[2], a[6]);
  const V8 c37 = pack_8(a[3], a[7]);
  const V8 c01 = hn::InterleaveLower(D8(), c04, c15);
  const V8 c45 = hn::InterleaveUpper(D8(), c04, c15);
  const V8 c23 = hn::InterleaveLower(D8(), c26, c37);
  const V8 c67 = hn::InterleaveUpper(D8(), c26, c37);
  const V32 top_left = lower_16(c01, c23);
  const V32 bottom_left = upper_16(c01, c23);
  const V32 top_right = lower_16(c45, c67);
  const V32 bottom_right = upper_16(c45, c67);
  store_two_rows(hn::BitCast(D8(), hn::InterleaveLower(D32(), top_left, top_right)), out, stride);
  store_two_rows(hn::BitCast(D8(), hn::InterleaveUpper(D32(), top_left, top_right)), out + 2 * stride,
                 stride);
  store_two_rows(hn::BitCast(D8(), hn::InterleaveLower(D32(), bottom_left, bottom_right)), out + 4 * stride,
                 stride);
  store_two_rows(hn::BitCast(D8(), hn::InterleaveUpper(D32(), bottom_left, bottom_right)), out + 6 * stride,
                 stride);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace penstock
HWY_AFTER_NAMESPACE();

#endif  // PENSTOCK_INVERSE_DCT_INL
