#pragma once
// The parts of warp.hpp: places in the input for some pixels of an output row, and the pixels there.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "transforms/kernels/warp.hpp"

namespace penstock::inline v0 {

struct WarpJob {
  ConstPixelRows in;
  int width = 0;  ///< of the output
  AffineMatrix matrix{};
  PixelBytes fill{};
  bool cubic = false;
  std::optional<std::array<double, 2>> perspective;
  /// Rests of places have at most seven bits: products of two of them and a difference of bytes fit float32.
  bool has_short_rests = false;

  /// Whether offsets of pixels are numbers of 32 bits.
  bool offsets_fit() const {
    return in.stride * static_cast<std::size_t>(in.size.height) < (std::size_t{1} << 31);
  }
};

inline constexpr int kWarpPart = 256;  ///< pixels at once
/// The row of a place that is not in the input; others are at least -1.
inline constexpr int kOutside = -2;

/// The pixel up and left of each place, and how far beyond it the place is. Room for a vector more.
struct WarpPlaces {
  alignas(64) double across[kWarpPart + 8];
  alignas(64) double down[kWarpPart + 8];
  alignas(64) std::int32_t column[kWarpPart + 8];
  alignas(64) std::int32_t row[kWarpPart + 8];
  // For float32: the rests again, and where the pixel lies in the input, unless a neighbour is missing (-1).
  alignas(64) float across_float[kWarpPart + 8];
  alignas(64) float down_float[kWarpPart + 8];
  alignas(64) std::int32_t offset[kWarpPart + 8];
};

/// Whether all places that a matrix gives have rests of at most seven bits.
inline bool has_short_rests(const AffineMatrix& m) {
  const auto is_whole = [](double value) { return value == std::floor(value); };
  return is_whole(m[0] * 64) && is_whole(m[1] * 64) && is_whole(m[2] * 128) && is_whole(m[3] * 64) &&
         is_whole(m[4] * 64) && is_whole(m[5] * 128);
}

struct WarpPlace {
  double column, row;
};
/// Where a pixel comes from, in Pillow's order of operations.
inline WarpPlace place_at(const AffineMatrix& m, const std::optional<std::array<double, 2>>& perspective,
                          int x, int y) {
  const double across = x + 0.5, down = y + 0.5;
  const WarpPlace place{(m[0] * across + m[1] * down) + m[2], (m[3] * across + m[4] * down) + m[5]};
  if (!perspective) {
    return place;
  }
  const double divisor = ((*perspective)[0] * across + (*perspective)[1] * down) + 1;
  return {place.column / divisor, place.row / divisor};
}

inline void find_places(const WarpJob& job, int y, int first, int count, WarpPlaces& places) {
  for (int i = 0; i < count; ++i) {
    const auto [column, row] = place_at(job.matrix, job.perspective, first + i, y);
    const bool inside = column >= 0 && column < job.in.size.width && row >= 0 && row < job.in.size.height;
    const double left = inside ? column - 0.5 : 0, top = inside ? row - 0.5 : 0;
    places.across[i] = left - std::floor(left);
    places.down[i] = top - std::floor(top);
    places.column[i] = static_cast<std::int32_t>(std::floor(left));
    places.row[i] = inside ? static_cast<std::int32_t>(std::floor(top)) : kOutside;
  }
}

inline double warp_cubic(double v1, double v2, double v3, double v4, double d) {
  const double p2 = -v1 + v3;
  const double p3 = 2 * (v1 - v2) + v3 - v4;
  const double p4 = -v1 + v2 - v3 + v4;
  return v2 + d * (p2 + d * (p3 + d * p4));
}

/// One channel of the pixel at a place that is inside. Beyond the edges the pixels at the edges are repeated.
inline std::uint8_t mixed(const WarpJob& job, const WarpPlaces& places, int i, int channel) {
  const auto value = [&](int column, int row) {
    const int x = std::clamp(column, 0, job.in.size.width - 1);
    const int y = std::clamp(row, 0, job.in.size.height - 1);
    return static_cast<double>(job.in.row(y)[std::ptrdiff_t{x} * job.in.channels + channel]);
  };
  const int column = places.column[i], row = places.row[i];
  const double across = places.across[i], down = places.down[i];
  if (job.cubic) {
    double rows[4];
    for (int k = 0; k < 4; ++k) {
      rows[k] = warp_cubic(value(column - 1, row + k - 1), value(column, row + k - 1),
                           value(column + 1, row + k - 1), value(column + 2, row + k - 1), across);
    }
    return static_cast<std::uint8_t>(
        std::clamp(warp_cubic(rows[0], rows[1], rows[2], rows[3], down), 0.0, 255.0));
  }
  const double upper = value(column, row) + (value(column + 1, row) - value(column, row)) * across;
  const double lower =
      value(column, row + 1) + (value(column + 1, row + 1) - value(column, row + 1)) * across;
  return static_cast<std::uint8_t>(upper + (lower - upper) * down);
}

void warp_nearest(const ConstPixelRows& in, const PixelRows& out, const Warp& warp);
/// Copies rows if the warp is nothing but a shift by whole pixels; else false.
bool warp_by_whole_pixels(const ConstPixelRows& in, const PixelRows& out, const Warp& warp);

/// Columns and rows of the pixels that some places lie in; the rest of `places` is left alone.
void warp_nearest_places(const WarpJob& job, int y, int first, int count, WarpPlaces& places);

/// Places in 16.16 fixed point along a row, all of them inside.
struct FixedPlaces {
  std::uint32_t column = 0, column_step = 0, row = 0, row_step = 0;
};
void warp_fixed_offsets(const FixedPlaces& places, int channels, std::size_t stride, int count,
                        std::size_t* offsets);

}  // namespace penstock::inline v0
