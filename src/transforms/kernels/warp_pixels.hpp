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
  std::array<std::uint8_t, 4> fill{};
  bool cubic = false;
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
};

inline void find_places(const WarpJob& job, int y, int first, int count, WarpPlaces& places) {
  const AffineMatrix& m = job.matrix;
  for (int i = 0; i < count; ++i) {
    const double x = first + i + 0.5;
    const double column = (m[0] * x + m[1] * (y + 0.5)) + m[2];
    const double row = (m[3] * x + m[4] * (y + 0.5)) + m[5];
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

/// Places in 16.16 fixed point along a row, all of them inside.
struct FixedPlaces {
  std::uint32_t column = 0, column_step = 0, row = 0, row_step = 0;
};
void warp_fixed_offsets(const FixedPlaces& places, int channels, std::size_t stride, int count,
                        std::size_t* offsets);

}  // namespace penstock::inline v0
