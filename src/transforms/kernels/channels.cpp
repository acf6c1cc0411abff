#include "transforms/kernels/channels.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "transforms/kernels/channels.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "core/vector_helpers-inl.hpp"
#include "hwy/highway.h"
#include "transforms/kernels/planes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace penstock::inline v0 {
namespace HWY_NAMESPACE {

CpuTarget channels_target_compiled() { return this_target(); }

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

void permute_row(const std::uint8_t* in, int width, int channels, std::uint8_t* out, const int* order) {
  for (int x = 0; x < width; ++x, in += channels, out += channels) {
    const std::uint8_t pixel[3] = {in[order[0]], in[order[1]], in[order[2]]};
    if (channels == 4) {
      out[3] = in[3];
    }
    std::copy_n(pixel, 3, out);
  }
}

void spread_row(const std::uint8_t* in, int width, std::uint8_t* out) {
  for (int x = 0; x < width; ++x, out += 3) {
    std::fill_n(out, 3, in[x]);
  }
}

void mix_row(const std::uint8_t* in, int width, int channels, std::uint8_t* out, const ColorMatrix& matrix) {
  for (int x = 0; x < width; ++x, in += channels, out += channels) {
    const float rgb[3] = {static_cast<float>(in[0]), static_cast<float>(in[1]), static_cast<float>(in[2])};
    if (channels == 4) {
      out[3] = in[3];
    }
    for (std::size_t c = 0; c < 3; ++c) {
      float sum = matrix.by[c][0] * rgb[0];
      sum += matrix.by[c][1] * rgb[1];
      sum += matrix.by[c][2] * rgb[2];
      sum += matrix.offset;
      out[c] = static_cast<std::uint8_t>(std::nearbyint(std::clamp(sum, 0.0F, 255.0F)));
    }
  }
}

void mix_floats(float* const* planes, std::size_t count, const ColorMatrix& matrix) {
  for (std::size_t i = 0; i < count; ++i) {
    const float rgb[3] = {planes[0][i], planes[1][i], planes[2][i]};
    for (std::size_t c = 0; c < 3; ++c) {
      float sum = matrix.by[c][0] * rgb[0];
      sum += matrix.by[c][1] * rgb[1];
      sum += matrix.by[c][2] * rgb[2];
      planes[c][i] = sum;
    }
  }
}

#else

// Runs work(in, out) for kWhole pixels at a time; the last ones go through memory of their own.
template <int kIn, int kOut, class Work>
HWY_INLINE void for_each_whole(const std::uint8_t* in, int width, std::uint8_t* out, Work work) {
  int x = 0;
  for (; x + kWhole <= width; x += kWhole) {
    work(in + static_cast<std::ptrdiff_t>(x) * kIn, out + static_cast<std::ptrdiff_t>(x) * kOut);
  }
  if (x < width) {
    alignas(64) std::uint8_t rest[kWhole * kIn] = {};
    alignas(64) std::uint8_t made[kWhole * kOut];
    std::memcpy(rest, in + static_cast<std::ptrdiff_t>(x) * kIn, static_cast<std::size_t>((width - x) * kIn));
    work(rest, made);
    std::memcpy(out + static_cast<std::ptrdiff_t>(x) * kOut, made,
                static_cast<std::size_t>((width - x) * kOut));
  }
}

void permute_row(const std::uint8_t* in, int width, int channels, std::uint8_t* out, const int* order) {
  if (channels == 4) {
    for_each_whole<4, 4>(in, width, out, [&](const std::uint8_t* from, std::uint8_t* to) HWY_ATTR {
      V8 v[4];
      hn::LoadInterleaved4(D8(), from, v[0], v[1], v[2], v[3]);
      hn::StoreInterleaved4(v[order[0]], v[order[1]], v[order[2]], v[3], D8(), to);
    });
    return;
  }
  for_each_whole<3, 3>(in, width, out, [&](const std::uint8_t* from, std::uint8_t* to) HWY_ATTR {
    V8 v[3];
    load_rgb(from, v[0], v[1], v[2]);
    store_rgb(v[order[0]], v[order[1]], v[order[2]], to);
  });
}

void spread_row(const std::uint8_t* in, int width, std::uint8_t* out) {
  for_each_whole<1, 3>(in, width, out, [](const std::uint8_t* from, std::uint8_t* to) HWY_ATTR {
    const V8 gray = hn::LoadU(D8(), from);
    store_rgb(gray, gray, gray, to);
  });
}

template <int kChannels>
HWY_INLINE void mix_row_of(const std::uint8_t* in, int width, std::uint8_t* out, const ColorMatrix& matrix) {
  const VF zero = hn::Zero(DF()), most = hn::Set(DF(), 255.0F), offset = hn::Set(DF(), matrix.offset);
  VF by[3][3];
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t i = 0; i < 3; ++i) {
      by[c][i] = hn::Set(DF(), matrix.by[c][i]);
    }
  }
  change_pixels<kChannels>(in, width, out, [&](Planes& planes, int first) HWY_ATTR {
    const VF rgb[3] = {hn::ConvertTo(DF(), planes.lanes(0, first)),
                       hn::ConvertTo(DF(), planes.lanes(1, first)),
                       hn::ConvertTo(DF(), planes.lanes(2, first))};
    for (int c = 0; c < 3; ++c) {
      VF sum = hn::Mul(by[c][0], rgb[0]);
      sum = hn::Add(sum, hn::Mul(by[c][1], rgb[1]));
      sum = hn::Add(sum, hn::Mul(by[c][2], rgb[2]));
      sum = hn::Add(sum, offset);
      planes.set(c, first, hn::NearestInt(hn::Min(hn::Max(sum, zero), most)));
    }
  });
}

void mix_row(const std::uint8_t* in, int width, int channels, std::uint8_t* out, const ColorMatrix& matrix) {
  channels == 4 ? mix_row_of<4>(in, width, out, matrix) : mix_row_of<3>(in, width, out, matrix);
}

void mix_floats(float* const* planes, std::size_t count, const ColorMatrix& matrix) {
  constexpr std::size_t kStep = HWY_MAX_BYTES / 4;
  const auto mix = [&](float* const* at) HWY_ATTR {
    const VF rgb[3] = {hn::LoadU(DF(), at[0]), hn::LoadU(DF(), at[1]), hn::LoadU(DF(), at[2])};
    for (std::size_t c = 0; c < 3; ++c) {
      VF sum = hn::Mul(hn::Set(DF(), matrix.by[c][0]), rgb[0]);
      sum = hn::Add(sum, hn::Mul(hn::Set(DF(), matrix.by[c][1]), rgb[1]));
      sum = hn::Add(sum, hn::Mul(hn::Set(DF(), matrix.by[c][2]), rgb[2]));
      hn::StoreU(sum, DF(), at[c]);
    }
  };
  std::size_t i = 0;
  for (; i + kStep <= count; i += kStep) {
    float* const at[3] = {planes[0] + i, planes[1] + i, planes[2] + i};
    mix(at);
  }
  if (i < count) {
    alignas(64) float rest[3][kStep] = {};
    float* const at[3] = {rest[0], rest[1], rest[2]};
    for (std::size_t c = 0; c < 3; ++c) {
      std::copy_n(planes[c] + i, count - i, rest[c]);
    }
    mix(at);
    for (std::size_t c = 0; c < 3; ++c) {
      std::copy_n(rest[c], count - i, planes[c] + i);
    }
  }
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace penstock::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::inline v0 {

HWY_EXPORT(channels_target_compiled);
HWY_EXPORT(permute_row);
HWY_EXPORT(spread_row);
HWY_EXPORT(mix_row);
HWY_EXPORT(mix_floats);

void permute_channels(const ConstPixelRows& in, const PixelRows& out, const std::array<int, 3>& order) {
  for (int y = 0; y < in.size.height; ++y) {
    HWY_DYNAMIC_DISPATCH(permute_row)(in.row(y), in.size.width, in.channels, out.row(y), order.data());
  }
}

void spread_gray(const ConstPixelRows& in, const PixelRows& out) {
  for (int y = 0; y < in.size.height; ++y) {
    HWY_DYNAMIC_DISPATCH(spread_row)(in.row(y), in.size.width, out.row(y));
  }
}

void mix_colors(const ConstPixelRows& in, const PixelRows& out, const ColorMatrix& matrix) {
  for (int y = 0; y < in.size.height; ++y) {
    HWY_DYNAMIC_DISPATCH(mix_row)(in.row(y), in.size.width, in.channels, out.row(y), matrix);
  }
}

void mix_planes(float* const planes[3], std::size_t count, const ColorMatrix& matrix) {
  HWY_DYNAMIC_DISPATCH(mix_floats)(planes, count, matrix);
}

CpuTarget channels_target() { return HWY_DYNAMIC_DISPATCH(channels_target_compiled)(); }

}  // namespace penstock::inline v0
#endif
