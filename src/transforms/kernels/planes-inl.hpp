// The channels of a row's pixels, taken apart and put together again. Included once per target.

#if defined(PENSTOCK_PLANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PENSTOCK_PLANES_INL
#undef PENSTOCK_PLANES_INL
#else
#define PENSTOCK_PLANES_INL
#endif

#include <cstdint>
#include <cstring>

#include "core/vector_helpers-inl.hpp"
#include "hwy/highway.h"
#include "transforms/kernels/rgb-inl.hpp"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

HWY_BEFORE_NAMESPACE();
namespace penstock::inline v0 {
namespace HWY_NAMESPACE {

using DF = hn::ScalableTag<float>;
using VF = hn::Vec<DF>;
using DQuarter = hn::Rebind<std::uint8_t, D32>;

constexpr int kWhole = static_cast<int>(HWY_MAX_BYTES);      // pixels whose bytes fill a vector a channel
constexpr int kLanes = static_cast<int>(HWY_MAX_BYTES / 4);  // of 32 bits

// The channels of kWhole pixels, apart.
struct Planes {
  alignas(64) std::uint8_t of[4][HWY_MAX_BYTES];

  HWY_INLINE V8 whole(int channel) const { return hn::Load(D8(), of[channel]); }
  HWY_INLINE V32 lanes(int channel, int first) const {
    return hn::PromoteTo(D32(), hn::Load(DQuarter(), of[channel] + first));
  }
  HWY_INLINE void set(int channel, int first, V32 values) {
    hn::Store(hn::DemoteTo(DQuarter(), values), DQuarter(), of[channel] + first);
  }
};

template <int kChannels>
HWY_INLINE void take_apart(const std::uint8_t* in, Planes& planes) {
  V8 r, g, b;
  if constexpr (kChannels == 4) {
    V8 a;
    hn::LoadInterleaved4(D8(), in, r, g, b, a);
    hn::Store(a, D8(), planes.of[3]);
  } else {
    load_rgb(in, r, g, b);
  }
  hn::Store(r, D8(), planes.of[0]);
  hn::Store(g, D8(), planes.of[1]);
  hn::Store(b, D8(), planes.of[2]);
}

template <int kChannels>
HWY_INLINE void put_together(const Planes& planes, std::uint8_t* out) {
  const V8 r = planes.whole(0), g = planes.whole(1), b = planes.whole(2);
  if constexpr (kChannels == 4) {
    hn::StoreInterleaved4(r, g, b, planes.whole(3), D8(), out);
  } else {
    store_rgb(r, g, b, out);
  }
}

// Runs work(planes, count) for the pixels of a row, a vector's bytes at a time; the last part has fewer, with
// anything in the places after them.
template <int kChannels, class Work>
HWY_INLINE void for_each_part(const std::uint8_t* in, int width, Work work) {
  Planes planes;
  int x = 0;
  for (; x + kWhole <= width; x += kWhole) {
    take_apart<kChannels>(in + static_cast<std::ptrdiff_t>(x) * kChannels, planes);
    work(planes, x, kWhole);
  }
  if (x < width) {
    alignas(64) std::uint8_t rest[kWhole * kChannels] = {};
    std::memcpy(rest, in + static_cast<std::ptrdiff_t>(x) * kChannels,
                static_cast<std::size_t>((width - x) * kChannels));
    take_apart<kChannels>(rest, planes);
    work(planes, x, width - x);
  }
}

// The same where pixels become pixels: each(planes, count) changes those of a part.
template <int kChannels, class Each>
HWY_INLINE void change_parts(const std::uint8_t* in, int width, std::uint8_t* out, Each each) {
  for_each_part<kChannels>(in, width, [&](Planes& planes, int x, int count) HWY_ATTR {
    each(planes, count);
    std::uint8_t* to = out + static_cast<std::ptrdiff_t>(x) * kChannels;
    if (count == kWhole) {
      put_together<kChannels>(planes, to);
      return;
    }
    alignas(64) std::uint8_t rest[kWhole * kChannels];
    put_together<kChannels>(planes, rest);
    std::memcpy(to, rest, static_cast<std::size_t>(count * kChannels));
  });
}

// The same, each(planes, first) for kLanes pixels.
template <int kChannels, class Each>
HWY_INLINE void change_pixels(const std::uint8_t* in, int width, std::uint8_t* out, Each each) {
  change_parts<kChannels>(in, width, out, [&](Planes& planes, int count) HWY_ATTR {
    for (int first = 0; first < count; first += kLanes) {
      each(planes, first);
    }
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace penstock::inline v0
HWY_AFTER_NAMESPACE();

#endif  // vectors
#endif  // PENSTOCK_PLANES_INL
