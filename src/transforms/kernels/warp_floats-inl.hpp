// Warps of RGB and RGBA in float32, for pixels whose neighbours are all inside, on targets with vectors of 32
// bytes. Bytes are taken where it is sure that the doubles' arithmetic truncates to the same; other pixels
// are left to that. Included once per target by warp.cpp.

#if defined(PENSTOCK_WARP_FLOATS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PENSTOCK_WARP_FLOATS_INL
#undef PENSTOCK_WARP_FLOATS_INL
#else
#define PENSTOCK_WARP_FLOATS_INL
#endif

#include <cstring>

#include "hwy/highway.h"
#include "transforms/kernels/warp_pixels.hpp"

#undef PENSTOCK_WARP_FLOATS
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128 && HWY_MAX_BYTES >= 32 && HWY_ARCH_X86
#define PENSTOCK_WARP_FLOATS 1

HWY_BEFORE_NAMESPACE();
namespace penstock::inline v0 {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Two neighbouring pixels, channel after channel; of RGB the last two lanes are of no use.
using DTwo = hn::Simd<float, 8, 0>;
using VTwo = hn::Vec<DTwo>;
using DOne = hn::Simd<float, 4, 0>;
using VOne = hn::Vec<DOne>;

HWY_INLINE VTwo load_two(const std::uint8_t* from) {
  const hn::Rebind<std::int32_t, DTwo> d32;
  const hn::Rebind<std::uint8_t, DTwo> d8;
  return hn::ConvertTo(DTwo(), hn::PromoteTo(d32, hn::LoadU(d8, from)));
}

template <int kChannels>
HWY_INLINE VOne second_of(VTwo two) {
  if constexpr (kChannels == 4) {
    return hn::UpperHalf(DOne(), two);
  } else {
    alignas(32) static constexpr std::int32_t kLanes[8] = {3, 4, 5, 5, 5, 5, 5, 5};
    return hn::LowerHalf(DOne(), hn::TableLookupLanes(two, hn::SetTableIndices(DTwo(), kLanes)));
  }
}

// Writes four bytes; whether all numbers that are at most `margin` away truncate to the same ones.
template <int kChannels>
HWY_INLINE bool store_truncated(VOne value, float margin, std::uint8_t* out) {
  const VOne off = hn::Set(DOne(), margin);
  // Saturates: what lies outside of bytes is the nearest one.
  const __m128i least = _mm_cvttps_epi32(hn::Sub(value, off).raw);
  const __m128i most = _mm_cvttps_epi32(hn::Add(value, off).raw);
  const __m128i words = _mm_packs_epi32(least, most);
  const auto both = static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_packus_epi16(words, words)));
  const auto low = static_cast<std::uint32_t>(both), high = static_cast<std::uint32_t>(both >> 32);
  std::memcpy(out, &low, 4);
  constexpr std::uint32_t kUsed = kChannels == 4 ? 0xFFFFFFFF : 0x00FFFFFF;
  return ((low ^ high) & kUsed) == 0;
}

// Errors of float32 stay below 0.0002; there are none where rests are short.
template <int kChannels>
HWY_INLINE bool bilinear_in_floats(const WarpJob& job, const WarpPlaces& places, int i, std::uint8_t* out) {
  const std::uint8_t* from = job.in.data + places.offset[i];
  const VTwo upper = load_two(from), lower = load_two(from + job.in.stride);
  const VTwo both = hn::Add(upper, hn::Mul(hn::Sub(lower, upper), hn::Set(DTwo(), places.down_float[i])));
  const VOne left = hn::LowerHalf(DOne(), both), right = second_of<kChannels>(both);
  const VOne value = hn::Add(left, hn::Mul(hn::Sub(right, left), hn::Set(DOne(), places.across_float[i])));
  if (HWY_LIKELY(store_truncated<kChannels>(value, job.has_short_rests ? 0 : 1.0F / 2048, out))) {
    return true;
  }
  // Where all four are equal every filter gives them.
  std::uint32_t corner[4];
  std::memcpy(&corner[0], from, 4);
  std::memcpy(&corner[1], from + kChannels, 4);
  std::memcpy(&corner[2], from + job.in.stride, 4);
  std::memcpy(&corner[3], from + job.in.stride + kChannels, 4);
  constexpr std::uint32_t kUsed = kChannels == 4 ? 0xFFFFFFFF : 0x00FFFFFF;
  if ((((corner[0] ^ corner[1]) | (corner[0] ^ corner[2]) | (corner[0] ^ corner[3])) & kUsed) != 0) {
    return false;
  }
  std::memcpy(out, &corner[0], 4);
  return true;
}

// The polynomials of Pillow's cubic, of the place's rest: the weights of four neighbours.
inline constexpr float kCubic[4][4] = {{0, 1, 0, 0}, {-1, 0, 1, 0}, {2, -2, 1, -1}, {-1, 1, -1, 1}};

// Weights of neighbours `first` and the next, in the lanes of their channels.
template <int kChannels>
HWY_INLINE VTwo cubic_weights(int first, VTwo rest) {
  const auto term = [&](int power) HWY_ATTR {
    alignas(32) float lanes[8];
    for (int lane = 0; lane < 8; ++lane) {
      lanes[lane] = kCubic[power][first + (lane >= kChannels ? 1 : 0)];
    }
    return hn::Load(DTwo(), lanes);
  };
  const VTwo inner = hn::Add(term(2), hn::Mul(rest, term(3)));
  return hn::Add(term(0), hn::Mul(rest, hn::Add(term(1), hn::Mul(rest, inner))));
}

// Errors of float32 stay below 0.001.
template <int kChannels>
HWY_INLINE bool bicubic_in_floats(const WarpJob& job, const WarpPlaces& places, int i, std::uint8_t* out) {
  const std::uint8_t* from = job.in.data + places.offset[i] - job.in.stride - kChannels;
  const float d = places.down_float[i];
  const float weights[4] = {d * (-1 + d * (2 - d)), 1 + d * d * (d - 2), d * (1 + d * (1 - d)),
                            d * d * (d - 1)};
  VTwo first = hn::Zero(DTwo()), second = hn::Zero(DTwo());
  for (const float weight : weights) {
    const VTwo w = hn::Set(DTwo(), weight);
    first = hn::Add(first, hn::Mul(load_two(from), w));
    second = hn::Add(second, hn::Mul(load_two(from + 2 * kChannels), w));
    from += job.in.stride;
  }
  const VTwo rest = hn::Set(DTwo(), places.across_float[i]);
  const VTwo sums = hn::Add(hn::Mul(first, cubic_weights<kChannels>(0, rest)),
                            hn::Mul(second, cubic_weights<kChannels>(2, rest)));
  const VOne value = hn::Add(hn::LowerHalf(DOne(), sums), second_of<kChannels>(sums));
  return store_truncated<kChannels>(value, 1.0F / 512, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace penstock::inline v0
HWY_AFTER_NAMESPACE();

#else
#define PENSTOCK_WARP_FLOATS 0
#endif
#endif
