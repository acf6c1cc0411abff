#include "transforms/kernels/gaussian_blur.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "transforms/kernels/gaussian_blur.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "core/vector_helpers-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace penstock::inline v0 {
namespace HWY_NAMESPACE {

CpuTarget gaussian_blur_target_compiled() { return this_target(); }

// `lines[0]` is the middle, lines[2k - 1] and lines[2k] are what counts weights[k]. Writes `count` floats,
// rounded up to whole steps.

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

float weighted(const float* const* lines, const float* weights, int taps, std::size_t i) {
  float sum = weights[0] * lines[0][i];
  for (int k = 1; k < taps; ++k) {
    const float product = weights[k] * (lines[2 * k - 1][i] + lines[2 * k][i]);
    sum += product;
  }
  return sum;
}

void weigh_to_floats(const float* const* lines, const float* weights, int taps, std::size_t count,
                     float* out) {
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = weighted(lines, weights, taps, i);
  }
}

void weigh_to_bytes(const float* const* lines, const float* weights, int taps, std::size_t count,
                    std::uint8_t* out) {
  for (std::size_t i = 0; i < count; ++i) {
    const float value = std::min(weighted(lines, weights, taps, i), 255.0F);
    out[i] = static_cast<std::uint8_t>(std::nearbyint(value));
  }
}

void to_floats(const std::uint8_t* in, std::size_t count, float* out) { std::copy_n(in, count, out); }

#else

using DF = hn::ScalableTag<float>;
using VF = hn::Vec<DF>;
constexpr std::size_t kLanes = HWY_MAX_BYTES / 4;

struct Four {
  VF of[4];
};

HWY_INLINE Four weighted(const float* const* lines, const float* weights, int taps, std::size_t i) {
  const VF first = hn::Set(DF(), weights[0]);
  const float* const middle = lines[0] + i;
  Four sum{{hn::Mul(first, hn::LoadU(DF(), middle)), hn::Mul(first, hn::LoadU(DF(), middle + kLanes)),
            hn::Mul(first, hn::LoadU(DF(), middle + 2 * kLanes)),
            hn::Mul(first, hn::LoadU(DF(), middle + 3 * kLanes))}};
  for (int k = 1; k < taps; ++k) {
    const VF weight = hn::Set(DF(), weights[k]);
    const float* const before = lines[2 * k - 1] + i;
    const float* const after = lines[2 * k] + i;
    for (std::size_t v = 0; v < 4; ++v) {
      const VF both = hn::Add(hn::LoadU(DF(), before + v * kLanes), hn::LoadU(DF(), after + v * kLanes));
      sum.of[v] = hn::Add(sum.of[v], hn::Mul(weight, both));
    }
  }
  return sum;
}

void weigh_to_floats(const float* const* lines, const float* weights, int taps, std::size_t count,
                     float* out) {
  for (std::size_t i = 0; i < count; i += 4 * kLanes) {
    const Four sum = weighted(lines, weights, taps, i);
    for (std::size_t v = 0; v < 4; ++v) {
      hn::StoreU(sum.of[v], DF(), out + i + v * kLanes);
    }
  }
}

void weigh_to_bytes(const float* const* lines, const float* weights, int taps, std::size_t count,
                    std::uint8_t* out) {
  using DQuarter = hn::Rebind<std::uint8_t, D32>;
  const VF most = hn::Set(DF(), 255.0F);
  for (std::size_t i = 0; i < count; i += 4 * kLanes) {
    const Four sum = weighted(lines, weights, taps, i);
    alignas(64) std::uint8_t bytes[4 * kLanes];
    for (std::size_t v = 0; v < 4; ++v) {
      hn::Store(hn::DemoteTo(DQuarter(), hn::NearestInt(hn::Min(sum.of[v], most))), DQuarter(),
                bytes + v * kLanes);
    }
    std::memcpy(out + i, bytes, std::min(4 * kLanes, count - i));
  }
}

// Up to 64 bytes after the last are read, as many floats written.
void to_floats(const std::uint8_t* in, std::size_t count, float* out) {
  using DQuarter = hn::Rebind<std::uint8_t, D32>;
  for (std::size_t i = 0; i < count; i += kLanes) {
    hn::StoreU(hn::ConvertTo(DF(), hn::PromoteTo(D32(), hn::LoadU(DQuarter(), in + i))), DF(), out + i);
  }
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace penstock::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::inline v0 {

HWY_EXPORT(gaussian_blur_target_compiled);
HWY_EXPORT(weigh_to_floats);
HWY_EXPORT(weigh_to_bytes);
HWY_EXPORT(to_floats);

namespace {

int mirrored(int i, int length) {
  if (length == 1) {
    return 0;
  }
  const int period = 2 * (length - 1);
  const int place = std::abs(i) % period;
  return place < length ? place : period - place;
}

// The one blur of one image: rows become floats, weighted across; as many as the kernel is high are kept.
class Blur {
 public:
  Blur(const ConstPixelRows& in, const BlurKernel& kernel, double sigma, Scratch& scratch)
      : in_(in), bytes_(in.row_bytes()), channels_(static_cast<std::size_t>(in.channels)) {
    const auto reach_x = static_cast<std::size_t>(kernel.width / 2);
    const auto reach_y = static_cast<std::size_t>(kernel.height / 2);
    line_ = bytes_ + kWeighStep;
    kept_ = std::min(in.size.height, kernel.height);
    const std::size_t padded = line_ + 2 * reach_x * channels_;
    const std::size_t pointers = 2 * std::max(reach_x, reach_y) + 1;
    const std::size_t floats =
        reach_x + reach_y + 2 + padded + static_cast<std::size_t>(kept_) * line_ + kWeighStep;
    std::uint8_t* memory = scratch.reserve(pointers * sizeof(const float*) + floats * sizeof(float));
    lines_ = reinterpret_cast<const float**>(memory);
    padded_ = reinterpret_cast<float*>(memory + pointers * sizeof(const float*));
    rows_ = padded_ + padded;
    weights_x_ = rows_ + static_cast<std::size_t>(kept_) * line_;
    weights_y_ = weights_x_ + reach_x + 1;
    taps_x_ = gaussian_weights(kernel.width, sigma, weights_x_);
    taps_y_ = gaussian_weights(kernel.height, sigma, weights_y_);
  }

  void run(const PixelRows& out) {
    const int height = in_.size.height;
    int next = 0;
    for (int y = 0; y < height; ++y) {
      for (; next < height && next < y + taps_y_; ++next) {
        across(next);
      }
      lines_[0] = kept(y);
      for (int k = 1; k < taps_y_; ++k) {
        lines_[2 * k - 1] = kept(mirrored(y - k, height));
        lines_[2 * k] = kept(mirrored(y + k, height));
      }
      HWY_DYNAMIC_DISPATCH(weigh_to_bytes)(lines_, weights_y_, taps_y_, bytes_, out.row(y));
    }
  }

 private:
  float* kept(int y) const { return rows_ + static_cast<std::size_t>(y % kept_) * line_; }

  void across(int y) {
    const auto reach = static_cast<std::ptrdiff_t>(taps_x_ - 1);
    const auto step = static_cast<std::ptrdiff_t>(channels_);
    float* const middle = padded_ + reach * step;
    HWY_DYNAMIC_DISPATCH(to_floats)(in_.row(y), bytes_, middle);
    for (std::ptrdiff_t k = 1; k <= reach; ++k) {
      const int last = in_.size.width - 1;
      std::copy_n(middle + mirrored(static_cast<int>(-k), last + 1) * step, step, middle - k * step);
    }
    for (std::ptrdiff_t k = 1; k <= reach; ++k) {
      const int last = in_.size.width - 1;
      std::copy_n(middle + mirrored(last + static_cast<int>(k), last + 1) * step, step,
                  middle + (last + k) * step);
    }
    lines_[0] = middle;
    for (std::ptrdiff_t k = 1; k <= reach; ++k) {
      lines_[2 * k - 1] = middle - k * step;
      lines_[2 * k] = middle + k * step;
    }
    weigh_lines(lines_, weights_x_, taps_x_, bytes_, kept(y));
  }

  const ConstPixelRows in_;
  const std::size_t bytes_;
  const std::size_t channels_;
  std::size_t line_ = 0;  // floats from one kept row to the next
  int kept_ = 0;          // rows
  const float** lines_ = nullptr;
  float* padded_ = nullptr;
  float* rows_ = nullptr;
  float* weights_x_ = nullptr;
  float* weights_y_ = nullptr;
  int taps_x_ = 0;
  int taps_y_ = 0;
};

}  // namespace

int gaussian_weights(int size, double sigma, float* weights) {
  constexpr double kUnfelt = 0x1p-27;
  const int reach = size / 2;
  double sum = 1;
  const auto bell = [&](int k) { return std::exp(-0.5 * (k / sigma) * (k / sigma)); };
  for (int k = 1; k <= reach; ++k) {
    sum += 2 * bell(k);
  }
  int taps = 0;
  for (int k = 0; k <= reach && bell(k) / sum >= kUnfelt; ++k) {
    weights[taps++] = static_cast<float>(bell(k) / sum);
  }
  return taps;
}

void weigh_lines(const float* const* lines, const float* weights, int taps, std::size_t count, float* out) {
  HWY_DYNAMIC_DISPATCH(weigh_to_floats)(lines, weights, taps, count, out);
}

void gaussian_blur(const ConstPixelRows& in, const PixelRows& out, const BlurKernel& kernel, double sigma,
                   Scratch& scratch) {
  Blur(in, kernel, sigma, scratch).run(out);
}

CpuTarget gaussian_blur_target() { return HWY_DYNAMIC_DISPATCH(gaussian_blur_target_compiled)(); }

}  // namespace penstock::inline v0
#endif
