// Resampling with up to four taps: weights of three 7-bit digits, products of bytes. Included once per
// target.

#if defined(PENSTOCK_RESAMPLE_DIGITS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PENSTOCK_RESAMPLE_DIGITS_INL
#undef PENSTOCK_RESAMPLE_DIGITS_INL
#else
#define PENSTOCK_RESAMPLE_DIGITS_INL
#endif

#include <algorithm>
#include <cstdint>

#include "core/vector_helpers-inl.hpp"
#include "hwy/highway.h"
#include "transforms/kernels/resample.hpp"
#include "transforms/kernels/transpose-inl.hpp"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

HWY_BEFORE_NAMESPACE();
namespace penstock::inline v0 {
namespace HWY_NAMESPACE {

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

// Output pixels [first, first + count) of up to kRows rows.
template <int kTaps, int kChannels>
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
  const int bytes = (std::max(one_end, other_end) + kTaps - left) * kChannels;

  alignas(64) std::uint8_t columns[kStripInput * kChannels * kRows];
  const std::uint8_t* from = in + static_cast<std::ptrdiff_t>(left - pass.origin) * kChannels;
  for (int i = 0; i < bytes; i += 16) {
    to_columns(from + i, in_stride, rows, columns + i * kRows);
  }
  alignas(64) std::uint8_t results[kStripPixels * kChannels * kRows];
  std::uint8_t* result = results;
  for (int x = 0; x < count; ++x, taps += step, digits += step, result += kChannels * kRows) {
    const DigitVectors<kTaps> weights(*digits);
    const std::uint8_t* pixel =
        columns + static_cast<std::ptrdiff_t>(taps->start - left) * (kChannels * kRows);
    for (int c = 0; c < kChannels; ++c) {
      hn::Store(weigh<kTaps>(pixel + c * kRows, kChannels * kRows, weights), D8(), result + c * kRows);
    }
  }
  for (int i = 0; i < kChannels * count; i += 16) {
    to_rows(results + i * kRows, rows, out + kChannels * first + i, out_stride);
  }
}

template <int kTaps, int kChannels>
void horizontal_short(const HorizontalPass& pass, const std::uint8_t* in, std::size_t in_stride, int rows,
                      std::uint8_t* out, std::size_t out_stride) {
  const ResampleAxis& axis = *pass.axis;
  // At four taps the box filter makes a pixel of up to five, the others of two.
  const int pixels = axis.request.in > 2 * axis.request.out ? kStripPixels / 4 : kStripPixels;
  for (int y = 0; y < rows; y += kRows) {
    for (int x = 0; x < axis.count(); x += pixels) {
      horizontal_strip<kTaps, kChannels>(
          pass, x, std::min(pixels, axis.count() - x), in + static_cast<std::size_t>(y) * in_stride,
          in_stride, std::min(kRows, rows - y), out + static_cast<std::size_t>(y) * out_stride, out_stride);
    }
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

}  // namespace HWY_NAMESPACE
}  // namespace penstock::inline v0
HWY_AFTER_NAMESPACE();

#endif  // vectors
#endif  // PENSTOCK_RESAMPLE_DIGITS_INL
