#include "transforms/kernels/mirror.hpp"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "transforms/kernels/mirror.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "core/vector_helpers-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace penstock::inline v0 {
namespace HWY_NAMESPACE {

CpuTarget mirror_target_compiled() { return this_target(); }

#if HWY_TARGET == HWY_AVX3_DL
// Bytes may come from anywhere in the vector.
using DFlip = D8;
HWY_INLINE V8 look_up(V8 bytes, V8 places) { return V8{_mm512_permutexvar_epi8(places.raw, bytes.raw)}; }
#elif HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
using DFlip = hn::Full128<std::uint8_t>;
HWY_INLINE hn::Vec<DFlip> look_up(hn::Vec<DFlip> bytes, hn::Vec<DFlip> places) {
  return hn::TableLookupBytes(bytes, places);
}
#endif

template <std::size_t kPixel>
HWY_INLINE void flip_pixels(const std::uint8_t* in, std::size_t width, std::uint8_t* out) {
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  constexpr std::size_t kVector = hn::MaxLanes(DFlip());
  constexpr std::size_t kPixels = kVector / kPixel;
  constexpr std::size_t kBytes = kPixels * kPixel;
  constexpr std::size_t kRest = kVector - kBytes;  // of one more pixel
  if (width > kPixels) {
    alignas(64) std::uint8_t left[kVector] = {}, right[kVector] = {};
    for (std::size_t i = 0; i < kBytes; ++i) {
      const std::size_t from = (kPixels - 1 - i / kPixel) * kPixel + i % kPixel;
      left[kRest + i] = static_cast<std::uint8_t>(from);
      right[i] = static_cast<std::uint8_t>(kRest + from);
    }
    const auto places = hn::Load(DFlip(), left);
    std::size_t x = 0;
    for (; x + kPixels < width; x += kPixels) {  // what is written in front of the pixels is written again
      const auto bytes = hn::LoadU(DFlip(), in + x * kPixel);
      hn::StoreU(look_up(bytes, places), DFlip(), out + (width - x) * kPixel - kVector);
    }
    alignas(64) std::uint8_t rest[kVector];
    const auto bytes = hn::LoadU(DFlip(), in + width * kPixel - kVector);
    hn::Store(look_up(bytes, hn::Load(DFlip(), right)), DFlip(), rest);
    std::memcpy(out, rest, (width - x) * kPixel);
    return;
  }
#endif
  for (std::size_t x = 0; x < width; ++x) {
    std::memcpy(out + (width - 1 - x) * kPixel, in + x * kPixel, kPixel);
  }
}

void flip_row_by_target(const std::uint8_t* in, std::size_t width, std::size_t pixel, std::uint8_t* out) {
  switch (pixel) {
    case 1:
      return flip_pixels<1>(in, width, out);
    case 2:
      return flip_pixels<2>(in, width, out);
    case 3:
      return flip_pixels<3>(in, width, out);
    case 4:
      return flip_pixels<4>(in, width, out);
    case 6:
      return flip_pixels<6>(in, width, out);
    default:
      return flip_pixels<8>(in, width, out);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace penstock::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::inline v0 {

HWY_EXPORT(mirror_target_compiled);
HWY_EXPORT(flip_row_by_target);

void flip_row(const std::uint8_t* in, int width, std::size_t pixel, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(flip_row_by_target)(in, static_cast<std::size_t>(width), pixel, out);
}

void repeat_pixel(const std::uint8_t* pixel, std::size_t bytes, int count, std::uint8_t* out) {
  const std::size_t all = static_cast<std::size_t>(count) * bytes;
  if (all == 0) {
    return;
  }
  std::memcpy(out, pixel, bytes);
  for (std::size_t done = bytes; done < all; done *= 2) {
    std::memcpy(out + done, out, std::min(done, all - done));
  }
}

CpuTarget mirror_target() { return HWY_DYNAMIC_DISPATCH(mirror_target_compiled)(); }

}  // namespace penstock::inline v0
#endif
