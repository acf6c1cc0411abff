// Operations that Highway 1.0.3 lacks, for one target. Included once per target by the kernels' files.

#if defined(PENSTOCK_VECTOR_HELPERS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PENSTOCK_VECTOR_HELPERS_INL
#undef PENSTOCK_VECTOR_HELPERS_INL
#else
#define PENSTOCK_VECTOR_HELPERS_INL
#endif

#include "core/cpu.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace penstock::inline v0 {
namespace HWY_NAMESPACE {

/// The name of the target that this is compiled for.
inline CpuTarget this_target() {
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
  return CpuTarget::scalar;
#elif HWY_TARGET == HWY_NEON
  return CpuTarget::neon;
#elif HWY_TARGET == HWY_SSE4
  return CpuTarget::sse4;
#elif HWY_TARGET == HWY_AVX2
  return CpuTarget::avx2;
#else
  return CpuTarget::avx512;
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace penstock::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

HWY_BEFORE_NAMESPACE();
namespace penstock::inline v0 {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D8 = hn::ScalableTag<std::uint8_t>;
using D16 = hn::ScalableTag<std::int16_t>;
using D32 = hn::ScalableTag<std::int32_t>;
using V8 = hn::Vec<D8>;
using V16 = hn::Vec<D16>;
using V32 = hn::Vec<D32>;

/// Blocks of 16 bytes in a vector.
inline constexpr int kBlocks = static_cast<int>(HWY_MAX_BYTES / 16);

/// Adds a[2i] * b[2i] + a[2i + 1] * b[2i + 1] to sum[i].
HWY_INLINE V32 add_pair_products(V32 sum, V16 a, V16 b) {
#if HWY_TARGET == HWY_NEON
  const int32x4_t low = vmull_s16(vget_low_s16(a.raw), vget_low_s16(b.raw));
  const int32x4_t high = vmull_high_s16(a.raw, b.raw);
  return hn::Add(sum, V32(vpaddq_s32(low, high)));
#else
  V32 unused = hn::Zero(D32());
  return hn::ReorderWidenMulAccumulate(D32(), a, b, sum, unused);
#endif
}

/// a[2i] * b[2i] + a[2i + 1] * b[2i + 1], which must fit 16 bits; a's bytes have no sign, b's have one.
HWY_INLINE V16 byte_pair_products(V8 a, V8 b) {
#if HWY_TARGET == HWY_NEON
  const int16x8_t pairs = vreinterpretq_s16_u8(b.raw);
  const uint16x8_t unsigned_pairs = vreinterpretq_u16_u8(a.raw);
  const int16x8_t first = vreinterpretq_s16_u16(vandq_u16(unsigned_pairs, vdupq_n_u16(0xFF)));
  const int16x8_t second = vreinterpretq_s16_u16(vshrq_n_u16(unsigned_pairs, 8));
  return V16(
      vmlaq_s16(vmulq_s16(first, vshrq_n_s16(vshlq_n_s16(pairs, 8), 8)), second, vshrq_n_s16(pairs, 8)));
#elif HWY_TARGET == HWY_AVX2
  return V16{_mm256_maddubs_epi16(a.raw, b.raw)};
#elif HWY_TARGET == HWY_SSE4
  return V16{_mm_maddubs_epi16(a.raw, b.raw)};
#else
  return V16{_mm512_maddubs_epi16(a.raw, b.raw)};
#endif
}

/// Eight lanes of 32 bits to 8 of 16 bits, saturated, within each block of 16 bytes: a's four, then b's.
HWY_INLINE V16 pack_16(V32 a, V32 b) {
#if HWY_TARGET == HWY_NEON
  return V16(vcombine_s16(vqmovn_s32(a.raw), vqmovn_s32(b.raw)));
#elif HWY_TARGET == HWY_AVX2
  return V16{_mm256_packs_epi32(a.raw, b.raw)};
#elif HWY_TARGET == HWY_SSE4
  return V16{_mm_packs_epi32(a.raw, b.raw)};
#else
  return V16{_mm512_packs_epi32(a.raw, b.raw)};
#endif
}

/// The same from 16 to 8 bits without sign.
HWY_INLINE V8 pack_8(V16 a, V16 b) {
#if HWY_TARGET == HWY_NEON
  return V8(vcombine_u8(vqmovun_s16(a.raw), vqmovun_s16(b.raw)));
#elif HWY_TARGET == HWY_AVX2
  return V8{_mm256_packus_epi16(a.raw, b.raw)};
#elif HWY_TARGET == HWY_SSE4
  return V8{_mm_packus_epi16(a.raw, b.raw)};
#else
  return V8{_mm512_packus_epi16(a.raw, b.raw)};
#endif
}

/// Block i of the result is the 16 bytes at in + i * stride.
HWY_INLINE V8 load_blocks(const std::uint8_t* in, std::size_t stride) {
  const hn::Full128<std::uint8_t> d;
  const auto b0 = hn::LoadU(d, in);
#if HWY_MAX_BYTES == 16
  (void)stride;
  return b0;
#else
  const hn::Full256<std::uint8_t> d256;
  const auto lower = hn::Combine(d256, hn::LoadU(d, in + stride), b0);
#if HWY_MAX_BYTES == 32
  return lower;
#else
  return hn::Combine(D8(), hn::Combine(d256, hn::LoadU(d, in + 3 * stride), hn::LoadU(d, in + 2 * stride)),
                     lower);
#endif
#endif
}

/// Stores the first `count` blocks, each at out + i * stride.
HWY_INLINE void store_blocks(V8 v, std::uint8_t* out, std::size_t stride, int count) {
  const hn::Full128<std::uint8_t> d;
#if HWY_MAX_BYTES == 16
  (void)stride, (void)count;
  hn::StoreU(v, d, out);
#else
  const hn::Full256<std::uint8_t> d256;
#if HWY_MAX_BYTES == 32
  const auto lower = v;
#else
  const auto lower = hn::LowerHalf(d256, v);
#endif
  hn::StoreU(hn::LowerHalf(d, lower), d, out);
  if (count > 1) {
    hn::StoreU(hn::UpperHalf(d, lower), d, out + stride);
  }
#if HWY_MAX_BYTES == 64
  const auto upper = hn::UpperHalf(d256, v);
  if (count > 2) {
    hn::StoreU(hn::LowerHalf(d, upper), d, out + 2 * stride);
  }
  if (count > 3) {
    hn::StoreU(hn::UpperHalf(d, upper), d, out + 3 * stride);
  }
#endif
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace penstock::inline v0
HWY_AFTER_NAMESPACE();

#endif  // vectors
#endif  // PENSTOCK_VECTOR_HELPERS_INL
