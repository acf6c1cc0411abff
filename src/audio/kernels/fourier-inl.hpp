// Fourier transforms of as many frames as a vector has lanes, for one target. Element i of all frames is one
// vector. No fused multiply-add: every target rounds alike.

#if defined(PENSTOCK_FOURIER_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PENSTOCK_FOURIER_INL
#undef PENSTOCK_FOURIER_INL
#else
#define PENSTOCK_FOURIER_INL
#endif

#include <cmath>

#include "audio/fft_plan.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace penstock::inline v0 {
namespace HWY_NAMESPACE {
namespace fourier {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
inline constexpr std::size_t kLanes = HWY_TARGET == HWY_SCALAR ? 1 : HWY_MAX_BYTES / sizeof(float);

struct Complex {
  V re, im;
};

HWY_INLINE Complex load(const float* at) { return {hn::Load(D(), at), hn::Load(D(), at + kLanes)}; }
HWY_INLINE void store(Complex z, float* at) {
  hn::Store(z.re, D(), at);
  hn::Store(z.im, D(), at + kLanes);
}
HWY_INLINE Complex operator+(Complex a, Complex b) { return {hn::Add(a.re, b.re), hn::Add(a.im, b.im)}; }
HWY_INLINE Complex operator-(Complex a, Complex b) { return {hn::Sub(a.re, b.re), hn::Sub(a.im, b.im)}; }
HWY_INLINE Complex times_minus_i(Complex z) { return {z.im, hn::Neg(z.re)}; }
/// Times the number at `factor`, the same in all lanes.
HWY_INLINE Complex times(Complex z, const float* factor) {
  const V cosine = hn::Set(D(), factor[0]);
  const V sine = hn::Set(D(), factor[1]);
  return {hn::Sub(hn::Mul(z.re, cosine), hn::Mul(z.im, sine)),
          hn::Add(hn::Mul(z.re, sine), hn::Mul(z.im, cosine))};
}

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
/// Block b of the result: four samples, from `i` on, of frame 4 * b + row.
HWY_INLINE V load_quads(const float* const* frames, std::size_t row, std::size_t i) {
  const hn::Full128<float> d4;
  const auto b0 = hn::LoadU(d4, frames[row] + i);
#if HWY_MAX_BYTES == 16
  return b0;
#else
  const hn::Full256<float> d8;
  const auto lower = hn::Combine(d8, hn::LoadU(d4, frames[4 + row] + i), b0);
#if HWY_MAX_BYTES == 32
  return lower;
#else
  const auto upper = hn::Combine(d8, hn::LoadU(d4, frames[12 + row] + i), hn::LoadU(d4, frames[8 + row] + i));
  return hn::Combine(D(), upper, lower);
#endif
#endif
}
#endif

/// Sample i of each frame times window[i], at out + i * step * kLanes.
HWY_INLINE void load_frames(const float* const* frames, const float* window, std::size_t size,
                            std::size_t step, float* out) {
  std::size_t i = 0;
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  const hn::Repartition<double, D> pairs;
  for (; i + 4 <= size; i += 4) {
    const V r0 = load_quads(frames, 0, i), r1 = load_quads(frames, 1, i);
    const V r2 = load_quads(frames, 2, i), r3 = load_quads(frames, 3, i);
    const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(D(), r0, r1));
    const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(D(), r2, r3));
    const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(D(), r0, r1));
    const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(D(), r2, r3));
    const V columns[4] = {hn::BitCast(D(), hn::InterleaveLower(pairs, low01, low23)),
                          hn::BitCast(D(), hn::InterleaveUpper(pairs, low01, low23)),
                          hn::BitCast(D(), hn::InterleaveLower(pairs, high01, high23)),
                          hn::BitCast(D(), hn::InterleaveUpper(pairs, high01, high23))};
    for (std::size_t c = 0; c < 4; ++c) {
      hn::Store(hn::Mul(columns[c], hn::Set(D(), window[i + c])), D(), out + (i + c) * step * kLanes);
    }
  }
#endif
  for (; i < size; ++i) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      out[i * step * kLanes + lane] = frames[lane][i] * window[i];
    }
  }
}

template <bool kTwiddles>
HWY_INLINE void pass_of_four(const FftPlan& plan, const FftPlan::Pass& pass, float* z) {
  const std::size_t part = static_cast<std::size_t>(pass.length / 4) * 2 * kLanes;
  const float* const end = z + static_cast<std::size_t>(plan.points) * 2 * kLanes;
  for (float* block = z; block != end; block += 4 * part) {
    const float* factor = plan.factors.data() + pass.twiddles;
    for (float* at = block; at != block + part; at += 2 * kLanes, factor += 6) {
      const Complex a = load(at), b = load(at + part), c = load(at + 2 * part), d = load(at + 3 * part);
      const Complex even = a + c, odd = a - c;
      const Complex sum = b + d, difference = times_minus_i(b - d);
      const Complex y1 = odd + difference, y2 = even - sum, y3 = odd - difference;
      store(even + sum, at);
      store(kTwiddles ? times(y1, factor) : y1, at + part);
      store(kTwiddles ? times(y2, factor + 2) : y2, at + 2 * part);
      store(kTwiddles ? times(y3, factor + 4) : y3, at + 3 * part);
    }
  }
}

HWY_INLINE void pass_of_two(const FftPlan& plan, const FftPlan::Pass& pass, float* z) {
  const std::size_t part = static_cast<std::size_t>(pass.length / 2) * 2 * kLanes;
  const float* const end = z + static_cast<std::size_t>(plan.points) * 2 * kLanes;
  for (float* block = z; block != end; block += 2 * part) {
    const float* factor = plan.factors.data() + pass.twiddles;
    for (float* at = block; at != block + part; at += 2 * kLanes, factor += 2) {
      const Complex a = load(at), b = load(at + part);
      store(a + b, at);
      store(times(a - b, factor), at + part);
    }
  }
}

/// Any radix, by the definition: `parts` holds radix complex vectors.
HWY_INLINE void pass_of_any(const FftPlan& plan, const FftPlan::Pass& pass, float* z, float* parts) {
  const auto radix = static_cast<std::size_t>(pass.radix);
  const std::size_t part = static_cast<std::size_t>(pass.length / pass.radix) * 2 * kLanes;
  const float* const roots = plan.factors.data() + pass.roots;
  const float* const end = z + static_cast<std::size_t>(plan.points) * 2 * kLanes;
  for (float* block = z; block != end; block += radix * part) {
    const float* factor = plan.factors.data() + pass.twiddles;
    for (float* at = block; at != block + part; at += 2 * kLanes) {
      for (std::size_t q = 0; q < radix; ++q) {
        store(load(at + q * part), parts + q * 2 * kLanes);
      }
      for (std::size_t p = 0; p < radix; ++p) {
        Complex sum = load(parts);
        for (std::size_t q = 1, turn = p; q < radix; ++q, turn += p) {
          turn -= turn >= radix ? radix : 0;
          sum = sum + times(load(parts + q * 2 * kLanes), roots + 2 * turn);
        }
        store(p == 0 ? sum : times(sum, factor + 2 * (p - 1)), at + p * part);
      }
      factor += 2 * (radix - 1);
    }
  }
}

/// z: plan.points complex vectors, replaced by their transform with output k at plan.place[k].
HWY_INLINE void transform(const FftPlan& plan, float* z, float* parts) {
  for (const FftPlan::Pass& pass : plan.passes) {
    if (pass.radix == 4 && pass.length == 4) {
      pass_of_four<false>(plan, pass, z);
    } else if (pass.radix == 4) {
      pass_of_four<true>(plan, pass, z);
    } else if (pass.radix == 2) {
      pass_of_two(plan, pass, z);
    } else {
      pass_of_any(plan, pass, z, parts);
    }
  }
}

HWY_INLINE V squared(Complex z) { return hn::Add(hn::Mul(z.re, z.re), hn::Mul(z.im, z.im)); }

/// Squared magnitudes of the bins of real frames, from the transform of their pairs (even) or of themselves
/// (odd).
HWY_INLINE void squared_magnitudes(const FftPlan& plan, const float* z, float* out) {
  const auto at = [&](std::size_t k) HWY_ATTR { return load(z + plan.place[k] * 2 * kLanes); };
  const auto points = static_cast<std::size_t>(plan.points);
  if (!plan.is_even()) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(plan.bins()); ++k) {
      hn::Store(squared(at(k)), D(), out + k * kLanes);
    }
    return;
  }
  const V half = hn::Set(D(), 0.5F);
  const Complex first = at(0);
  const V sum = hn::Add(first.re, first.im), difference = hn::Sub(first.re, first.im);
  hn::Store(hn::Mul(sum, sum), D(), out);
  hn::Store(hn::Mul(difference, difference), D(), out + points * kLanes);
  for (std::size_t k = 1; k <= points / 2; ++k) {
    const Complex a = at(k), b = at(points - k);
    // Transforms of the samples with even and with odd numbers.
    const Complex even{hn::Mul(half, hn::Add(a.re, b.re)), hn::Mul(half, hn::Sub(a.im, b.im))};
    const Complex odd{hn::Mul(half, hn::Add(a.im, b.im)), hn::Mul(half, hn::Sub(b.re, a.re))};
    const Complex turned = times(odd, plan.split.data() + 2 * k);
    hn::Store(squared(even + turned), D(), out + k * kLanes);
    hn::Store(squared(even - turned), D(), out + (points - k) * kLanes);
  }
}

}  // namespace fourier
}  // namespace HWY_NAMESPACE
}  // namespace penstock::inline v0
HWY_AFTER_NAMESPACE();

#endif  // PENSTOCK_FOURIER_INL
