// Three bytes a pixel to a vector for each channel, and back. Included once per target.

#if defined(PENSTOCK_RGB_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PENSTOCK_RGB_INL
#undef PENSTOCK_RGB_INL
#else
#define PENSTOCK_RGB_INL
#endif

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/vector_helpers-inl.hpp"
#include "hwy/highway.h"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

HWY_BEFORE_NAMESPACE();
namespace penstock::inline v0 {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX3_DL

// Where bytes come from that are picked from three vectors: first from the first two, then from the result
// and the third.
struct ThreeSources {
  alignas(64) std::array<std::uint8_t, 64> first{}, second{};

  // places[i] is that of the i-th byte in all 192.
  constexpr explicit ThreeSources(const std::array<std::uint8_t, 64>& places) {
    for (std::size_t i = 0; i < 64; ++i) {
      const bool third = places[i] >= 128;
      first[i] = third ? std::uint8_t{0} : places[i];
      second[i] = static_cast<std::uint8_t>(third ? places[i] - 64 : i);
    }
  }
  HWY_INLINE V8 pick(V8 a, V8 b, V8 c) const {
    const __m512i early = _mm512_permutex2var_epi8(a.raw, _mm512_load_si512(first.data()), b.raw);
    return V8{_mm512_permutex2var_epi8(early, _mm512_load_si512(second.data()), c.raw)};
  }
};

// The bytes of a channel in 64 pixels.
constexpr ThreeSources of_channel(std::size_t channel) {
  std::array<std::uint8_t, 64> places{};
  for (std::size_t i = 0; i < 64; ++i) {
    places[i] = static_cast<std::uint8_t>(3 * i + channel);
  }
  return ThreeSources(places);
}

// The bytes of a third of 64 pixels in three vectors of channels.
constexpr ThreeSources of_third(std::size_t third) {
  std::array<std::uint8_t, 64> places{};
  for (std::size_t i = 0; i < 64; ++i) {
    const std::size_t byte = 64 * third + i;
    places[i] = static_cast<std::uint8_t>(64 * (byte % 3) + byte / 3);
  }
  return ThreeSources(places);
}

constexpr ThreeSources kOfChannel[3] = {of_channel(0), of_channel(1), of_channel(2)};
constexpr ThreeSources kOfThird[3] = {of_third(0), of_third(1), of_third(2)};

HWY_INLINE void load_rgb(const std::uint8_t* in, V8& red, V8& green, V8& blue) {
  const V8 a = hn::LoadU(D8(), in), b = hn::LoadU(D8(), in + 64), c = hn::LoadU(D8(), in + 128);
  red = kOfChannel[0].pick(a, b, c);
  green = kOfChannel[1].pick(a, b, c);
  blue = kOfChannel[2].pick(a, b, c);
}

HWY_INLINE void store_rgb(V8 red, V8 green, V8 blue, std::uint8_t* out) {
  for (std::size_t third = 0; third < 3; ++third) {
    hn::StoreU(kOfThird[third].pick(red, green, blue), D8(), out + 64 * third);
  }
}

#else

HWY_INLINE void load_rgb(const std::uint8_t* in, V8& red, V8& green, V8& blue) {
  hn::LoadInterleaved3(D8(), in, red, green, blue);
}

HWY_INLINE void store_rgb(V8 red, V8 green, V8 blue, std::uint8_t* out) {
  hn::StoreInterleaved3(red, green, blue, D8(), out);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace penstock::inline v0
HWY_AFTER_NAMESPACE();

#endif  // vectors
#endif  // PENSTOCK_RGB_INL
