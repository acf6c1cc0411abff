#include "transforms/kernels/resample.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "transforms/kernels/resample.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "core/vector_helpers-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace penstock {
namespace HWY_NAMESPACE {

CpuTarget resample_target_compiled() { return this_target(); }

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

int rows_at_once() { return 1; }

std::uint8_t clip(std::int32_t sum) {
  return static_cast<std::uint8_t>(std::clamp(sum >> kWeightBits, 0, 255));
}

std::int32_t weight(const ResampleAxis& axis, int pixel, int tap) {
  if (axis.digit_taps == 0) {
    const ResampleAxis::Pair& pair = axis.pairs_of(pixel)[tap / 2];
    return pair.high[tap % 2] * 2048 + pair.low[tap % 2];
  }
  const ResampleAxis::Digits& digits = axis.digits_of(pixel);
  const auto byte = [&](const std::uint32_t(&pairs)[2]) {
    return (pairs[tap / 2] >> (8 * (tap % 2))) & 0xFF;
  };
  const auto digit = [&](const std::uint32_t(&pairs)[2]) { return static_cast<std::int8_t>(byte(pairs)); };
  return static_cast<std::int32_t>(byte(digits.top)) * 16384 + digit(digits.middle) * 128 + digit(digits.low);
}

void horizontal(const HorizontalPass& pass, const std::uint8_t* in, std::size_t in_stride, int rows,
                std::uint8_t* out, std::size_t out_stride) {
  for (int y = 0; y < rows; ++y, in += in_stride, out += out_stride) {
    const int count = pass.axis->count();
    for (int x = 0; x < count; ++x) {
      const int pixel = pass.flip ? count - 1 - x : x;
      const auto& taps = pass.axis->taps_of(pixel);
      const std::uint8_t* from = in + static_cast<std::ptrdiff_t>(taps.start - pass.origin) * 3;
      for (int channel = 0; channel < 3; ++channel) {
        std::int32_t sum = 1 << (kWeightBits - 1);
        for (int tap = 0; tap < taps.count; ++tap) {
          sum += from[tap * 3 + channel] * weight(*pass.axis, pixel, tap);
        }
        out[x * 3 + channel] = clip(sum);
      }
    }
  }
}

void vertical(const ResampleAxis& axis, int pixel, const std::uint8_t* in, std::size_t in_stride,
              std::size_t bytes, std::uint8_t* out) {
  const auto& taps = axis.taps_of(pixel);
  for (std::size_t i = 0; i < bytes; ++i) {
    std::int32_t sum = 1 << (kWeightBits - 1);
    for (int tap = 0; tap < taps.count; ++tap) {
      sum += in[static_cast<std::size_t>(tap) * in_stride + i] * weight(axis, pixel, tap);
    }
    out[i] = clip(sum);
  }
}

#else

constexpr int kRows = 16 * kBlocks;  // of a strip, for digits: as many as a vector has bytes
constexpr int kGroup = 2 * kBlocks;  // at once, for pairs

int rows_at_once() { return kRows; }

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

// One output pixel's digits, each pair of taps in every lane.
template <int kTaps>
struct DigitVectors {
  static constexpr int kPairs = (kTaps + 1) / 2;
  V8 low[kPairs], middle[kPairs], top[kPairs];
  V16 bias[3];

  HWY_INLINE explicit DigitVectors(const ResampleAxis::Digits& digits) {
    const auto fill = [](std::uint32_t bits)
                          HWY_ATTR { return hn::Set(D32(), static_cast<std::int32_t>(bits)); };
    for (int p = 0; p < kPairs; ++p) {
      low[p] = hn::BitCast(D8(), fill(digits.low[p]));
      middle[p] = hn::BitCast(D8(), fill(digits.middle[p]));
      top[p] = hn::BitCast(D8(), fill(digits.top[p]));
    }
    for (int i = 0; i < 3; ++i) {
      bias[i] = hn::BitCast(D16(), fill(digits.bias[i]));
    }
  }
};

// The output pixels of 16-bit lanes that hold two taps' bytes each.
template <int kTaps>
HWY_INLINE V16 weigh_pairs(const V8 (&pairs)[(kTaps + 1) / 2], const DigitVectors<kTaps>& digits) {
  const V8 sign = hn::Set(D8(), 0x80);
  V16 low = byte_pair_products(pairs[0], digits.low[0]);
  V16 middle = byte_pair_products(pairs[0], digits.middle[0]);
  V16 top = byte_pair_products(digits.top[0], hn::Xor(pairs[0], sign));
  if constexpr (kTaps > 2) {
    low = hn::Add(low, byte_pair_products(pairs[1], digits.low[1]));
    middle = hn::Add(middle, byte_pair_products(pairs[1], digits.middle[1]));
    top = hn::Add(top, byte_pair_products(digits.top[1], hn::Xor(pairs[1], sign)));
  }
  if constexpr (kTaps > 3) {
    low = hn::Add(low, digits.bias[0]);
    middle = hn::Add(middle, digits.bias[1]);
  }
  middle = hn::Add(middle, hn::ShiftRight<7>(low));
  top = hn::Add(hn::Add(top, digits.bias[2]), hn::ShiftRight<7>(middle));
  const hn::RebindToUnsigned<D16> du;
  return hn::BitCast(D16(), hn::ShiftRight<8>(hn::BitCast(du, top)));
}

// A vector of output bytes from those of kTaps inputs, `step` bytes apart.
template <int kTaps>
HWY_INLINE V8 weigh(const std::uint8_t* in, std::size_t step, const DigitVectors<kTaps>& digits) {
  V8 lower[(kTaps + 1) / 2], upper[(kTaps + 1) / 2];
  for (std::size_t p = 0; p < (kTaps + 1) / 2; ++p) {
    const V8 a = hn::LoadU(D8(), in + 2 * p * step);
    const V8 b = 2 * p + 1 < kTaps ? hn::LoadU(D8(), in + (2 * p + 1) * step) : hn::Zero(D8());
    lower[p] = hn::InterleaveLower(D8(), a, b);
    upper[p] = hn::InterleaveUpper(D8(), a, b);
  }
  return pack_8(weigh_pairs<kTaps>(lower, digits), weigh_pairs<kTaps>(upper, digits));
}

// Horizontally, digits are used on columns: a strip of rows is transposed, so that the bytes of one column
// lie next to each other, the taps of all rows are weighed as in the vertical pass, and the output is
// transposed back.

constexpr int kStripPixels = 32;  // of output, at most
constexpr int kStripInput =
    80;  // pixels of input that they are made of, at most, in whole blocks of 16 bytes

// The bytes of a, b, c and d in turns: four vectors, within each block.
HWY_INLINE void interleave_four(V8 a, V8 b, V8 c, V8 d, V8* out) {
  const V8 ac_lower = hn::InterleaveLower(D8(), a, c), ac_upper = hn::InterleaveUpper(D8(), a, c);
  const V8 bd_lower = hn::InterleaveLower(D8(), b, d), bd_upper = hn::InterleaveUpper(D8(), b, d);
  out[0] = hn::InterleaveLower(D8(), ac_lower, bd_lower);
  out[1] = hn::InterleaveUpper(D8(), ac_lower, bd_lower);
  out[2] = hn::InterleaveLower(D8(), ac_upper, bd_upper);
  out[3] = hn::InterleaveUpper(D8(), ac_upper, bd_upper);
}

// In each block of 16 vectors, bytes change places: byte j of load(i) is byte i of what store(j, .) gets.
// Vectors are loaded and stored one after the other, so that they fit the registers.
template <class Load, class Store>
HWY_INLINE void transpose(Load load, Store store) {
  V8 half_way[16];
  for (int i = 0; i < 4; ++i) {
    interleave_four(load(i), load(i + 4), load(i + 8), load(i + 12), half_way + 4 * i);
  }
  for (int i = 0; i < 4; ++i) {
    V8 done[4];
    interleave_four(half_way[i], half_way[i + 4], half_way[i + 8], half_way[i + 12], done);
    for (int j = 0; j < 4; ++j) {
      store(4 * i + j, done[j]);
    }
  }
}

// A block of 16 bytes from each row of a strip to 16 columns of kRows bytes.
HWY_NOINLINE void to_columns(const std::uint8_t* in, std::size_t stride, int rows, std::uint8_t* columns) {
  alignas(64) std::uint8_t block[kRows * 16];
  if (rows < kRows) {  // the last row takes the places of those that are missing
    const hn::Full128<std::uint8_t> d;
    for (int y = 0; y < kRows; ++y) {
      hn::Store(hn::LoadU(d, in + static_cast<std::size_t>(std::min(y, rows - 1)) * stride), d,
                block + y * 16);
    }
    in = block;
    stride = 16;
  }
  transpose([&](int y)
                HWY_ATTR { return load_blocks(in + static_cast<std::size_t>(y) * stride, 16 * stride); },
            [&](int i, V8 v) HWY_ATTR { hn::Store(v, D8(), columns + i * kRows); });
}

// The way back.
HWY_NOINLINE void to_rows(const std::uint8_t* columns, int rows, std::uint8_t* out, std::size_t stride) {
  const auto load = [&](int i) HWY_ATTR { return hn::Load(D8(), columns + i * kRows); };
  std::uint8_t* four = out;  // rows are stored in order: addresses from here need no multiplication
  const auto store = [&](int y, V8 v, int blocks) HWY_ATTR {
    store_blocks(v, four + static_cast<std::size_t>(y % 4) * stride, 16 * stride, blocks);
    four += y % 4 == 3 ? 4 * stride : 0;
  };
  if (rows == kRows) {
    transpose(load, [&](int y, V8 v) HWY_ATTR { store(y, v, kBlocks); });
    return;
  }
  transpose(load, [&](int y, V8 v) HWY_ATTR {
    if (y < rows) {
      store(y, v, (rows - y + 15) / 16);
    }
  });
}

// Output pixels [first, first + count) of up to kRows rows.
template <int kTaps>
HWY_INLINE void horizontal_strip(const HorizontalPass& pass, int first, int count, const std::uint8_t* in,
                                 std::size_t in_stride, int rows, std::uint8_t* out, std::size_t out_stride) {
  const ResampleAxis& axis = *pass.axis;
  const std::ptrdiff_t step = pass.flip ? -1 : 1;
  const int source = pass.flip ? axis.count() - 1 - first : first;
  const ResampleAxis::Taps* taps = &axis.taps_of(source);
  const ResampleAxis::Digits* digits = &axis.digits_of(source);
  const int one_end = taps->start;
  const int other_end = taps[step * (count - 1)].start;
  const int left = std::min(one_end, other_end);
  const int bytes = (std::max(one_end, other_end) + kTaps - left) * 3;

  alignas(64) std::uint8_t columns[kStripInput * 3 * kRows];
  const std::uint8_t* from = in + static_cast<std::ptrdiff_t>(left - pass.origin) * 3;
  for (int i = 0; i < bytes; i += 16) {
    to_columns(from + i, in_stride, rows, columns + i * kRows);
  }
  alignas(64) std::uint8_t results[kStripPixels * 3 * kRows];
  std::uint8_t* result = results;
  for (int x = 0; x < count; ++x, taps += step, digits += step, result += 3 * kRows) {
    const DigitVectors<kTaps> weights(*digits);
    const std::uint8_t* pixel = columns + static_cast<std::ptrdiff_t>(taps->start - left) * (3 * kRows);
    for (int c = 0; c < 3; ++c) {
      hn::Store(weigh<kTaps>(pixel + c * kRows, 3 * kRows, weights), D8(), result + c * kRows);
    }
  }
  for (int i = 0; i < 3 * count; i += 16) {
    to_rows(results + i * kRows, rows, out + 3 * first + i, out_stride);
  }
}

template <int kTaps>
void horizontal_short(const HorizontalPass& pass, const std::uint8_t* in, std::size_t in_stride, int rows,
                      std::uint8_t* out, std::size_t out_stride) {
  const ResampleAxis& axis = *pass.axis;
  // At four taps the box filter makes a pixel of up to five, the others of two.
  const int pixels = axis.request.in > 2 * axis.request.out ? kStripPixels / 4 : kStripPixels;
  for (int y = 0; y < rows; y += kRows) {
    for (int x = 0; x < axis.count(); x += pixels) {
      horizontal_strip<kTaps>(
          pass, x, std::min(pixels, axis.count() - x), in + static_cast<std::size_t>(y) * in_stride,
          in_stride, std::min(kRows, rows - y), out + static_cast<std::size_t>(y) * out_stride, out_stride);
    }
  }
}

// Picks two neighbouring pixels out of 16 bytes as 16-bit lanes: R R' G G' B B' and two zeros.
alignas(16) constexpr std::uint8_t kPair0[16] = {0, 128, 3, 128, 1,   128, 4,   128,
                                                 2, 128, 5, 128, 128, 128, 128, 128};
alignas(16) constexpr std::uint8_t kPair1[16] = {6, 128, 9,  128, 7,   128, 10,  128,
                                                 8, 128, 11, 128, 128, 128, 128, 128};
// Four pixels of four bytes to 12 bytes.
alignas(16) constexpr std::uint8_t kDropFourth[16] = {0,  1,  2,  4,  5,   6,   8,   9,
                                                      10, 12, 13, 14, 128, 128, 128, 128};

HWY_INLINE V8 in_every_block(const std::uint8_t (&mask)[16]) { return hn::LoadDup128(D8(), mask); }

// One output pixel of kGroups times kBlocks rows: R G B 0 in each block. kPairs 0: as many as the pixel has.
// Several groups share the loads of the weights.
template <int kPairs, int kGroups>
HWY_INLINE void pixel_of_rows(const ResampleAxis::Taps& taps, const ResampleAxis::Pair* pairs,
                              const std::uint8_t* in, std::ptrdiff_t origin, std::size_t stride,
                              V32 (&sums)[kGroups]) {
  const V8 pair0 = in_every_block(kPair0);
  const V8 pair1 = in_every_block(kPair1);
  const std::uint8_t* from = in + (taps.start * 3 - origin);
  V32 highs[kGroups], lows[kGroups];
  for (int g = 0; g < kGroups; ++g) {
    highs[g] = hn::Zero(D32());
    lows[g] = hn::Set(D32(), 1 << (kWeightBits - 1));
  }
  const int count = kPairs == 0 ? taps.pairs : kPairs;
  for (int p = 0; p < count; p += 2, from += 12) {
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
template <int kPairs, int kGroups>
HWY_INLINE void four_pixels(const ResampleAxis::Taps* t0, const ResampleAxis::Taps* t1,
                            const ResampleAxis::Taps* t2, const ResampleAxis::Taps* t3,
                            const ResampleAxis::Pair* w0, const ResampleAxis::Pair* w1,
                            const ResampleAxis::Pair* w2, const ResampleAxis::Pair* w3,
                            const std::uint8_t* in, std::ptrdiff_t origin, std::size_t in_stride, int rows,
                            std::uint8_t* out, std::size_t out_stride) {
  V32 s0[kGroups], s1[kGroups], s2[kGroups], s3[kGroups];
  pixel_of_rows<kPairs>(*t0, w0, in, origin, in_stride, s0);
  pixel_of_rows<kPairs>(*t1, w1, in, origin, in_stride, s1);
  pixel_of_rows<kPairs>(*t2, w2, in, origin, in_stride, s2);
  pixel_of_rows<kPairs>(*t3, w3, in, origin, in_stride, s3);
  const V8 drop = in_every_block(kDropFourth);
  for (int g = 0; g < kGroups; ++g) {
    const V8 pixels = hn::TableLookupBytesOr0(pack_8(pack_16(s0[g], s1[g]), pack_16(s2[g], s3[g])), drop);
    store_blocks(pixels, out + static_cast<std::size_t>(g * kBlocks) * out_stride, out_stride, rows);
  }
}

// kGroups * kBlocks rows; or one row, which then lies in every block (stride 0).
template <int kPairs, int kGroups>
HWY_INLINE void horizontal_rows(const HorizontalPass& pass, const std::uint8_t* in, std::size_t in_stride,
                                int rows, std::uint8_t* out, std::size_t out_stride) {
  const ResampleAxis& axis = *pass.axis;
  const std::ptrdiff_t origin = std::ptrdiff_t{pass.origin} * 3;
  const std::ptrdiff_t step = pass.flip ? -1 : 1;
  const std::ptrdiff_t jump = step * (kPairs == 0 ? axis.stride : kPairs);  // from weights to weights
  int left = axis.count();
  const ResampleAxis::Taps* t = &axis.taps_of(pass.flip ? left - 1 : 0);
  const ResampleAxis::Pair* w = axis.pairs_of(pass.flip ? left - 1 : 0);
  for (; left >= 4; left -= 4) {
    four_pixels<kPairs, kGroups>(t, t + step, t + 2 * step, t + 3 * step, w, w + jump, w + 2 * jump,
                                 w + 3 * jump, in, origin, in_stride, rows, out, out_stride);
    t += 4 * step;
    w += 4 * jump;
    out += 12;
  }
  if (left > 0) {  // the last pixel takes the places of those that are missing
    const std::ptrdiff_t second = left > 1 ? 1 : 0;
    const std::ptrdiff_t last = left - 1;
    four_pixels<kPairs, kGroups>(t, t + second * step, t + last * step, t + last * step, w, w + second * jump,
                                 w + last * jump, w + last * jump, in, origin, in_stride, rows, out,
                                 out_stride);
  }
}

template <int kPairs>
void horizontal_all(const HorizontalPass& pass, const std::uint8_t* in, std::size_t in_stride, int rows,
                    std::uint8_t* out, std::size_t out_stride) {
  int y = 0;
  const auto run = [&](auto groups, int rows_each, std::size_t stride) HWY_ATTR {
    const auto offset = static_cast<std::size_t>(y);
    horizontal_rows<kPairs, decltype(groups)::value>(pass, in + offset * in_stride, stride, rows_each,
                                                     out + offset * out_stride, out_stride);
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

void horizontal(const HorizontalPass& pass, const std::uint8_t* in, std::size_t in_stride, int rows,
                std::uint8_t* out, std::size_t out_stride) {
  if (pass.axis->digit_taps == 2) {
    horizontal_short<2>(pass, in, in_stride, rows, out, out_stride);
  } else if (pass.axis->digit_taps == 3) {
    horizontal_short<3>(pass, in, in_stride, rows, out, out_stride);
  } else if (pass.axis->digit_taps == 4) {
    horizontal_short<4>(pass, in, in_stride, rows, out, out_stride);
  } else if (pass.axis->stride == 2) {
    horizontal_all<2>(pass, in, in_stride, rows, out, out_stride);
  } else {
    horizontal_all<0>(pass, in, in_stride, rows, out, out_stride);
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

template <int kTaps>
HWY_INLINE void vertical_short(const ResampleAxis::Digits& of, const std::uint8_t* in, std::size_t in_stride,
                               std::size_t bytes, std::uint8_t* out) {
  const DigitVectors<kTaps> digits(of);
  for (std::size_t i = 0; i < bytes; i += hn::Lanes(D8())) {
    hn::StoreU(weigh<kTaps>(in + i, in_stride, digits), D8(), out + i);
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

void vertical(const ResampleAxis& axis, int pixel, const std::uint8_t* in, std::size_t in_stride,
              std::size_t bytes, std::uint8_t* out) {
  if (axis.digit_taps != 0) {
    const auto& digits = axis.digits_of(pixel);
    if (digits.taps == 2) {
      vertical_short<2>(digits, in, in_stride, bytes, out);
    } else if (digits.taps == 3) {
      vertical_short<3>(digits, in, in_stride, bytes, out);
    } else {
      vertical_short<4>(digits, in, in_stride, bytes, out);
    }
    return;
  }
  if (axis.taps_of(pixel).count == 4) {
    vertical_pairs<2>(axis, pixel, in, in_stride, bytes, out);
  } else {
    vertical_pairs<0>(axis, pixel, in, in_stride, bytes, out);
  }
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace penstock
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock {

HWY_EXPORT(resample_target_compiled);
HWY_EXPORT(rows_at_once);
HWY_EXPORT(horizontal);
HWY_EXPORT(vertical);

void resample_horizontal(const HorizontalPass& pass, const std::uint8_t* in, std::size_t in_stride, int rows,
                         std::uint8_t* out, std::size_t out_stride) {
  HWY_DYNAMIC_DISPATCH(horizontal)(pass, in, in_stride, rows, out, out_stride);
}

void resample_vertical(const ResampleAxis& axis, int pixel, const std::uint8_t* in, std::size_t in_stride,
                       std::size_t bytes, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(vertical)(axis, pixel, in, in_stride, bytes, out);
}

int horizontal_group() { return HWY_DYNAMIC_DISPATCH(rows_at_once)(); }
CpuTarget resample_target() { return HWY_DYNAMIC_DISPATCH(resample_target_compiled)(); }

}  // namespace penstock
#endif
