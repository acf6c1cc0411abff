#include "transforms/kernels/resample.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "transforms/kernels/resample.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "core/vector_helpers-inl.hpp"
#include "hwy/highway.h"
#include "transforms/kernels/resample_digits-inl.hpp"
#include "transforms/kernels/resample_pairs-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace penstock::inline v0 {
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
      const std::uint8_t* from = in + static_cast<std::ptrdiff_t>(taps.start - pass.origin) * pass.channels;
      for (int channel = 0; channel < pass.channels; ++channel) {
        std::int32_t sum = 1 << (kWeightBits - 1);
        for (int tap = 0; tap < taps.count; ++tap) {
          sum += from[tap * pass.channels + channel] * weight(*pass.axis, pixel, tap);
        }
        out[x * pass.channels + channel] = clip(sum);
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

int rows_at_once() { return kRows; }

template <int kChannels>
HWY_INLINE void horizontal_of(const HorizontalPass& pass, const std::uint8_t* in, std::size_t in_stride,
                              int rows, std::uint8_t* out, std::size_t out_stride) {
  if (pass.axis->digit_taps == 2) {
    horizontal_short<2, kChannels>(pass, in, in_stride, rows, out, out_stride);
  } else if (pass.axis->digit_taps == 3) {
    horizontal_short<3, kChannels>(pass, in, in_stride, rows, out, out_stride);
  } else if (pass.axis->digit_taps == 4) {
    horizontal_short<4, kChannels>(pass, in, in_stride, rows, out, out_stride);
  } else if (pass.axis->stride == 2) {
    horizontal_all<kChannels, 2>(pass, in, in_stride, rows, out, out_stride);
  } else {
    horizontal_all<kChannels, 0>(pass, in, in_stride, rows, out, out_stride);
  }
}

void horizontal(const HorizontalPass& pass, const std::uint8_t* in, std::size_t in_stride, int rows,
                std::uint8_t* out, std::size_t out_stride) {
  if (pass.channels == 3) {
    horizontal_of<3>(pass, in, in_stride, rows, out, out_stride);
  } else if (pass.channels == 4) {
    horizontal_of<4>(pass, in, in_stride, rows, out, out_stride);
  } else {
    horizontal_of<1>(pass, in, in_stride, rows, out, out_stride);
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
}  // namespace penstock::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::inline v0 {

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

}  // namespace penstock::inline v0
#endif
