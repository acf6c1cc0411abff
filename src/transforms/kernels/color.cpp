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

using DU16 = hn::ScalableTag<std::uint16_t>;
using VU16 = hn::Vec<DU16>;

// The factors' upper and lower bytes apart, so that sums fit 16 bits: 19595 is 76 * 256 + 139.
HWY_INLINE VU16 gray_words(VU16 red, VU16 green, VU16 blue) {
  const auto sum = [&](std::uint16_t by_red, std::uint16_t by_green, std::uint16_t by_blue) HWY_ATTR {
    return hn::Add(hn::Add(hn::Mul(red, hn::Set(DU16(), by_red)), hn::Mul(green, hn::Set(DU16(), by_green))),
                   hn::Mul(blue, hn::Set(DU16(), by_blue)));
  };
  const VU16 upper = hn::Add(sum(76, 150, 29), hn::Set(DU16(), 128));
  return hn::ShiftRight<8>(hn::Add(upper, hn::ShiftRight<8>(sum(139, 70, 47))));
}

HWY_INLINE V8 gray_bytes(const Planes& planes) {
  const VU16 red = hn::BitCast(DU16(), planes.whole(0)), green = hn::BitCast(DU16(), planes.whole(1)),
             blue = hn::BitCast(DU16(), planes.whole(2));
  const VU16 even = hn::Set(DU16(), 0xFF);
  const VU16 at_even = gray_words(hn::And(red, even), hn::And(green, even), hn::And(blue, even));
  const VU16 at_odd = gray_words(hn::ShiftRight<8>(red), hn::ShiftRight<8>(green), hn::ShiftRight<8>(blue));
  return hn::BitCast(D8(), hn::Or(at_even, hn::ShiftLeft<8>(at_odd)));
}

template <int kChannels>
HWY_INLINE std::uint64_t gray_sum_of(const std::uint8_t* in, int width) {
  using D64 = hn::Repartition<std::uint64_t, D8>;
  hn::Vec<D64> sums = hn::Zero(D64());
  for_each_part<kChannels>(in, width, [&](const Planes& planes, int, int) HWY_ATTR {
    sums = hn::Add(sums, hn::SumsOf8(gray_bytes(planes)));  // places after the last pixel are 0
  });
  return hn::GetLane(hn::SumOfLanes(D64(), sums));
}

std::uint64_t gray_sum_row(const std::uint8_t* in, int width, int channels) {
  return channels == 4 ? gray_sum_of<4>(in, width) : gray_sum_of<3>(in, width);
}

template <int kChannels>
HWY_INLINE void gray_row_of(const std::uint8_t* in, int width, std::uint8_t* out) {
  change_parts<kChannels>(in, width, out, [](Planes& planes, int) HWY_ATTR {
    const V8 gray = gray_bytes(planes);
    for (int c = 0; c < 3; ++c) {
      hn::Store(gray, D8(), planes.of[c]);
    }
  });
}

template <int kChannels>
HWY_INLINE void gray_row_to_one(const std::uint8_t* in, int width, std::uint8_t* out) {
  for_each_part<kChannels>(in, width, [&](Planes& planes, int x, int count) HWY_ATTR {
    hn::Store(gray_bytes(planes), D8(), planes.of[0]);
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
  change_parts<kChannels>(in, width, out, [&](Planes& planes, int count) HWY_ATTR {
    alignas(64) std::uint8_t grays[HWY_MAX_BYTES];
    hn::Store(gray_bytes(planes), D8(), grays);
    for (int first = 0; first < count; first += kLanes) {
      const V32 gray = hn::PromoteTo(D32(), hn::Load(DQuarter(), grays + first));
      const VF base = hn::ConvertTo(DF(), gray);
      for (int c = 0; c < 3; ++c) {
        const VF moved = hn::Mul(by, hn::ConvertTo(DF(), hn::Sub(planes.lanes(c, first), gray)));
        const VF sum = hn::Min(hn::Max(hn::Add(base, moved), zero), most);
        planes.set(c, first, hn::ConvertTo(D32(), sum));
      }
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
      sum += HWY_DYNAMIC_DISPATCH(gray_sum_row)(row, in.size.width, in.channels);
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
