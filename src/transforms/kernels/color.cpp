#include "transforms/kernels/color.hpp"

#include <algorithm>
#include <cstring>

#include "transforms/kernels/byte_tables.hpp"
#include "transforms/kernels/hue_table.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "transforms/kernels/color.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "core/vector_helpers-inl.hpp"
#include "hwy/highway.h"
#include "transforms/kernels/planes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace penstock::inline v0 {
namespace HWY_NAMESPACE {

CpuTarget color_target_compiled() { return this_target(); }

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

std::uint64_t gray_sum_row(const std::uint8_t* in, int width, int channels) {
  std::uint64_t sum = 0;
  for (int x = 0; x < width; ++x, in += channels) {
    sum += gray_of(in[0], in[1], in[2]);
  }
  return sum;
}

void gray_row(const std::uint8_t* in, int width, int channels, std::uint8_t* out, int out_channels) {
  for (int x = 0; x < width; ++x, in += channels, out += out_channels) {
    const std::uint8_t gray = gray_of(in[0], in[1], in[2]);
    if (out_channels == 4) {
      out[3] = in[3];
    }
    std::fill_n(out, std::min(out_channels, 3), gray);
  }
}

void saturation_row(const std::uint8_t* in, int width, int channels, std::uint8_t* out, float factor) {
  for (int x = 0; x < width; ++x, in += channels, out += channels) {
    const std::uint8_t gray = gray_of(in[0], in[1], in[2]);
    for (int c = 0; c < channels; ++c) {
      out[c] = c == 3 ? in[c] : blend(gray, in[c], factor);
    }
  }
}

void hue_row(const std::uint8_t* in, int width, int channels, std::uint8_t* out, std::uint8_t shift) {
  const std::uint8_t* table = hue_table();
  for (int x = 0; x < width; ++x, in += channels, out += channels) {
    const int red = in[0], green = in[1], blue = in[2];
    const int value = std::max({red, green, blue});
    const int range = value - std::min({red, green, blue});
    if (channels == 4) {
      out[3] = in[3];
    }
    if (range == 0) {
      std::fill_n(out, 3, static_cast<std::uint8_t>(value));
      continue;
    }
    const int step = value == red     ? green - blue
                     : value == green ? 2 * range + blue - red
                                      : 4 * range + red - green;
    const int hue = (table[hue_place(range, step < 0 ? step + 6 * range : step)] + shift) % 256;
    const int saturation = 255 * range / value;
    const int sector = 6 * hue / 255 % 6;
    const int fraction = 6 * hue % 255;
    const auto rounded = [](int number, int by) { return static_cast<std::uint8_t>((number + by / 2) / by); };
    const auto v = static_cast<std::uint8_t>(value);
    const std::uint8_t low = rounded(value * (255 - saturation), 255);
    const int away = sector % 2 == 0 ? 255 - fraction : fraction;
    const std::uint8_t between = rounded(value * (65025 - saturation * away), 65025);
    const std::uint8_t colors[6][3] = {{v, between, low}, {between, v, low}, {low, v, between},
                                       {low, between, v}, {between, low, v}, {v, low, between}};
    std::copy_n(colors[sector], 3, out);
  }
}

#else

// Halves of the factors that fit 16 bits with their sign.
HWY_INLINE V32 gray_lanes(V32 red, V32 green, V32 blue) {
  const V16 red_green = hn::BitCast(D16(), hn::Or(red, hn::ShiftLeft<16>(green)));
  const V16 blue_green = hn::BitCast(D16(), hn::Or(blue, hn::ShiftLeft<16>(green)));
  const V16 by_red_green = hn::BitCast(D16(), hn::Set(D32(), 19235 * 65536 + 19595));
  const V16 by_blue_green = hn::BitCast(D16(), hn::Set(D32(), 19235 * 65536 + 7471));
  V32 sum = add_pair_products(hn::Set(D32(), 32768), red_green, by_red_green);
  sum = add_pair_products(sum, blue_green, by_blue_green);
  return hn::ShiftRight<16>(sum);
}

HWY_INLINE V32 gray_lanes(const Planes& planes, int first) {
  return gray_lanes(planes.lanes(0, first), planes.lanes(1, first), planes.lanes(2, first));
}

template <int kChannels>
HWY_INLINE std::uint64_t gray_sum_of(const std::uint8_t* in, int width) {
  V32 sums = hn::Zero(D32());
  for_each_part<kChannels>(in, width, [&](const Planes& planes, int, int count) HWY_ATTR {
    for (int first = 0; first < count; first += kLanes) {
      sums = hn::Add(sums, gray_lanes(planes, first));  // places after the last pixel are 0
    }
  });
  alignas(64) std::int32_t lanes[kLanes];
  hn::Store(sums, D32(), lanes);
  std::uint64_t total = 0;
  for (const std::int32_t lane : lanes) {
    total += static_cast<std::uint64_t>(lane);
  }
  return total;
}

std::uint64_t gray_sum_row(const std::uint8_t* in, int width, int channels) {
  return channels == 4 ? gray_sum_of<4>(in, width) : gray_sum_of<3>(in, width);
}

template <int kChannels>
HWY_INLINE void gray_row_of(const std::uint8_t* in, int width, std::uint8_t* out) {
  change_pixels<kChannels>(in, width, out, [](Planes& planes, int first) HWY_ATTR {
    const V32 gray = gray_lanes(planes, first);
    for (int c = 0; c < 3; ++c) {
      planes.set(c, first, gray);
    }
  });
}

template <int kChannels>
HWY_INLINE void gray_row_to_one(const std::uint8_t* in, int width, std::uint8_t* out) {
  for_each_part<kChannels>(in, width, [&](Planes& planes, int x, int count) HWY_ATTR {
    for (int first = 0; first < count; first += kLanes) {
      planes.set(0, first, gray_lanes(planes, first));
    }
    std::memcpy(out + x, planes.of[0], static_cast<std::size_t>(count));
  });
}

void gray_row(const std::uint8_t* in, int width, int channels, std::uint8_t* out, int out_channels) {
  if (out_channels == 1) {
    channels == 4 ? gray_row_to_one<4>(in, width, out) : gray_row_to_one<3>(in, width, out);
  } else {
    channels == 4 ? gray_row_of<4>(in, width, out) : gray_row_of<3>(in, width, out);
  }
}

template <int kChannels>
HWY_INLINE void saturation_row_of(const std::uint8_t* in, int width, std::uint8_t* out, float factor) {
  const VF by = hn::Set(DF(), factor), zero = hn::Zero(DF()), most = hn::Set(DF(), 255.0F);
  change_pixels<kChannels>(in, width, out, [&](Planes& planes, int first) HWY_ATTR {
    const V32 rgb[3] = {planes.lanes(0, first), planes.lanes(1, first), planes.lanes(2, first)};
    const V32 gray = gray_lanes(rgb[0], rgb[1], rgb[2]);
    const VF base = hn::ConvertTo(DF(), gray);
    for (int c = 0; c < 3; ++c) {
      const VF moved = hn::Mul(by, hn::ConvertTo(DF(), hn::Sub(rgb[c], gray)));
      const VF sum = hn::Min(hn::Max(hn::Add(base, moved), zero), most);
      planes.set(c, first, hn::ConvertTo(D32(), sum));
    }
  });
}

void saturation_row(const std::uint8_t* in, int width, int channels, std::uint8_t* out, float factor) {
  channels == 4 ? saturation_row_of<4>(in, width, out, factor) : saturation_row_of<3>(in, width, out, factor);
}

// Both below 2^24; the quotient's distance from a whole number is more than the division's error.
HWY_INLINE V32 divided(V32 number, V32 by) {
  return hn::ConvertTo(D32(), hn::Div(hn::ConvertTo(DF(), number), hn::ConvertTo(DF(), by)));
}

// number / 255, rounded, for numbers up to 255 * 255.
HWY_INLINE V32 rounded_255th(V32 number) {
  const V32 more = hn::Add(number, hn::Set(D32(), 128));
  return hn::ShiftRight<8>(hn::Add(more, hn::ShiftRight<8>(more)));
}

HWY_INLINE void turn_hue(Planes& planes, int first, const std::uint8_t* table, V32 shift) {
  const V32 red = planes.lanes(0, first), green = planes.lanes(1, first), blue = planes.lanes(2, first);
  const V32 zero = hn::Zero(D32()), one = hn::Set(D32(), 1);
  const V32 value = hn::Max(hn::Max(red, green), blue);
  const V32 range = hn::Sub(value, hn::Min(hn::Min(red, green), blue));
  const V32 twice = hn::Add(range, range);
  const V32 from_green = hn::Add(twice, hn::Sub(blue, red));
  const V32 from_blue = hn::Add(hn::Add(twice, twice), hn::Sub(red, green));
  V32 step = hn::IfThenElse(hn::Eq(value, green), from_green, from_blue);
  step = hn::IfThenElse(hn::Eq(value, red), hn::Sub(green, blue), step);
  const V32 thrice = hn::Add(twice, range);
  step = hn::Add(step, hn::IfThenElseZero(hn::Lt(step, zero), hn::Add(thrice, thrice)));
  const V32 place = hn::Add(hn::Mul(thrice, hn::Sub(range, one)), step);
  const V32 found = hn::GatherOffset(D32(), reinterpret_cast<const std::int32_t*>(table), place);
  const V32 hue = hn::And(hn::Add(found, shift), hn::Set(D32(), 0xFF));
  const V32 saturation = divided(hn::Mul(range, hn::Set(D32(), 255)), hn::Max(value, one));
  const V32 six = hn::Mul(hue, hn::Set(D32(), 6));
  const V32 sector = hn::ShiftRight<23>(hn::Mul(six, hn::Set(D32(), 32897)));  // six / 255; 6 is like 0
  const V32 fraction = hn::Sub(six, hn::Mul(sector, hn::Set(D32(), 255)));
  const auto odd = hn::Eq(hn::And(sector, one), one);
  const V32 away = hn::IfThenElse(odd, fraction, hn::Sub(hn::Set(D32(), 255), fraction));
  const V32 low = rounded_255th(hn::Mul(value, hn::Sub(hn::Set(D32(), 255), saturation)));
  const V32 parts = hn::Mul(value, hn::Sub(hn::Set(D32(), 65025), hn::Mul(saturation, away)));
  const V32 between = divided(hn::Add(parts, hn::Set(D32(), 32512)), hn::Set(D32(), 65025));
  // Which of the three each channel gets, two bits for each sector: 0 value, 1 between, 2 low.
  const auto pick = [&](std::int32_t by_sector) HWY_ATTR {
    const V32 which = hn::And(hn::Shr(hn::Set(D32(), by_sector), hn::Add(sector, sector)), hn::Set(D32(), 3));
    const V32 other = hn::IfThenElse(hn::Eq(which, one), between, low);
    return hn::IfThenElse(hn::Eq(which, zero), value, other);
  };
  const auto by_sector = [](std::int32_t s0, std::int32_t s1, std::int32_t s2, std::int32_t s3,
                            std::int32_t s4, std::int32_t s5) {
    return s0 | s1 << 2 | s2 << 4 | s3 << 6 | s4 << 8 | s5 << 10 | s0 << 12;
  };
  planes.set(0, first, pick(by_sector(0, 1, 2, 2, 1, 0)));
  planes.set(1, first, pick(by_sector(1, 0, 0, 1, 2, 2)));
  planes.set(2, first, pick(by_sector(2, 2, 1, 0, 0, 1)));
}

template <int kChannels>
HWY_INLINE void hue_row_of(const std::uint8_t* in, int width, std::uint8_t* out, std::uint8_t shift) {
  const std::uint8_t* table = hue_table();
  const V32 by = hn::Set(D32(), shift);
  change_pixels<kChannels>(in, width, out,
                           [&](Planes& planes, int first) HWY_ATTR { turn_hue(planes, first, table, by); });
}

void hue_row(const std::uint8_t* in, int width, int channels, std::uint8_t* out, std::uint8_t shift) {
  channels == 4 ? hue_row_of<4>(in, width, out, shift) : hue_row_of<3>(in, width, out, shift);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace penstock::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::inline v0 {

HWY_EXPORT(color_target_compiled);
HWY_EXPORT(gray_sum_row);
HWY_EXPORT(gray_row);
HWY_EXPORT(saturation_row);
HWY_EXPORT(hue_row);

namespace {

constexpr int kSumWidth = 1 << 20;  // pixels whose gray values add up to less than 2^31

void copy_rows(const ConstPixelRows& in, const PixelRows& out) {
  for (int y = 0; y < in.size.height; ++y) {
    std::memmove(out.row(y), in.row(y), in.row_bytes());
  }
}

}  // namespace

std::uint64_t gray_sum(const ConstPixelRows& in) {
  std::uint64_t sum = 0;
  for (int y = 0; y < in.size.height; ++y) {
    const std::uint8_t* row = in.row(y);
    if (in.channels == 1) {
      for (int x = 0; x < in.size.width; ++x) {
        sum += row[x];
      }
    } else {
      for (int x = 0; x < in.size.width; x += kSumWidth) {
        sum += HWY_DYNAMIC_DISPATCH(gray_sum_row)(row + static_cast<std::ptrdiff_t>(x) * in.channels,
                                                  std::min(kSumWidth, in.size.width - x), in.channels);
      }
    }
  }
  return sum;
}

std::uint8_t gray_mean(const ConstPixelRows& in) {
  return rounded_mean(gray_sum(in),
                      static_cast<std::uint64_t>(in.size.width) * static_cast<std::uint64_t>(in.size.height));
}

void to_gray(const ConstPixelRows& in, const PixelRows& out) {
  for (int y = 0; y < in.size.height; ++y) {
    HWY_DYNAMIC_DISPATCH(gray_row)(in.row(y), in.size.width, in.channels, out.row(y), out.channels);
  }
}

void adjust_saturation(const ConstPixelRows& in, const PixelRows& out, float factor) {
  if (in.channels == 1) {
    copy_rows(in, out);
    return;
  }
  for (int y = 0; y < in.size.height; ++y) {
    HWY_DYNAMIC_DISPATCH(saturation_row)(in.row(y), in.size.width, in.channels, out.row(y), factor);
  }
}

void adjust_hue(const ConstPixelRows& in, const PixelRows& out, std::uint8_t shift) {
  if (in.channels == 1) {
    copy_rows(in, out);
    return;
  }
  for (int y = 0; y < in.size.height; ++y) {
    HWY_DYNAMIC_DISPATCH(hue_row)(in.row(y), in.size.width, in.channels, out.row(y), shift);
  }
}

CpuTarget color_target() { return HWY_DYNAMIC_DISPATCH(color_target_compiled)(); }

}  // namespace penstock::inline v0
#endif
