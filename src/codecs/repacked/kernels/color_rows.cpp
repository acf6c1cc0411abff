#include "codecs/repacked/color_rows.hpp"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codecs/repacked/kernels/color_rows.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "core/vector_helpers-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace penstock::inline v0 {
namespace HWY_NAMESPACE {
using detail::ColorRows;

constexpr int kPixelBytes = 3;

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

void upsample_across_here(const std::uint8_t* in, int count, std::uint8_t* out) {
  for (int i = 0; i < count; ++i) {
    out[2 * i] = static_cast<std::uint8_t>((3 * in[i] + in[i - 1] + 1) >> 2);
    out[2 * i + 1] = static_cast<std::uint8_t>((3 * in[i] + in[i + 1] + 2) >> 2);
  }
}

void upsample_down_here(const std::uint8_t* near, const std::uint8_t* far, bool lower, int count,
                        std::uint8_t* out) {
  for (int i = 0; i < count; ++i) {
    out[i] = static_cast<std::uint8_t>((3 * near[i] + far[i] + (lower ? 2 : 1)) >> 2);
  }
}

void upsample_both_here(const std::uint8_t* near, const std::uint8_t* far, int count, std::uint8_t* out) {
  const auto sum = [&](int i) { return 3 * near[i] + far[i]; };
  for (int i = 0; i < count; ++i) {
    out[2 * i] = static_cast<std::uint8_t>((3 * sum(i) + sum(i - 1) + 8) >> 4);
    out[2 * i + 1] = static_cast<std::uint8_t>((3 * sum(i) + sum(i + 1) + 7) >> 4);
  }
}

void write_color_row(const std::uint8_t* y, const std::uint8_t* cb, const std::uint8_t* cr, int width,
                     std::uint8_t* out) {
  const auto clamped = [](int value) { return static_cast<std::uint8_t>(std::clamp(value, 0, 255)); };
  for (int x = 0; x < width; ++x, out += kPixelBytes) {
    const int blue = cb[x] - 128;
    const int red = cr[x] - 128;
    out[0] = clamped(y[x] + ((91881 * red + 32768) >> 16));
    out[1] = clamped(y[x] + ((-22554 * blue - 46802 * red + 32768) >> 16));
    out[2] = clamped(y[x] + ((116130 * blue + 32768) >> 16));
  }
}

void write_gray_row_here(const std::uint8_t* y, int width, std::uint8_t* out) {
  for (int x = 0; x < width; ++x, out += kPixelBytes) {
    out[0] = out[1] = out[2] = y[x];
  }
}

#else

using DHalf8 = hn::Half<D8>;
using DU16 = hn::Repartition<std::uint16_t, D8>;
using VU16 = hn::Vec<DU16>;

constexpr int kHalf = static_cast<int>(HWY_MAX_BYTES / 2);
constexpr int kWhole = static_cast<int>(HWY_MAX_BYTES);

HWY_INLINE VU16 load_16_wide(const std::uint8_t* from) {
  return hn::PromoteTo(DU16(), hn::LoadU(DHalf8(), from));
}

HWY_INLINE VU16 times_3(VU16 v) { return hn::Add(v, hn::Add(v, v)); }

HWY_INLINE void store_in_turns(VU16 even, VU16 odd, std::uint8_t* out) {
  hn::StoreU(hn::BitCast(D8(), hn::Or(even, hn::ShiftLeft<8>(odd))), D8(), out);
}

void upsample_across_here(const std::uint8_t* in, int count, std::uint8_t* out) {
  for (int i = 0; i < count; i += kHalf) {
    const VU16 here = times_3(load_16_wide(in + i));
    const VU16 before = hn::Add(load_16_wide(in + i - 1), hn::Set(DU16(), 1));
    const VU16 after = hn::Add(load_16_wide(in + i + 1), hn::Set(DU16(), 2));
    store_in_turns(hn::ShiftRight<2>(hn::Add(here, before)), hn::ShiftRight<2>(hn::Add(here, after)),
                   out + 2 * i);
  }
}

void upsample_down_here(const std::uint8_t* near, const std::uint8_t* far, bool lower, int count,
                        std::uint8_t* out) {
  const VU16 rounding = hn::Set(DU16(), lower ? 2 : 1);
  for (int i = 0; i < count; i += kHalf) {
    const VU16 sum = hn::Add(times_3(load_16_wide(near + i)), hn::Add(load_16_wide(far + i), rounding));
    const auto result = hn::BitCast(D16(), hn::ShiftRight<2>(sum));
    hn::StoreU(hn::DemoteTo(DHalf8(), result), DHalf8(), out + i);
  }
}

void upsample_both_here(const std::uint8_t* near, const std::uint8_t* far, int count, std::uint8_t* out) {
  const auto sum = [&](int i)
                       HWY_ATTR { return hn::Add(times_3(load_16_wide(near + i)), load_16_wide(far + i)); };
  for (int i = 0; i < count; i += kHalf) {
    const VU16 here = times_3(sum(i));
    const VU16 before = hn::Add(sum(i - 1), hn::Set(DU16(), 8));
    const VU16 after = hn::Add(sum(i + 1), hn::Set(DU16(), 7));
    store_in_turns(hn::ShiftRight<4>(hn::Add(here, before)), hn::ShiftRight<4>(hn::Add(here, after)),
                   out + 2 * i);
  }
}

/// Red, green and blue of one vector half; the integers are those of libjpeg's tables for every input.
struct Colors {
  V16 red, green, blue;
};

/// Chroma is doubled: its factors then fit into 16 bits with their sign.
HWY_INLINE Colors convert(V16 y, V16 cb, V16 cr) {
  const V16 red = hn::Add(y, hn::MulFixedPoint15(cr, hn::Set(D16(), 22970)));
  const V16 blue = hn::Add(y, hn::MulFixedPoint15(cb, hn::Set(D16(), 29033)));
  const V32 half = hn::Set(D32(), 32768);
  const V16 factors = hn::BitCast(
      D16(), hn::Set(D32(), static_cast<std::int32_t>(((65536u - 23401u) << 16) | (65536u - 11277u))));
  const V32 lower = hn::ShiftRight<16>(add_pair_products(half, hn::InterleaveLower(D16(), cb, cr), factors));
  const V32 upper = hn::ShiftRight<16>(add_pair_products(half, hn::InterleaveUpper(D16(), cb, cr), factors));
  return {red, hn::Add(y, pack_16(lower, upper)), blue};
}

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4
/// What puts 16 bytes of each color at every third of 48: a color's places in the first, second and third 16
/// bytes do not overlap, so that one shuffle per color is enough.
struct Interleaving {
  alignas(16) std::uint8_t order[3][16];     // by color
  alignas(16) std::uint8_t is_green[3][16];  // by 16 bytes
  alignas(16) std::uint8_t is_blue[3][16];
};
constexpr Interleaving kInterleaving = [] {
  Interleaving made{};
  for (std::size_t i = 0; i < 48; ++i) {
    made.order[i % 3][i % 16] = static_cast<std::uint8_t>(i / 3);
    made.is_green[i / 16][i % 16] = i % 3 == 1 ? 0xFF : 0;
    made.is_blue[i / 16][i % 16] = i % 3 == 2 ? 0xFF : 0;
  }
  return made;
}();

HWY_INLINE void store_rgb(V8 red, V8 green, V8 blue, std::uint8_t* out) {
  const auto placed = [](V8 color, int i) HWY_ATTR {
    return hn::TableLookupBytes(color, hn::LoadDup128(D8(), kInterleaving.order[i]));
  };
  const V8 r = placed(red, 0);
  const V8 g = placed(green, 1);
  const V8 b = placed(blue, 2);
  for (int i = 0; i < 3; ++i) {
    const V8 rg = hn::IfVecThenElse(hn::LoadDup128(D8(), kInterleaving.is_green[i]), g, r);
    const V8 rgb = hn::IfVecThenElse(hn::LoadDup128(D8(), kInterleaving.is_blue[i]), b, rg);
    store_blocks(rgb, out + 16 * i, 48, kBlocks);
  }
}
#else
HWY_INLINE void store_rgb(V8 red, V8 green, V8 blue, std::uint8_t* out) {
  hn::StoreInterleaved3(red, green, blue, D8(), out);
}
#endif

HWY_INLINE void convert_vector(const std::uint8_t* y, const std::uint8_t* cb, const std::uint8_t* cr,
                               std::uint8_t* out) {
  const V8 zero = hn::Zero(D8());
  const auto lower = [&](V8 v) HWY_ATTR { return hn::BitCast(D16(), hn::InterleaveLower(D8(), v, zero)); };
  const auto upper = [&](V8 v) HWY_ATTR { return hn::BitCast(D16(), hn::InterleaveUpper(D8(), v, zero)); };
  // Samples less 128 as high bytes, then shifted down until they are doubled.
  const auto centred = [](const std::uint8_t* chroma)
                           HWY_ATTR { return hn::Xor(hn::LoadU(D8(), chroma), hn::Set(D8(), 0x80)); };
  const auto lower_double = [&](V8 v) HWY_ATTR {
    return hn::ShiftRight<7>(hn::BitCast(D16(), hn::InterleaveLower(D8(), zero, v)));
  };
  const auto upper_double = [&](V8 v) HWY_ATTR {
    return hn::ShiftRight<7>(hn::BitCast(D16(), hn::InterleaveUpper(D8(), zero, v)));
  };
  const V8 vy = hn::LoadU(D8(), y);
  const V8 vcb = centred(cb);
  const V8 vcr = centred(cr);
  const Colors a = convert(lower(vy), lower_double(vcb), lower_double(vcr));
  const Colors b = convert(upper(vy), upper_double(vcb), upper_double(vcr));
  store_rgb(pack_8(a.red, b.red), pack_8(a.green, b.green), pack_8(a.blue, b.blue), out);
}

/// Runs `vector(x, out)` for whole vectors of pixels, the last of which overlaps; rows of less than a vector
/// go through memory of their own.
template <class Vector>
HWY_INLINE void for_each_vector(int width, std::uint8_t* out, Vector vector) {
  if (width < kWhole) {
    std::uint8_t memory[kWhole * kPixelBytes];
    vector(0, memory);
    std::memcpy(out, memory, static_cast<std::size_t>(width * kPixelBytes));
    return;
  }
  int x = 0;
  for (; x + kWhole <= width; x += kWhole) {
    vector(x, out + static_cast<std::ptrdiff_t>(x) * kPixelBytes);
  }
  if (x < width) {
    vector(width - kWhole, out + static_cast<std::ptrdiff_t>(width - kWhole) * kPixelBytes);
  }
}

HWY_INLINE void write_color_row(const std::uint8_t* y, const std::uint8_t* cb, const std::uint8_t* cr,
                                int width, std::uint8_t* out) {
  for_each_vector(width, out,
                  [&](int x, std::uint8_t* to) HWY_ATTR { convert_vector(y + x, cb + x, cr + x, to); });
}

void write_gray_row_here(const std::uint8_t* y, int width, std::uint8_t* out) {
  for_each_vector(width, out, [&](int x, std::uint8_t* to) HWY_ATTR {
    const V8 v = hn::LoadU(D8(), y + x);
    store_rgb(v, v, v, to);
  });
}

#endif

void write_color_rows_here(const ColorRows& given) {
  const ColorRows rows = given;  // which no pixel that is written can change
  for (std::size_t i = 0; i < static_cast<std::size_t>(rows.height); ++i) {
    write_color_row(rows.y + i * rows.luma_stride, rows.cb + i * rows.chroma_stride,
                    rows.cr + i * rows.chroma_stride, rows.width, rows.out + i * rows.out_stride);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace penstock::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::inline v0 {

HWY_EXPORT(upsample_across_here);
HWY_EXPORT(upsample_down_here);
HWY_EXPORT(upsample_both_here);
HWY_EXPORT(write_color_rows_here);
HWY_EXPORT(write_gray_row_here);

namespace detail {

void upsample_across(const std::uint8_t* in, int count, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(upsample_across_here)(in, count, out);
}

void upsample_down(const std::uint8_t* near, const std::uint8_t* far, bool lower, int count,
                   std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(upsample_down_here)(near, far, lower, count, out);
}

void upsample_both(const std::uint8_t* near, const std::uint8_t* far, int count, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(upsample_both_here)(near, far, count, out);
}

void write_color_rows(const ColorRows& rows) { HWY_DYNAMIC_DISPATCH(write_color_rows_here)(rows); }

void write_gray_row(const std::uint8_t* y, int width, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(write_gray_row_here)(y, width, out);
}

}  // namespace detail
}  // namespace penstock::inline v0
#endif
