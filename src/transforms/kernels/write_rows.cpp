#include "transforms/kernels/write_rows.hpp"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "transforms/kernels/write_rows.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "core/vector_helpers-inl.hpp"
#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "transforms/kernels/rgb-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace penstock::inline v0 {
namespace HWY_NAMESPACE {

CpuTarget write_target_compiled() { return this_target(); }

// Each function does as many of the elements as whole vectors hold and returns how many; the caller does the
// rest.

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

int float_planes(const FloatMap&, const std::uint8_t*, int, float*, std::size_t) { return 0; }
int float_pixels(const FloatMap&, const std::uint8_t*, int, float*) { return 0; }
int byte_planes(const std::uint8_t*, int, std::uint8_t*, std::size_t) { return 0; }

#else

using DF = hn::ScalableTag<float>;
using VF = hn::Vec<DF>;

// One channel's arithmetic, or that of a vector in which channels alternate.
struct Formula {
  VF mean, std, inverse_high, inverse_low;
};

// Without fused multiply-add the products would be rounded twice.
constexpr bool kHasFma = HWY_TARGET != HWY_SSE4;

using Method = FloatMap::Method;

// What all channels share, in registers: stores might change the map for all that the compiler knows.
struct Scale {
  VF high, low;

  template <Method kMethod>
  static HWY_INLINE Scale of(const FloatMap& map) {
    if (kMethod == Method::doubled) {
      return {hn::Set(DF(), FloatMap::inverse_65535), hn::Set(DF(), FloatMap::tie_breaker)};
    }
    return {hn::Set(DF(), map.inverse_255[0]), hn::Set(DF(), map.inverse_255[1])};
  }
};

// x is the value, or 257 times the value for `doubled`.
template <Method kMethod>
HWY_INLINE VF apply(const Scale& scale, const Formula& formula, VF x) {
  if (kMethod == Method::divide) {
    return hn::Div(hn::Sub(hn::Div(x, hn::Set(DF(), 255.0F)), formula.mean), formula.std);
  }
  const VF rest = kMethod == Method::doubled ? scale.low : hn::Mul(x, scale.low);
  const VF shifted = hn::Sub(hn::MulAdd(x, scale.high, rest), formula.mean);
  return hn::MulAdd(shifted, formula.inverse_high, hn::Mul(shifted, formula.inverse_low));
}

HWY_INLINE Formula formula_of(const FloatMap& map, std::size_t channel) {
  return {hn::Set(DF(), map.table.mean[channel]), hn::Set(DF(), map.table.std[channel]),
          hn::Set(DF(), map.inverse_std[channel][0]), hn::Set(DF(), map.inverse_std[channel][1])};
}

// The bytes of one channel of the four pixels at the front of each block, as 32-bit lanes.
alignas(16) constexpr std::uint8_t kChannel[3][16] = {
    {0, 128, 128, 128, 3, 128, 128, 128, 6, 128, 128, 128, 9, 128, 128, 128},
    {1, 128, 128, 128, 4, 128, 128, 128, 7, 128, 128, 128, 10, 128, 128, 128},
    {2, 128, 128, 128, 5, 128, 128, 128, 8, 128, 128, 128, 11, 128, 128, 128}};
// The same times 257.
alignas(16) constexpr std::uint8_t kChannelDoubled[3][16] = {
    {0, 0, 128, 128, 3, 3, 128, 128, 6, 6, 128, 128, 9, 9, 128, 128},
    {1, 1, 128, 128, 4, 4, 128, 128, 7, 7, 128, 128, 10, 10, 128, 128},
    {2, 2, 128, 128, 5, 5, 128, 128, 8, 8, 128, 128, 11, 11, 128, 128}};

#if HWY_MAX_BYTES > 16
// Three 32-bit lanes (four pixels) to the front of each block.
alignas(64) constexpr std::int32_t kSpread[16] = {0, 1, 2, 2, 3, 4, 5, 5, 6, 7, 8, 8, 9, 10, 11, 11};
#endif

constexpr int kFloats = static_cast<int>(HWY_MAX_BYTES / sizeof(float));  // in a vector
constexpr int kLine = 16;                                                 // in a cache line

// kStream: past the caches, since nobody reads the row again here; `out` and the planes are aligned to cache
// lines.
template <Method kMethod, bool kStream>
HWY_INLINE int float_planes_by(const FloatMap& map, const std::uint8_t* pixels, int width, float* out,
                               std::size_t plane) {
  const Formula red = formula_of(map, 0), green = formula_of(map, 1), blue = formula_of(map, 2);
  const Scale scale = Scale::of<kMethod>(map);
  const auto& picks = kMethod == Method::doubled ? kChannelDoubled : kChannel;
  const V8 pick_red = hn::LoadDup128(D8(), picks[0]);
  const V8 pick_green = hn::LoadDup128(D8(), picks[1]);
  const V8 pick_blue = hn::LoadDup128(D8(), picks[2]);
  const auto convert = [&](V8 v, V8 pick, const Formula& formula) HWY_ATTR {
    return apply<kMethod>(scale, formula,
                          hn::ConvertTo(DF(), hn::BitCast(D32(), hn::TableLookupBytesOr0(v, pick))));
  };
  const auto load = [&](int x) HWY_ATTR {
    const V8 v = hn::LoadU(D8(), pixels + static_cast<std::ptrdiff_t>(x) * 3);
#if HWY_MAX_BYTES > 16
    return hn::BitCast(D8(),
                       hn::TableLookupLanes(hn::BitCast(D32(), v), hn::SetTableIndices(D32(), kSpread)));
#else
    return v;
#endif
  };
  int x = 0;
  if (kStream) {
    for (; x + kLine <= width; x += kLine) {  // whole cache lines of one plane after the other
      V8 v[kLine / kFloats];
      for (int i = 0; i < kLine / kFloats; ++i) {
        v[i] = load(x + i * kFloats);
      }
      for (int i = 0; i < kLine / kFloats; ++i) {
        hn::Stream(convert(v[i], pick_red, red), DF(), out + x + i * kFloats);
      }
      for (int i = 0; i < kLine / kFloats; ++i) {
        hn::Stream(convert(v[i], pick_green, green), DF(), out + plane + x + i * kFloats);
      }
      for (int i = 0; i < kLine / kFloats; ++i) {
        hn::Stream(convert(v[i], pick_blue, blue), DF(), out + 2 * plane + x + i * kFloats);
      }
    }
  }
  while (x + kFloats <= width) {
    const V8 v = load(x);
    hn::StoreU(convert(v, pick_red, red), DF(), out + x);
    hn::StoreU(convert(v, pick_green, green), DF(), out + plane + x);
    hn::StoreU(convert(v, pick_blue, blue), DF(), out + 2 * plane + x);
    x += kFloats;
    if (x < width && x + kFloats > width) {
      x = width - kFloats;  // the last vector overlaps
    }
  }
  return x;
}

int float_planes(const FloatMap& map, const std::uint8_t* pixels, int width, float* out, std::size_t plane) {
  if (map.method == Method::lookup) {
    return 0;
  }
  const bool aligned = reinterpret_cast<std::uintptr_t>(out) % 64 == 0 && plane % kLine == 0;
  if (kHasFma && map.method == Method::doubled) {
    return aligned ? float_planes_by<Method::doubled, true>(map, pixels, width, out, plane)
                   : float_planes_by<Method::doubled, false>(map, pixels, width, out, plane);
  }
  if (kHasFma && map.method == Method::multiply) {
    return aligned ? float_planes_by<Method::multiply, true>(map, pixels, width, out, plane)
                   : float_planes_by<Method::multiply, false>(map, pixels, width, out, plane);
  }
  return float_planes_by<Method::divide, false>(map, pixels, width, out, plane);
}

// The formula of a vector whose first lane is of the given channel.
HWY_INLINE Formula alternating(const FloatMap& map, std::size_t first) {
  alignas(64) float values[4][HWY_MAX_BYTES / 4];
  for (std::size_t lane = 0; lane < HWY_MAX_BYTES / 4; ++lane) {
    const std::size_t channel = (first + lane) % 3;
    values[0][lane] = map.table.mean[channel];
    values[1][lane] = map.table.std[channel];
    values[2][lane] = map.inverse_std[channel][0];
    values[3][lane] = map.inverse_std[channel][1];
  }
  return {hn::Load(DF(), values[0]), hn::Load(DF(), values[1]), hn::Load(DF(), values[2]),
          hn::Load(DF(), values[3])};
}

template <Method kMethod>
HWY_INLINE int float_pixels_by(const FloatMap& map, const std::uint8_t* pixels, int elements, float* out) {
  const int lanes = static_cast<int>(hn::Lanes(DF()));
  const Scale scale = Scale::of<kMethod>(map);
  const hn::Rebind<std::uint8_t, DF> narrow;
  const Formula formulas[3] = {alternating(map, 0), alternating(map, HWY_MAX_BYTES / 4 % 3),
                               alternating(map, HWY_MAX_BYTES / 2 % 3)};
  int i = 0;
  for (; i + 3 * lanes <= elements; i += 3 * lanes) {
    for (int part = 0; part < 3; ++part) {
      const auto bytes = hn::LoadU(narrow, pixels + i + part * lanes);
      const VF x = hn::ConvertTo(DF(), hn::PromoteTo(D32(), bytes));
      hn::StoreU(apply<kMethod>(scale, formulas[part], x), DF(), out + i + part * lanes);
    }
  }
  return i;
}

int float_pixels(const FloatMap& map, const std::uint8_t* pixels, int elements, float* out) {
  if (map.method == Method::lookup) {
    return 0;
  }
  if (kHasFma && map.method != Method::divide) {  // `doubled` implies `multiply`
    return float_pixels_by<Method::multiply>(map, pixels, elements, out);
  }
  return float_pixels_by<Method::divide>(map, pixels, elements, out);
}

int byte_planes(const std::uint8_t* pixels, int width, std::uint8_t* out, std::size_t plane) {
  const int lanes = static_cast<int>(hn::Lanes(D8()));
  int x = 0;
  while (x + lanes <= width) {
    V8 red, green, blue;
    load_rgb(pixels + static_cast<std::ptrdiff_t>(x) * 3, red, green, blue);
    hn::StoreU(red, D8(), out + x);
    hn::StoreU(green, D8(), out + plane + x);
    hn::StoreU(blue, D8(), out + 2 * plane + x);
    x += lanes;
    if (x < width && x + lanes > width) {
      x = width - lanes;  // the rest, with some once more
    }
  }
  return x;
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace penstock::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::inline v0 {

HWY_EXPORT(write_target_compiled);
HWY_EXPORT(float_planes);
HWY_EXPORT(float_pixels);
HWY_EXPORT(byte_planes);

namespace {

void write_floats(const ImageSink& sink, std::size_t y, const std::uint8_t* pixels) {
  const auto width = static_cast<std::size_t>(sink.size.width);
  const std::size_t plane = width * static_cast<std::size_t>(sink.size.height);
  const auto& values = sink.floats->table.values;
  if (sink.format == MemoryFormat::channels_first) {
    float* out = static_cast<float*>(sink.data) + y * width;
    auto x = static_cast<std::size_t>(
        HWY_DYNAMIC_DISPATCH(float_planes)(*sink.floats, pixels, sink.size.width, out, plane));
    for (; x < width; ++x) {
      for (std::size_t channel = 0; channel < 3; ++channel) {
        out[channel * plane + x] = values[channel][pixels[x * 3 + channel]];
      }
    }
    return;
  }
  float* out = static_cast<float*>(sink.data) + y * width * 3;
  auto i = static_cast<std::size_t>(
      HWY_DYNAMIC_DISPATCH(float_pixels)(*sink.floats, pixels, sink.size.width * 3, out));
  for (; i < width * 3; ++i) {
    out[i] = values[i % 3][pixels[i]];
  }
}

/// Calls put(place in the sink, channel, place in the row) for each value of row `y`.
template <class Put>
void place_values(const ImageSink& sink, std::size_t y, Put put) {
  const auto width = static_cast<std::size_t>(sink.size.width);
  const auto channels = static_cast<std::size_t>(sink.channels);
  const bool planes = sink.format == MemoryFormat::channels_first;
  const std::size_t plane = planes ? width * static_cast<std::size_t>(sink.size.height) : 1;
  const std::size_t step = planes ? 1 : channels;
  for (std::size_t channel = 0; channel < channels; ++channel) {
    std::size_t place = channel * plane + y * width * step;
    for (std::size_t i = channel; i < width * channels; i += channels, place += step) {
      put(place, channel, i);
    }
  }
}

/// Rows that are not of three bytes a pixel.
void write_other(const ImageSink& sink, std::size_t y, const std::uint8_t* pixels) {
  const auto* const wide = reinterpret_cast<const std::uint16_t*>(pixels);
  const bool is_wide = sink.from == ElementType::uint16;
  if (sink.type == ElementType::float32) {
    auto* const out = static_cast<float*>(sink.data);
    const FloatTable& table = sink.floats->table;
    if (is_wide) {
      place_values(sink, y, [&](std::size_t place, std::size_t channel, std::size_t i) {
        out[place] = table.of_16_bits(wide[i], channel);
      });
    } else {
      place_values(sink, y, [&](std::size_t place, std::size_t channel, std::size_t i) {
        out[place] = table.values[channel][pixels[i]];
      });
    }
  } else if (is_wide) {
    auto* const out = static_cast<std::uint16_t*>(sink.data);
    place_values(sink, y, [&](std::size_t place, std::size_t, std::size_t i) { out[place] = wide[i]; });
  } else {
    auto* const out = static_cast<std::uint8_t*>(sink.data);
    place_values(sink, y, [&](std::size_t place, std::size_t, std::size_t i) { out[place] = pixels[i]; });
  }
}

}  // namespace

void write_row(const ImageSink& sink, int row, const std::uint8_t* pixels) {
  const auto y = static_cast<std::size_t>(row);
  const auto width = static_cast<std::size_t>(sink.size.width);
  if (sink.channels != 3 || sink.from != ElementType::uint8) {
    write_other(sink, y, pixels);
    return;
  }
  if (sink.type == ElementType::float32) {
    write_floats(sink, y, pixels);
    return;
  }
  auto* out = static_cast<std::uint8_t*>(sink.data);
  if (sink.format == MemoryFormat::channels_last) {
    std::memcpy(out + y * width * 3, pixels, width * 3);
    return;
  }
  const std::size_t plane = width * static_cast<std::size_t>(sink.size.height);
  out += y * width;
  auto x = static_cast<std::size_t>(HWY_DYNAMIC_DISPATCH(byte_planes)(pixels, sink.size.width, out, plane));
  for (; x < width; ++x) {
    for (std::size_t channel = 0; channel < 3; ++channel) {
      out[channel * plane + x] = pixels[x * 3 + channel];
    }
  }
}

void finish_rows() { hwy::FlushStream(); }

CpuTarget write_target() { return HWY_DYNAMIC_DISPATCH(write_target_compiled)(); }

}  // namespace penstock::inline v0
#endif
