#include "transforms/kernels/warp.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "transforms/kernels/warp.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "core/vector_helpers-inl.hpp"
#include "hwy/highway.h"
#include "transforms/kernels/warp_floats-inl.hpp"
#include "transforms/kernels/warp_pixels.hpp"

HWY_BEFORE_NAMESPACE();
namespace penstock::inline v0 {
namespace HWY_NAMESPACE {

CpuTarget warp_target_compiled() { return this_target(); }

// The doubles' arithmetic is the same everywhere: one rounding for each operation, in Pillow's order.

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

void warp_row(const WarpJob& job, int y, std::uint8_t* out) {
  WarpPlaces places;
  for (int first = 0; first < job.width; first += kWarpPart) {
    const int count = std::min(kWarpPart, job.width - first);
    find_places(job, y, first, count, places);
    for (int i = 0; i < count; ++i) {
      std::uint8_t* to = out + static_cast<std::ptrdiff_t>(first + i) * job.in.channels;
      for (int c = 0; c < job.in.channels; ++c) {
        to[c] = places.row[i] == kOutside ? job.fill[static_cast<std::size_t>(c)] : mixed(job, places, i, c);
      }
    }
  }
}

void nearest_places(const WarpJob& job, int y, int first, int count, WarpPlaces& places) {
  for (int i = 0; i < count; ++i) {
    const auto [column, row] = place_at(job.matrix, job.perspective, first + i, y);
    const bool inside = column >= 0 && column < job.in.size.width && row >= 0 && row < job.in.size.height;
    places.column[i] = inside ? static_cast<std::int32_t>(column) : 0;
    places.row[i] = inside ? static_cast<std::int32_t>(row) : kOutside;
  }
}

#else

using DD = hn::ScalableTag<double>;
using VD = hn::Vec<DD>;

// As find_places(), a vector at a time.
template <bool kPerspective, bool kNearest = false>
HWY_INLINE void find_places_of(const WarpJob& job, int y, int first, int count, WarpPlaces& places) {
  const hn::Rebind<std::int32_t, DD> narrow;
  const auto lanes = static_cast<int>(hn::Lanes(DD()));
  const double down = y + 0.5;
  const VD by_row = hn::Set(DD(), job.matrix[1] * down), by_row_y = hn::Set(DD(), job.matrix[4] * down);
  const VD a0 = hn::Set(DD(), job.matrix[0]), a3 = hn::Set(DD(), job.matrix[3]);
  const VD a2 = hn::Set(DD(), job.matrix[2]), a5 = hn::Set(DD(), job.matrix[5]);
  const VD half = hn::Set(DD(), 0.5), zero = hn::Zero(DD());
  const VD width = hn::Set(DD(), job.in.size.width), height = hn::Set(DD(), job.in.size.height);
  const auto p = job.perspective.value_or(std::array<double, 2>{});
  const VD a6 = hn::Set(DD(), p[0]), by_row_p = hn::Set(DD(), p[1] * down), one = hn::Set(DD(), 1.0);
#if PENSTOCK_WARP_FLOATS
  // Neighbours up and left, down and right of the pixel that the filter reads.
  const int margin = job.cubic ? 1 : 0;
  const VD least = hn::Set(DD(), margin);
  const VD most_column = hn::Set(DD(), job.offsets_fit() ? job.in.size.width - 2 - margin : -1);
  const VD most_row = hn::Set(DD(), job.in.size.height - 2 - margin);
  const VD stride = hn::Set(DD(), static_cast<double>(job.in.stride)), pixel = hn::Set(DD(), job.in.channels);
#endif
  VD x = hn::Add(hn::Iota(DD(), first), half);
  for (int i = 0; i < count; i += lanes) {
    VD column = hn::Add(hn::Add(hn::Mul(a0, x), by_row), a2);
    VD row = hn::Add(hn::Add(hn::Mul(a3, x), by_row_y), a5);
    if constexpr (kPerspective) {
      const VD divisor = hn::Add(hn::Add(hn::Mul(a6, x), by_row_p), one);
      column = hn::Div(column, divisor);
      row = hn::Div(row, divisor);
    }
    x = hn::Add(x, hn::Set(DD(), lanes));
    const auto inside = hn::And(hn::And(hn::Ge(column, zero), hn::Lt(column, width)),
                                hn::And(hn::Ge(row, zero), hn::Lt(row, height)));
    if constexpr (kNearest) {  // the pixel that the place is in
      column = hn::IfThenElseZero(inside, column);
      hn::StoreU(hn::DemoteTo(narrow, column), narrow, places.column + i);
      const VD marked = hn::IfThenElse(inside, row, hn::Set(DD(), kOutside));
      hn::StoreU(hn::DemoteTo(narrow, marked), narrow, places.row + i);
      continue;
    }
    column = hn::Sub(hn::IfThenElseZero(inside, column), half);
    row = hn::Sub(hn::IfThenElseZero(inside, row), half);
    const VD column_floor = hn::Floor(column), row_floor = hn::Floor(row);
    hn::StoreU(hn::Sub(column, column_floor), DD(), places.across + i);
    hn::StoreU(hn::Sub(row, row_floor), DD(), places.down + i);
    hn::StoreU(hn::DemoteTo(narrow, column_floor), narrow, places.column + i);
    const VD marked = hn::IfThenElse(inside, row_floor, hn::Set(DD(), kOutside));
    hn::StoreU(hn::DemoteTo(narrow, marked), narrow, places.row + i);
#if PENSTOCK_WARP_FLOATS
    const hn::Rebind<float, DD> single;
    hn::StoreU(hn::DemoteTo(single, hn::Sub(column, column_floor)), single, places.across_float + i);
    hn::StoreU(hn::DemoteTo(single, hn::Sub(row, row_floor)), single, places.down_float + i);
    const auto complete = hn::And(hn::And(hn::Ge(column_floor, least), hn::Le(column_floor, most_column)),
                                  hn::And(hn::Ge(marked, least), hn::Le(marked, most_row)));
    const VD offset = hn::Add(hn::Mul(row_floor, stride), hn::Mul(column_floor, pixel));
    hn::StoreU(hn::DemoteTo(narrow, hn::IfThenElse(complete, offset, hn::Set(DD(), -1.0))), narrow,
               places.offset + i);
#endif
  }
}

HWY_INLINE void find_places_vector(const WarpJob& job, int y, int first, int count, WarpPlaces& places) {
  job.perspective ? find_places_of<true>(job, y, first, count, places)
                  : find_places_of<false>(job, y, first, count, places);
}

void nearest_places(const WarpJob& job, int y, int first, int count, WarpPlaces& places) {
  job.perspective ? find_places_of<true, true>(job, y, first, count, places)
                  : find_places_of<false, true>(job, y, first, count, places);
}

// The channels of a pixel as doubles.
using DPixel = hn::CappedTag<double, 4>;
using VPixel = hn::Vec<DPixel>;
constexpr int kParts = 4 / static_cast<int>(HWY_MAX_BYTES >= 32 ? 4 : 2);

struct PixelDoubles {
  VPixel part[kParts];
};

HWY_INLINE PixelDoubles load_pixel(const std::uint8_t* from) {
  const hn::CappedTag<std::int32_t, 4> d32;
  const hn::Rebind<std::uint8_t, decltype(d32)> d8;
  const auto lanes = hn::PromoteTo(d32, hn::LoadU(d8, from));
#if HWY_MAX_BYTES >= 32
  return {{hn::PromoteTo(DPixel(), lanes)}};
#else
  const hn::Half<decltype(d32)> half;
  return {{hn::PromoteTo(DPixel(), hn::LowerHalf(half, lanes)),
           hn::PromoteTo(DPixel(), hn::UpperHalf(half, lanes))}};
#endif
}

// Truncated; the sums are never negative. All four bytes are written.
HWY_INLINE void store_pixel(const PixelDoubles& pixel, std::uint8_t* out) {
  const hn::CappedTag<std::int32_t, 4> d32;
  const hn::Rebind<std::uint8_t, decltype(d32)> d8;
#if HWY_MAX_BYTES >= 32
  const auto whole = hn::DemoteTo(d32, pixel.part[0]);
#else
  const hn::Half<decltype(d32)> half;
  const auto whole = hn::Combine(d32, hn::DemoteTo(half, pixel.part[1]), hn::DemoteTo(half, pixel.part[0]));
#endif
  hn::StoreU(hn::DemoteTo(d8, whole), d8, out);
}

template <class Part>
HWY_INLINE PixelDoubles of_parts(Part part) {
#if HWY_MAX_BYTES >= 32
  return {{part(0)}};
#else
  return {{part(0), part(1)}};
#endif
}

HWY_INLINE PixelDoubles between(const PixelDoubles& a, const PixelDoubles& b, double at) {
  const VPixel d = hn::Set(DPixel(), at);
  return of_parts([&](int i)
                      HWY_ATTR { return hn::Add(a.part[i], hn::Mul(hn::Sub(b.part[i], a.part[i]), d)); });
}

HWY_INLINE PixelDoubles cubic(const PixelDoubles (&v)[4], double at) {
  const VPixel d = hn::Set(DPixel(), at), two = hn::Set(DPixel(), 2.0);
  return of_parts([&](int i) HWY_ATTR {
    const VPixel v1 = v[0].part[i], v2 = v[1].part[i], v3 = v[2].part[i], v4 = v[3].part[i];
    const VPixel p2 = hn::Add(hn::Neg(v1), v3);
    const VPixel p3 = hn::Sub(hn::Add(hn::Mul(two, hn::Sub(v1, v2)), v3), v4);
    const VPixel p4 = hn::Add(hn::Sub(hn::Add(hn::Neg(v1), v2), v3), v4);
    const VPixel inner = hn::Add(p3, hn::Mul(d, p4));
    return hn::Add(v2, hn::Mul(d, hn::Add(p2, hn::Mul(d, inner))));
  });
}

template <int kChannels>
HWY_INLINE PixelDoubles bilinear_pixel(const WarpJob& job, const WarpPlaces& places, int i) {
  const int column = places.column[i], row = places.row[i];
  const std::uint8_t* upper = job.in.row(std::max(row, 0));
  const std::uint8_t* lower = job.in.row(std::min(row + 1, job.in.size.height - 1));
  const std::ptrdiff_t left = std::ptrdiff_t{std::max(column, 0)} * kChannels;
  const std::ptrdiff_t right = std::ptrdiff_t{std::min(column + 1, job.in.size.width - 1)} * kChannels;
  return between(between(load_pixel(upper + left), load_pixel(upper + right), places.across[i]),
                 between(load_pixel(lower + left), load_pixel(lower + right), places.across[i]),
                 places.down[i]);
}

template <int kChannels>
HWY_INLINE PixelDoubles bicubic_pixel(const WarpJob& job, const WarpPlaces& places, int i) {
  const auto row = [&](int k) HWY_ATTR {
    const std::uint8_t* from = job.in.row(std::clamp(places.row[i] + k - 1, 0, job.in.size.height - 1));
    const auto pixel = [&](int j) HWY_ATTR {
      const int column = std::clamp(places.column[i] + j - 1, 0, job.in.size.width - 1);
      return load_pixel(from + std::ptrdiff_t{column} * kChannels);
    };
    return cubic({pixel(0), pixel(1), pixel(2), pixel(3)}, places.across[i]);
  };
  const PixelDoubles sum = cubic({row(0), row(1), row(2), row(3)}, places.down[i]);
  return of_parts([&](int part) HWY_ATTR {
    return hn::Min(hn::Max(sum.part[part], hn::Zero(DPixel())), hn::Set(DPixel(), 255.0));
  });
}

template <int kChannels, bool kCubic>
HWY_INLINE void warp_row_of(const WarpJob& job, int y, std::uint8_t* out) {
  WarpPlaces places;
  for (int first = 0; first < job.width; first += kWarpPart) {
    const int count = std::min(kWarpPart, job.width - first);
    find_places_vector(job, y, first, count, places);
    std::uint8_t* to = out + static_cast<std::ptrdiff_t>(first) * kChannels;
    for (int i = 0; i < count; ++i, to += kChannels) {
      alignas(4) std::uint8_t pixel[4];
      // The fourth byte of an RGB pixel is the next one's first, which is written later.
      std::uint8_t* const place = kChannels == 4 || first + i + 1 < job.width ? to : pixel;
#if PENSTOCK_WARP_FLOATS
      if (places.offset[i] >= 0 && (kCubic ? bicubic_in_floats<kChannels>(job, places, i, place)
                                           : bilinear_in_floats<kChannels>(job, places, i, place))) {
        if (place == pixel) {
          std::memcpy(to, pixel, kChannels);
        }
        continue;
      }
#endif
      if (places.row[i] == kOutside) {
        std::memcpy(place, job.fill.data(), 4);
      } else {
        store_pixel(
            kCubic ? bicubic_pixel<kChannels>(job, places, i) : bilinear_pixel<kChannels>(job, places, i),
            place);
      }
      if (place == pixel) {
        std::memcpy(to, pixel, kChannels);
      }
    }
  }
}

// One channel: not worth more than what the compiler makes of it.
void warp_gray_row(const WarpJob& job, int y, std::uint8_t* out) {
  WarpPlaces places;
  for (int first = 0; first < job.width; first += kWarpPart) {
    const int count = std::min(kWarpPart, job.width - first);
    find_places_vector(job, y, first, count, places);
    for (int i = 0; i < count; ++i) {
      out[first + i] = places.row[i] == kOutside ? job.fill[0] : mixed(job, places, i, 0);
    }
  }
}

void warp_row(const WarpJob& job, int y, std::uint8_t* out) {
  if (job.in.channels == 1) {
    warp_gray_row(job, y, out);
  } else if (job.in.channels == 3) {
    job.cubic ? warp_row_of<3, true>(job, y, out) : warp_row_of<3, false>(job, y, out);
  } else {
    job.cubic ? warp_row_of<4, true>(job, y, out) : warp_row_of<4, false>(job, y, out);
  }
}

#endif

// Places of 16.16 fixed point that lie inside: their offsets. Additions wrap around.
void fixed_offsets(std::uint32_t column, std::uint32_t column_step, std::uint32_t row, std::uint32_t row_step,
                   int channels, std::size_t stride, int count, std::size_t* offsets) {
  for (int i = 0; i < count; ++i) {
    offsets[i] = (row >> 16) * stride +
                 static_cast<std::size_t>((column >> 16) * static_cast<std::uint32_t>(channels));
    column += column_step;
    row += row_step;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace penstock::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::inline v0 {

HWY_EXPORT(warp_target_compiled);
HWY_EXPORT(warp_row);
HWY_EXPORT(fixed_offsets);
HWY_EXPORT(nearest_places);

void warp_fixed_offsets(const FixedPlaces& places, int channels, std::size_t stride, int count,
                        std::size_t* offsets) {
  HWY_DYNAMIC_DISPATCH(fixed_offsets)
  (places.column, places.column_step, places.row, places.row_step, channels, stride, count, offsets);
}

void warp_nearest_places(const WarpJob& job, int y, int first, int count, WarpPlaces& places) {
  HWY_DYNAMIC_DISPATCH(nearest_places)(job, y, first, count, places);
}

void warp_image(const ConstPixelRows& in, const PixelRows& out, const Warp& warp) {
  if (warp_by_whole_pixels(in, out, warp)) {
    return;
  }
  if (warp.filter == transforms::Interpolation::nearest) {
    warp_nearest(in, out, warp);
    return;
  }
  const WarpJob job{in,
                    out.size.width,
                    warp.matrix,
                    warp.fill,
                    warp.filter == transforms::Interpolation::bicubic,
                    warp.perspective,
                    !warp.perspective && has_short_rests(warp.matrix)};
  for (int y = 0; y < out.size.height; ++y) {
    HWY_DYNAMIC_DISPATCH(warp_row)(job, y, out.row(y));
  }
}

CpuTarget warp_target() { return HWY_DYNAMIC_DISPATCH(warp_target_compiled)(); }

}  // namespace penstock::inline v0
#endif
