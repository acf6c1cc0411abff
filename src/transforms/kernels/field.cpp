#include "transforms/kernels/field.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "transforms/kernels/field.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "core/vector_helpers-inl.hpp"
#include "hwy/highway.h"
#include "transforms/kernels/field_pixels.hpp"

HWY_BEFORE_NAMESPACE();
namespace penstock::inline v0 {
namespace HWY_NAMESPACE {

CpuTarget field_target_compiled() { return this_target(); }

// Sums are taken in one order everywhere: the middle, then pairs from the inside outwards; nothing is fused.

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

void blur_across(const float* padded, int count, std::span<const float> taps, float* out) {
  for (int x = 0; x < count; ++x) {
    float sum = taps[0] * padded[x];
    for (int k = 1; k < static_cast<int>(taps.size()); ++k) {
      sum += taps[static_cast<std::size_t>(k)] * (padded[x - k] + padded[x + k]);
    }
    out[x] = sum;
  }
}

void blur_down(const float* const* rows, int count, std::span<const float> taps, float* out) {
  const auto reach = static_cast<int>(taps.size()) - 1;
  for (int x = 0; x < count; ++x) {
    float sum = taps[0] * rows[reach][x];
    for (int k = 1; k <= reach; ++k) {
      sum += taps[static_cast<std::size_t>(k)] * (rows[reach - k][x] + rows[reach + k][x]);
    }
    out[x] = sum;
  }
}

void sample_row(const FieldJob& job, const float* columns, const float* rows, std::uint8_t* out) {
  for (int x = 0; x < job.width; ++x, out += job.in.channels) {
    const float column = std::floor(columns[x]), row = std::floor(rows[x]);
    if (is_inside(job, column, row)) {
      const FieldPixel at{static_cast<int>(column), static_cast<int>(row), columns[x] - column,
                          rows[x] - row};
      for (int c = 0; c < job.in.channels; ++c) {
        out[c] = inner_value(job, at, c);
      }
    } else {
      edge_pixel(job, columns[x], rows[x], out);
    }
  }
}

#else

using DF = hn::ScalableTag<float>;
using VF = hn::Vec<DF>;

// Several vectors at once: the additions of one wait for each other.
template <class Pair>
HWY_INLINE void weighted_sums(int count, std::span<const float> taps, const Pair& pair, float* out) {
  const auto lanes = static_cast<int>(hn::Lanes(DF()));
  for (int x = 0; x < count; x += 4 * lanes) {
    const VF middle = hn::Set(DF(), taps[0]);
    VF a = hn::Mul(middle, pair(0, x)), b = hn::Mul(middle, pair(0, x + lanes));
    VF c = hn::Mul(middle, pair(0, x + 2 * lanes)), d = hn::Mul(middle, pair(0, x + 3 * lanes));
    for (int k = 1; k < static_cast<int>(taps.size()); ++k) {
      const VF tap = hn::Set(DF(), taps[static_cast<std::size_t>(k)]);
      a = hn::Add(a, hn::Mul(tap, pair(k, x)));
      b = hn::Add(b, hn::Mul(tap, pair(k, x + lanes)));
      c = hn::Add(c, hn::Mul(tap, pair(k, x + 2 * lanes)));
      d = hn::Add(d, hn::Mul(tap, pair(k, x + 3 * lanes)));
    }
    hn::StoreU(a, DF(), out + x);
    hn::StoreU(b, DF(), out + x + lanes);
    hn::StoreU(c, DF(), out + x + 2 * lanes);
    hn::StoreU(d, DF(), out + x + 3 * lanes);
  }
}

void blur_across(const float* padded, int count, std::span<const float> taps, float* out) {
  const auto pair = [&](int k, int x) HWY_ATTR {
    return k == 0 ? hn::LoadU(DF(), padded + x)
                  : hn::Add(hn::LoadU(DF(), padded + x - k), hn::LoadU(DF(), padded + x + k));
  };
  weighted_sums(count, taps, pair, out);
}

void blur_down(const float* const* rows, int count, std::span<const float> taps, float* out) {
  const auto reach = static_cast<int>(taps.size()) - 1;
  const auto pair = [&](int k, int x) HWY_ATTR {
    return k == 0 ? hn::LoadU(DF(), rows[reach] + x)
                  : hn::Add(hn::LoadU(DF(), rows[reach - k] + x), hn::LoadU(DF(), rows[reach + k] + x));
  };
  weighted_sums(count, taps, pair, out);
}

using DP = hn::CappedTag<float, 4>;
using VP = hn::Vec<DP>;

HWY_INLINE VP load_channels(const std::uint8_t* from) {
  const hn::Rebind<std::int32_t, DP> d32;
  const hn::Rebind<std::uint8_t, DP> d8;
  return hn::ConvertTo(DP(), hn::PromoteTo(d32, hn::LoadU(d8, from)));
}

// All channels of a pixel whose four neighbours are inside; four bytes are written.
template <int kChannels>
HWY_INLINE void inner_pixel(const FieldJob& job, const FieldPixel& at, std::uint8_t* out) {
  const std::uint8_t* upper = job.in.row(at.row) + std::ptrdiff_t{at.column} * kChannels;
  const std::uint8_t* lower = upper + job.in.stride;
  const FieldWeights w(at);
  VP sum = hn::Mul(load_channels(upper), hn::Set(DP(), w.upper_left));
  sum = hn::Add(sum, hn::Mul(load_channels(upper + kChannels), hn::Set(DP(), w.upper_right)));
  sum = hn::Add(sum, hn::Mul(load_channels(lower), hn::Set(DP(), w.lower_left)));
  sum = hn::Add(sum, hn::Mul(load_channels(lower + kChannels), hn::Set(DP(), w.lower_right)));
  const hn::Rebind<std::uint8_t, DP> d8;
  hn::StoreU(hn::DemoteTo(d8, hn::NearestInt(sum)), d8, out);
}

template <int kChannels>
HWY_INLINE void sample_row_of(const FieldJob& job, const float* columns, const float* rows,
                              std::uint8_t* out) {
  constexpr int kPart = 128;
  alignas(64) float column[kPart + 16], row[kPart + 16];
  const auto lanes = static_cast<int>(hn::Lanes(DF()));
  for (int first = 0; first < job.width; first += kPart) {
    const int count = std::min(kPart, job.width - first);
    for (int i = 0; i < count; i += lanes) {
      hn::StoreU(hn::Floor(hn::LoadU(DF(), columns + first + i)), DF(), column + i);
      hn::StoreU(hn::Floor(hn::LoadU(DF(), rows + first + i)), DF(), row + i);
    }
    for (int i = 0; i < count; ++i, out += kChannels) {
      const float x = columns[first + i], y = rows[first + i];
      if (!is_inside(job, column[i], row[i])) {
        edge_pixel(job, x, y, out);
        continue;
      }
      const FieldPixel at{static_cast<int>(column[i]), static_cast<int>(row[i]), x - column[i], y - row[i]};
      if (kChannels == 1) {
        out[0] = inner_value(job, at, 0);
      } else if (kChannels == 4 || first + i + 1 < job.width) {
        inner_pixel<kChannels>(job, at, out);  // the fourth byte of RGB is written again by the next pixel
      } else {
        std::uint8_t pixel[4];
        inner_pixel<kChannels>(job, at, pixel);
        std::memcpy(out, pixel, kChannels);
      }
    }
  }
}

void sample_row(const FieldJob& job, const float* columns, const float* rows, std::uint8_t* out) {
  switch (job.in.channels) {
    case 1:
      return sample_row_of<1>(job, columns, rows, out);
    case 3:
      return sample_row_of<3>(job, columns, rows, out);
    default:
      return sample_row_of<4>(job, columns, rows, out);
  }
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace penstock::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::inline v0 {

HWY_EXPORT(field_target_compiled);
HWY_EXPORT(blur_across);
HWY_EXPORT(blur_down);
HWY_EXPORT(sample_row);

CpuTarget field_target() { return HWY_DYNAMIC_DISPATCH(field_target_compiled)(); }

void blur_plane(float* plane, ImageSize size, std::span<const float> across, std::span<const float> down,
                Scratch& scratch) {
  // Vectors may run past a row by as much as this.
  constexpr std::size_t kPast = 64;
  const auto width = static_cast<std::size_t>(size.width), height = static_cast<std::size_t>(size.height);
  const std::size_t reach = across.size() - 1, reach_down = down.size() - 1;
  const std::size_t stride = (width + kPast + 15) / 16 * 16;
  const std::size_t padded_bytes = (width + 2 * reach + 2 * kPast) * sizeof(float);
  const std::size_t row_bytes = (height + 2 * reach_down) * sizeof(const float*);
  std::uint8_t* const memory =
      scratch.reserve(row_bytes + padded_bytes + (height + 1) * stride * sizeof(float));
  auto* const rows = reinterpret_cast<const float**>(memory);
  auto* const padded = reinterpret_cast<float*>(memory + row_bytes);
  float* const between = padded + padded_bytes / sizeof(float);
  std::fill_n(padded, padded_bytes / sizeof(float), 0.0F);
  for (std::size_t y = 0; y < height; ++y) {
    const float* from = plane + y * width;
    float* const start = padded + reach;
    std::copy_n(from, width, start);
    for (int i = 1; i <= static_cast<int>(reach); ++i) {
      start[-i] = from[reflected(-i, size.width)];
      start[size.width - 1 + i] = from[reflected(size.width - 1 + i, size.width)];
    }
    HWY_DYNAMIC_DISPATCH(blur_across)(start, size.width, across, between + y * stride);
  }
  float* const line = between + height * stride;
  for (int y = -static_cast<int>(reach_down); y < size.height + static_cast<int>(reach_down); ++y) {
    rows[static_cast<std::size_t>(y + static_cast<int>(reach_down))] =
        between + static_cast<std::size_t>(reflected(y, size.height)) * stride;
  }
  for (std::size_t y = 0; y < height; ++y) {
    HWY_DYNAMIC_DISPATCH(blur_down)(rows + y, size.width, down, line);
    std::copy_n(line, width, plane + y * width);
  }
}

void sample_field(const ConstPixelRows& in, const PixelRows& out, const FieldPlanes& field,
                  const FieldSampling& how) {
  const FieldJob job{in, out.size.width, how.fill};
  for (int y = 0; y < out.size.height; ++y) {
    const auto first = static_cast<std::size_t>(y) * static_cast<std::size_t>(out.size.width);
    if (how.nearest) {
      nearest_row(job, field.columns + first, field.rows + first, out.row(y));
    } else {
      HWY_DYNAMIC_DISPATCH(sample_row)(job, field.columns + first, field.rows + first, out.row(y));
    }
  }
}

}  // namespace penstock::inline v0
#endif
