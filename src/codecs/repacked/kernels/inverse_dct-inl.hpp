// The inverse DCT of libjpeg's "islow" method with its rounding, for one target. Included once per target.

#if defined(PENSTOCK_INVERSE_DCT_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PENSTOCK_INVERSE_DCT_INL
#undef PENSTOCK_INVERSE_DCT_INL
#else
#define PENSTOCK_INVERSE_DCT_INL
#endif

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/vector_helpers-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace penstock::inline v0 {
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
/// One, as factor of input 0. The first pass takes its row 0 times 8 (detail::kFirstRowScale).
constexpr int kFirstOne = 1024;
constexpr int kSecondOne = 8192;
/// Added to the scaled row 0: the rounding of the first pass, as 1 in each column; and in column 0 the
/// rounding of the second pass and the shift of samples to 0..255, which are (16 + 128 * 32) / 4 of DC. A
/// column of what the encoder accepts stays within 16 bits: (2953 + 1028) * 8 + 1 < 2^15.
constexpr int kRounding = 1;
constexpr int kDcBias = 1028 * 8 + kRounding;

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

inline std::int16_t saturated(std::int32_t value) {
  return static_cast<std::int16_t>(std::clamp(value, -32768, 32767));
}

/// One pass over eight elements that are `step` apart. Sums wrap around, as in vector registers.
inline void inverse_dct_1d(const std::int16_t* in, std::size_t step, int one, int shift, std::int16_t* out) {
  const auto times = [&](std::size_t i, int factor) {
    return static_cast<std::uint32_t>(in[i * step]) * static_cast<std::uint32_t>(factor);
  };
  const std::uint32_t sum = times(0, one) + times(4, 8192);
  const std::uint32_t difference = times(0, one) - times(4, 8192);
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

/// From dequantised coefficients, natural order, row 0 scaled; they are overwritten.
inline void inverse_dct(std::int16_t* coefficients, std::uint8_t* out, std::size_t stride) {
  for (std::size_t x = 0; x < 8; ++x) {
    coefficients[x] = static_cast<std::int16_t>(coefficients[x] + (x == 0 ? kDcBias : kRounding));
  }
  std::int16_t columns[64];
  for (std::size_t x = 0; x < 8; ++x) {
    inverse_dct_1d(coefficients + x, 8, kFirstOne, kFirstShift, columns + x);
  }
  for (std::size_t y = 0; y < 8; ++y) {
    std::int16_t samples[8];
    inverse_dct_1d(columns + y * 8, 1, kSecondOne, kSecondShift, samples);
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

/// a[2i] * first + a[2i + 1] * second
HWY_INLINE V32 pair_products(V16 a, int first, int second) {
  return add_pair_products(hn::Zero(D32()), a, pairs_of(first, second));
}

/// One pass over four rows or columns of each block, whose inputs come in pairs of 16 bits.
template <int kOne, int kShift>
struct Pass {
  /// Outputs i and 7 - i from their even and odd parts.
  static HWY_INLINE void put(int i, V32 even, V32 odd, V32* out) {
    out[i] = hn::ShiftRight<kShift>(hn::Add(even, odd));
    out[7 - i] = hn::ShiftRight<kShift>(hn::Sub(even, odd));
  }

  /// Inputs 4 to 7 are zero.
  static HWY_INLINE void transform(V16 in02, V16 in13, V32* out) {
    const auto outputs = [&](int i, int even) HWY_ATTR {
      put(i, pair_products(in02, kOne, even), pair_products(in13, kOdd[i][0], kOdd[i][1]), out);
    };
    outputs(0, kF0541 + kF0765);
    outputs(1, kF0541);
    outputs(2, -kF0541);
    outputs(3, -(kF0541 + kF0765));
  }

  static HWY_INLINE void transform(V16 in04, V16 in26, V16 in15, V16 in37, V32* out) {
    const V32 sum = pair_products(in04, kOne, 8192);
    const V32 difference = pair_products(in04, kOne, -8192);
    const V32 outer = pair_products(in26, kF0541 + kF0765, kF0541);
    const V32 inner = pair_products(in26, kF0541, kF0541 - kF1847);
    const auto outputs = [&](int i, V32 even) HWY_ATTR {
      put(i, even,
          hn::Add(pair_products(in15, kOdd[i][0], kOdd[i][2]), pair_products(in37, kOdd[i][1], kOdd[i][3])),
          out);
    };
    outputs(0, hn::Add(sum, outer));
    outputs(1, hn::Add(difference, inner));
    outputs(2, hn::Sub(difference, inner));
    outputs(3, hn::Sub(sum, outer));
  }
};
using FirstPass = Pass<kFirstOne, kFirstShift>;
using SecondPass = Pass<kSecondOne, kSecondShift>;

/// Four columns of eight from eight rows of four.
HWY_INLINE void transpose(const V32* rows, V16* columns) {
  const hn::Repartition<std::uint64_t, D16> d64;
  const V16 r04 = pack_16(rows[0], rows[4]);
  const V16 r15 = pack_16(rows[1], rows[5]);
  const V16 r26 = pack_16(rows[2], rows[6]);
  const V16 r37 = pack_16(rows[3], rows[7]);
  const auto r01 = hn::BitCast(D32(), hn::InterleaveLower(D16(), r04, r15));
  const auto r45 = hn::BitCast(D32(), hn::InterleaveUpper(D16(), r04, r15));
  const auto r23 = hn::BitCast(D32(), hn::InterleaveLower(D16(), r26, r37));
  const auto r67 = hn::BitCast(D32(), hn::InterleaveUpper(D16(), r26, r37));
  const auto upper_left = hn::BitCast(d64, hn::InterleaveLower(D32(), r01, r23));
  const auto upper_right = hn::BitCast(d64, hn::InterleaveUpper(D32(), r01, r23));
  const auto lower_left = hn::BitCast(d64, hn::InterleaveLower(D32(), r45, r67));
  const auto lower_right = hn::BitCast(d64, hn::InterleaveUpper(D32(), r45, r67));
  columns[0] = hn::BitCast(D16(), hn::InterleaveLower(d64, upper_left, lower_left));
  columns[1] = hn::BitCast(D16(), hn::InterleaveUpper(d64, upper_left, lower_left));
  columns[2] = hn::BitCast(D16(), hn::InterleaveLower(d64, upper_right, lower_right));
  columns[3] = hn::BitCast(D16(), hn::InterleaveUpper(d64, upper_right, lower_right));
}

/// The first pass over four columns. Each input has two rows of four: 0 and 1, 2 and 3, 4 and 5, 6 and 7; of
/// the last two only if not kTopOnly.
template <bool kTopOnly>
HWY_INLINE void transform_columns(V16 r01, V16 r23, V16 r45, V16 r67, V16* columns) {
  V32 rows[8];
  if constexpr (kTopOnly) {
    FirstPass::transform(hn::InterleaveLower(D16(), r01, r23), hn::InterleaveUpper(D16(), r01, r23), rows);
  } else {
    FirstPass::transform(hn::InterleaveLower(D16(), r01, r45), hn::InterleaveLower(D16(), r23, r67),
                         hn::InterleaveUpper(D16(), r01, r45), hn::InterleaveUpper(D16(), r23, r67), rows);
  }
  transpose(rows, columns);
}

/// Two rows of each block, 8 bytes each; the blocks stand side by side.
HWY_INLINE void store_two_rows(V8 rows, std::uint8_t* first, std::uint8_t* second) {
#if HWY_TARGET == HWY_AVX2
  const V8 sorted{_mm256_permute4x64_epi64(rows.raw, 0xD8)};
#elif HWY_MAX_BYTES == 64
  const V8 sorted{_mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), rows.raw)};
#else
  const V8 sorted = rows;
#endif
  const hn::Half<D8> half;
  hn::StoreU(hn::LowerHalf(half, sorted), half, first);
  hn::StoreU(hn::UpperHalf(half, sorted), half, second);
}

/// A block of 16 bytes, for every block of a vector.
template <class T>
constexpr std::array<T, 64 / sizeof(T)> repeated(const std::array<T, 16 / sizeof(T)>& block) {
  std::array<T, 64 / sizeof(T)> all{};
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = block[i % block.size()];
  }
  return all;
}

/// Eight columns of four samples to four rows of eight.
HWY_INLINE void store_four_rows(const V32* columns, std::uint8_t* out, std::size_t stride) {
  alignas(64) static constexpr auto kTranspose =
      repeated<std::uint8_t>({0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15});
  const auto four_columns = [&](const V32* c) HWY_ATTR {
    const V8 bytes = pack_8(pack_16(c[0], c[1]), pack_16(c[2], c[3]));
    return hn::BitCast(D32(), hn::TableLookupBytes(bytes, hn::Load(D8(), kTranspose.data())));
  };
  const V32 left = four_columns(columns);
  const V32 right = four_columns(columns + 4);
  store_two_rows(hn::BitCast(D8(), hn::InterleaveLower(D32(), left, right)), out, out + stride);
  store_two_rows(hn::BitCast(D8(), hn::InterleaveUpper(D32(), left, right)), out + 2 * stride,
                 out + 3 * stride);
}

/// Of the columns 0 to 3 and 4 to 7: what the passes add to row 0.
alignas(64) inline constexpr auto kLeftRounding = repeated<std::int16_t>({kDcBias, kRounding, kRounding,
                                                                          kRounding, 0, 0, 0, 0});
alignas(64) inline constexpr auto kRightRounding = repeated<std::int16_t>({kRounding, kRounding, kRounding,
                                                                           kRounding, 0, 0, 0, 0});

/// Keeps gcc from computing the rows' addresses before it knows which variant runs, which takes registers
/// that it does not have.
HWY_INLINE std::uint8_t* hidden(std::uint8_t* address) {
#if HWY_COMPILER_GCC || HWY_COMPILER_CLANG
  asm("" : "+r"(address));
#endif
  return address;
}

/// From the dequantised coefficients of kBlocks blocks, group by group, row 0 scaled. kTopOnly: groups 4 to
/// 7, the rows 4 to 7, are zero and not read; kLeftOnly: so are groups 2, 3, 6 and 7, the columns 4 to 7.
template <bool kTopOnly, bool kLeftOnly>
HWY_INLINE void inverse_dct(const V16* groups, std::uint8_t* out, std::size_t stride) {
  V16 columns[8];
  out = hidden(out);
  const V16 left = hn::Add(groups[0], hn::Load(D16(), kLeftRounding.data()));
  transform_columns<kTopOnly>(left, groups[1], groups[4], groups[5], columns);
  if constexpr (!kLeftOnly) {
    const V16 right = hn::Add(groups[2], hn::Load(D16(), kRightRounding.data()));
    transform_columns<kTopOnly>(right, groups[3], groups[6], groups[7], columns + 4);
  }
  V32 samples[8];
  const auto lower = [&](int i, int k)
                         HWY_ATTR { return hn::InterleaveLower(D16(), columns[i], columns[k]); };
  const auto upper = [&](int i, int k)
                         HWY_ATTR { return hn::InterleaveUpper(D16(), columns[i], columns[k]); };
  if constexpr (kLeftOnly) {
    SecondPass::transform(lower(0, 2), lower(1, 3), samples);
  } else {
    SecondPass::transform(lower(0, 4), lower(2, 6), lower(1, 5), lower(3, 7), samples);
  }
  store_four_rows(samples, out, stride);
  if constexpr (kLeftOnly) {
    SecondPass::transform(upper(0, 2), upper(1, 3), samples);
  } else {
    SecondPass::transform(upper(0, 4), upper(2, 6), upper(1, 5), upper(3, 7), samples);
  }
  store_four_rows(samples, out + 4 * stride, stride);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace penstock::inline v0
HWY_AFTER_NAMESPACE();

#endif  // PENSTOCK_INVERSE_DCT_INL
