#include "transforms/kernels/resample_16.hpp"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "transforms/kernels/resample_16.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "core/vector_helpers-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace penstock::inline v0 {
namespace HWY_NAMESPACE {

CpuTarget resample_16_target_compiled() { return this_target(); }

// Negative sums become 0 however they are rounded.
HWY_INLINE std::uint16_t rounded_16(double sum) {
  return static_cast<std::uint16_t>(std::clamp(std::floor(sum + 0.5), 0.0, 65535.0));
}

void horizontal_16(const HorizontalPass16& pass, const std::uint16_t* in, std::size_t in_stride, int rows,
                   std::uint16_t* out, std::size_t out_stride) {
  const RealWeights& axis = *pass.axis;
  const std::size_t count = axis.windows.size();
  const auto stride = static_cast<std::size_t>(axis.stride);
  constexpr int kAtOnce = 4;  // rows, so that the sums do not wait for each other
  for (int y = 0; y < rows; y += kAtOnce) {
    const int some = std::min(kAtOnce, rows - y);
    const std::uint16_t* lines[kAtOnce];
    for (int i = 0; i < kAtOnce; ++i) {  // the last row takes the places of those that are missing
      lines[i] = in + static_cast<std::size_t>(y + std::min(i, some - 1)) * in_stride - pass.origin;
    }
    for (std::size_t x = 0; x < count; ++x) {
      const std::size_t pixel = pass.flip ? count - 1 - x : x;
      const auto window = axis.windows[pixel];
      const double* weights = axis.weights.data() + pixel * stride;
      double sums[kAtOnce] = {};
      for (int tap = 0; tap < window.count; ++tap) {
        for (int i = 0; i < kAtOnce; ++i) {
          sums[i] += lines[i][window.first + tap] * weights[tap];
        }
      }
      for (int i = 0; i < some; ++i) {
        out[static_cast<std::size_t>(y + i) * out_stride + x] = rounded_16(sums[i]);
      }
    }
  }
}

void vertical_16(const RealWeights& axis, int pixel, const std::uint16_t* in, std::size_t in_stride,
                 int width, std::uint16_t* out) {
  const auto place = static_cast<std::size_t>(pixel);
  const int taps = axis.windows[place].count;
  const double* weights = axis.weights.data() + place * static_cast<std::size_t>(axis.stride);
  int x = 0;
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  const hn::ScalableTag<double> d;
  const hn::Rebind<std::int32_t, decltype(d)> d32;
  const hn::Rebind<std::uint16_t, decltype(d)> d16;
  const auto lanes = static_cast<int>(hn::Lanes(d));
  const auto half = hn::Set(d, 0.5), zero = hn::Zero(d), most = hn::Set(d, 65535.0);
  for (; x + lanes <= width; x += lanes) {
    auto sum = zero;
    for (int tap = 0; tap < taps; ++tap) {
      const auto row = hn::LoadU(d16, in + static_cast<std::size_t>(tap) * in_stride + x);
      sum = hn::Add(sum, hn::Mul(hn::PromoteTo(d, hn::PromoteTo(d32, row)), hn::Set(d, weights[tap])));
    }
    const auto whole = hn::Min(hn::Max(hn::Floor(hn::Add(sum, half)), zero), most);
    hn::StoreU(hn::DemoteTo(d16, hn::DemoteTo(d32, whole)), d16, out + x);
  }
#endif
  for (; x < width; ++x) {
    double sum = 0.0;
    for (int tap = 0; tap < taps; ++tap) {
      sum += in[static_cast<std::size_t>(tap) * in_stride + static_cast<std::size_t>(x)] * weights[tap];
    }
    out[x] = rounded_16(sum);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace penstock::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::inline v0 {

HWY_EXPORT(resample_16_target_compiled);
HWY_EXPORT(horizontal_16);
HWY_EXPORT(vertical_16);

void resample_horizontal_16(const HorizontalPass16& pass, const std::uint16_t* in, std::size_t in_stride,
                            int rows, std::uint16_t* out, std::size_t out_stride) {
  HWY_DYNAMIC_DISPATCH(horizontal_16)(pass, in, in_stride, rows, out, out_stride);
}

void resample_vertical_16(const RealWeights& axis, int pixel, const std::uint16_t* in, std::size_t in_stride,
                          int width, std::uint16_t* out) {
  HWY_DYNAMIC_DISPATCH(vertical_16)(axis, pixel, in, in_stride, width, out);
}

CpuTarget resample_16_target() { return HWY_DYNAMIC_DISPATCH(resample_16_target_compiled)(); }

}  // namespace penstock::inline v0
#endif
