#include "transforms/kernels/normal_noise.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "transforms/kernels/normal_noise.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "core/vector_helpers-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace penstock::inline v0 {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

CpuTarget noise_target_compiled() { return this_target(); }

// The arithmetic is written once: the scalar target has vectors of one lane.
using DN = hn::ScalableTag<float>;
using DI = hn::RebindToSigned<DN>;
using DU = hn::RebindToUnsigned<DN>;
using VN = hn::Vec<DN>;
using VI = hn::Vec<DI>;
using VU = hn::Vec<DU>;

struct Words {
  VU of[4];
};

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

// Philox4x32-10 for as many blocks as there are lanes.
HWY_INLINE Words random_words(const Draws::State& start, std::uint32_t block) {
  const std::size_t lanes = hn::Lanes(DU());
  alignas(16) std::uint32_t made[4][16];
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const auto words = detail::philox4x32_10(
        {static_cast<std::uint32_t>(start.sample), static_cast<std::uint32_t>(start.sample >> 32), start.op,
         block + static_cast<std::uint32_t>(lane)},
        start.key);
    for (std::size_t i = 0; i < 4; ++i) {
      made[i][lane] = words[i];
    }
  }
  return {
      {hn::Load(DU(), made[0]), hn::Load(DU(), made[1]), hn::Load(DU(), made[2]), hn::Load(DU(), made[3])}};
}

#else

// The upper and the lower halves of products.
HWY_INLINE void multiply_wide(VU a, VU b, VU& upper, VU& lower) {
  using D64 = hn::Repartition<std::uint64_t, DU>;
  const auto even = hn::MulEven(a, b);
  const auto odd = hn::MulEven(hn::BitCast(DU(), hn::ShiftRight<32>(hn::BitCast(D64(), a))), b);
  lower = hn::OddEven(hn::BitCast(DU(), hn::ShiftLeft<32>(odd)), hn::BitCast(DU(), even));
  upper = hn::OddEven(hn::BitCast(DU(), odd), hn::BitCast(DU(), hn::ShiftRight<32>(even)));
}

HWY_INLINE Words random_words(const Draws::State& start, std::uint32_t block) {
  const DU d;
  VU c0 = hn::Set(d, static_cast<std::uint32_t>(start.sample));
  VU c1 = hn::Set(d, static_cast<std::uint32_t>(start.sample >> 32));
  VU c2 = hn::Set(d, start.op);
  VU c3 = hn::Iota(d, block);
  std::uint32_t key0 = start.key[0], key1 = start.key[1];
  for (int round = 0; round < 10; ++round) {
    VU upper0, lower0, upper1, lower1;
    multiply_wide(c0, hn::Set(d, 0xD2511F53U), upper0, lower0);
    multiply_wide(c2, hn::Set(d, 0xCD9E8D57U), upper1, lower1);
    c0 = hn::Xor(hn::Xor(upper1, c1), hn::Set(d, key0));
    c1 = lower1;
    c2 = hn::Xor(hn::Xor(upper0, c3), hn::Set(d, key1));
    c3 = lower0;
    key0 += 0x9E3779B9U;
    key1 += 0xBB67AE85U;
  }
  return {{c0, c1, c2, c3}};
}

#endif

// Between 0 and 1, neither of them: the middles of 2^23 parts.
HWY_INLINE VN between(VU words) {
  const VI upper = hn::BitCast(DI(), hn::ShiftRight<9>(words));
  return hn::Mul(hn::Add(hn::ConvertTo(DN(), upper), hn::Set(DN(), 0.5F)), hn::Set(DN(), 0x1p-23F));
}

template <std::size_t kTerms>
HWY_INLINE VN polynomial(VN x, const std::array<float, kTerms>& from_highest) {
  VN sum = hn::Set(DN(), from_highest[0]);
  for (std::size_t i = 1; i < kTerms; ++i) {
    sum = hn::Add(hn::Mul(sum, x), hn::Set(DN(), from_highest[i]));
  }
  return sum;
}

// The natural logarithm of a number between 0 and 1, as Cephes has it.
HWY_INLINE VN logarithm(VN x) {
  const DN d;
  const VI bits = hn::BitCast(DI(), x);
  VI exponent = hn::Sub(hn::ShiftRight<23>(bits), hn::Set(DI(), 126));
  VN part = hn::BitCast(d, hn::Or(hn::And(bits, hn::Set(DI(), 0x7FFFFF)), hn::Set(DI(), 0x3F000000)));
  const auto small = hn::Lt(part, hn::Set(d, 0.70710678F));
  const VN one = hn::Set(d, 1.0F);
  part = hn::Sub(hn::IfThenElse(small, hn::Add(part, part), part), one);
  const VN power = hn::Sub(hn::ConvertTo(d, exponent), hn::IfThenElseZero(small, one));
  const VN square = hn::Mul(part, part);
  VN sum = polynomial(part, std::array{7.0376836292e-2F, -1.1514610310e-1F, 1.1676998740e-1F,
                                       -1.2420140846e-1F, 1.4249322787e-1F, -1.6668057665e-1F,
                                       2.0000714765e-1F, -2.4999993993e-1F, 3.3333331174e-1F});
  sum = hn::Mul(hn::Mul(sum, part), square);
  sum = hn::Add(sum, hn::Mul(power, hn::Set(d, -2.12194440e-4F)));
  sum = hn::Sub(sum, hn::Mul(square, hn::Set(d, 0.5F)));
  return hn::Add(hn::Add(part, sum), hn::Mul(power, hn::Set(d, 0.693359375F)));
}

// Of a part of the circle between 0 and 1.
HWY_INLINE void cosine_and_sine(VN part, VN& cosine, VN& sine) {
  const DN d;
  const VN four = hn::Mul(part, hn::Set(d, 4.0F));
  const VI quarter = hn::ConvertTo(DI(), hn::Add(four, hn::Set(d, 0.5F)));
  const VN angle = hn::Mul(hn::Sub(four, hn::ConvertTo(d, quarter)), hn::Set(d, 1.5707963268F));
  const VN square = hn::Mul(angle, angle);
  VN s = polynomial(square, std::array{-1.9515295891e-4F, 8.3321608736e-3F, -1.6666654611e-1F});
  s = hn::Add(hn::Mul(hn::Mul(s, square), angle), angle);
  VN c = polynomial(square, std::array{2.443315711809948e-5F, -1.388731625493765e-3F, 4.166664568298827e-2F});
  c = hn::Mul(hn::Mul(c, square), square);
  c = hn::Add(hn::Sub(c, hn::Mul(square, hn::Set(d, 0.5F))), hn::Set(d, 1.0F));
  const VI one = hn::Set(DI(), 1);
  const auto turned = hn::RebindMask(d, hn::Eq(hn::And(quarter, one), one));
  const auto sign = [&](VI of) HWY_ATTR {  // the second bit becomes that of the sign
    return hn::BitCast(d, hn::ShiftLeft<30>(hn::And(of, hn::Set(DI(), 2))));
  };
  cosine = hn::Xor(hn::IfThenElse(turned, s, c), sign(hn::Add(quarter, one)));
  sine = hn::Xor(hn::IfThenElse(turned, c, s), sign(quarter));
}

HWY_INLINE void two_normals(VU first, VU second, VN& a, VN& b) {
  const VN radius = hn::Sqrt(hn::Mul(hn::Set(DN(), -2.0F), logarithm(between(first))));
  VN cosine, sine;
  cosine_and_sine(between(second), cosine, sine);
  a = hn::Mul(radius, cosine);
  b = hn::Mul(radius, sine);
}

void noise_blocks(const Draws::State& start, std::uint32_t first, std::size_t count, float* out) {
  const std::size_t lanes = hn::Lanes(DN());
  for (std::size_t i = 0; i < count; i += 4 * lanes) {
    const Words words = random_words(start, first + static_cast<std::uint32_t>(i / 4));
    VN made[4];
    two_normals(words.of[0], words.of[1], made[0], made[1]);
    two_normals(words.of[2], words.of[3], made[2], made[3]);
    alignas(64) float apart[4][16];
    for (int n = 0; n < 4; ++n) {
      hn::Store(made[n], DN(), apart[n]);
    }
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      for (std::size_t n = 0; n < 4; ++n) {
        out[i + 4 * lane + n] = apart[n][lane];
      }
    }
  }
}

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

void noise_to_bytes(const std::uint8_t* in, std::size_t count, bool keeps_fourth, const float* noise,
                    const ByteNoise& how, std::uint8_t* out) {
  for (std::size_t i = 0; i < count; ++i) {
    const float scaled = noise[i] * how.scale;
    const int sum = in[i] + static_cast<int>(scaled + how.shift);
    out[i] = keeps_fourth && i % 4 == 3 ? in[i]
                                        : static_cast<std::uint8_t>(how.clip ? std::clamp(sum, 0, 255) : sum);
  }
}

#else

void noise_to_bytes(const std::uint8_t* in, std::size_t count, bool keeps_fourth, const float* noise,
                    const ByteNoise& how, std::uint8_t* out) {
  using DQuarter = hn::Rebind<std::uint8_t, DI>;
  constexpr std::size_t kStep = HWY_MAX_BYTES / 4;
  const VN scale = hn::Set(DN(), how.scale), shift = hn::Set(DN(), how.shift);
  const VI kept = hn::And(hn::Iota(DI(), 0), hn::Set(DI(), 3));
  const auto fourth = hn::Eq(kept, hn::Set(DI(), keeps_fourth ? 3 : 4));
  for (std::size_t i = 0; i < count; i += kStep) {
    const VN more = hn::Add(hn::Mul(hn::LoadU(DN(), noise + i), scale), shift);
    const VI bytes = hn::PromoteTo(DI(), hn::LoadU(DQuarter(), in + i));
    VI sum = hn::Add(bytes, hn::ConvertTo(DI(), more));
    sum = how.clip ? sum : hn::And(sum, hn::Set(DI(), 255));
    alignas(64) std::uint8_t made[kStep];
    hn::Store(hn::DemoteTo(DQuarter(), hn::IfThenElse(fourth, bytes, sum)), DQuarter(), made);
    std::memcpy(out + i, made, std::min(kStep, count - i));
  }
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace penstock::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::inline v0 {

HWY_EXPORT(noise_target_compiled);
HWY_EXPORT(noise_blocks);
HWY_EXPORT(noise_to_bytes);

void normal_noise(const Draws::State& start, std::uint32_t first, std::size_t count, float* out) {
  HWY_DYNAMIC_DISPATCH(noise_blocks)(start, start.drawn / 4 + 1 + first, count, out);
}

void add_noise(const std::uint8_t* in, std::size_t count, bool keeps_fourth, const float* noise,
               const ByteNoise& how, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(noise_to_bytes)(in, count, keeps_fourth, noise, how, out);
}

CpuTarget noise_target() { return HWY_DYNAMIC_DISPATCH(noise_target_compiled)(); }

}  // namespace penstock::inline v0
#endif
