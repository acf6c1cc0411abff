#pragma once
// The parts of field.hpp: one pixel looked up.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "transforms/kernels/pixel_rows.hpp"

namespace penstock::inline v0 {

struct FieldJob {
  ConstPixelRows in;
  int width = 0;  ///< of the output
  PixelBytes fill{};
};

/// The pixel up and left of a place, and how far beyond it the place is.
struct FieldPixel {
  int column = 0;
  int row = 0;
  float across = 0;
  float down = 0;
};

struct FieldWeights {
  float upper_left, upper_right, lower_left, lower_right;

  explicit FieldWeights(const FieldPixel& at)
      : upper_left((1 - at.across) * (1 - at.down)),
        upper_right(at.across * (1 - at.down)),
        lower_left((1 - at.across) * at.down),
        lower_right(at.across * at.down) {}
};

/// Whether the pixel and its neighbours to the right and below are inside; false for what is no number.
inline bool is_inside(const FieldJob& job, float column, float row) {
  return column >= 0 && row >= 0 && column < static_cast<float>(job.in.size.width - 1) &&
         row < static_cast<float>(job.in.size.height - 1);
}

/// Halves to even.
inline std::uint8_t rounded_byte(float value) {
  return static_cast<std::uint8_t>(std::clamp(std::nearbyint(value), 0.0F, 255.0F));
}

inline std::uint8_t inner_value(const FieldJob& job, const FieldPixel& at, int channel) {
  const std::uint8_t* upper = job.in.row(at.row) + std::ptrdiff_t{at.column} * job.in.channels + channel;
  const std::uint8_t* lower = upper + job.in.stride;
  const FieldWeights w(at);
  float sum = static_cast<float>(*upper) * w.upper_left;
  sum += static_cast<float>(upper[job.in.channels]) * w.upper_right;
  sum += static_cast<float>(*lower) * w.lower_left;
  sum += static_cast<float>(lower[job.in.channels]) * w.lower_right;
  return rounded_byte(sum);
}

/// A pixel at the edge of the input, or outside.
inline void edge_pixel(const FieldJob& job, float x, float y, std::uint8_t* out) {
  const float column = std::floor(x), row = std::floor(y);
  const auto [width, height] = job.in.size;
  if (!(column >= -1 && row >= -1 && column < static_cast<float>(width) &&
        row < static_cast<float>(height))) {
    std::memcpy(out, job.fill.data(), static_cast<std::size_t>(job.in.channels));
    return;
  }
  const FieldPixel at{static_cast<int>(column), static_cast<int>(row), x - column, y - row};
  const FieldWeights w(at);
  const float weights[] = {w.upper_left, w.upper_right, w.lower_left, w.lower_right};
  const std::uint8_t* pixels[4] = {};
  float share = 0;
  for (int i = 0; i < 4; ++i) {
    const int from_x = at.column + i % 2, from_y = at.row + i / 2;
    if (from_x >= 0 && from_x < width && from_y >= 0 && from_y < height) {
      pixels[i] = job.in.row(from_y) + std::ptrdiff_t{from_x} * job.in.channels;
      share += weights[i];
    }
  }
  for (int c = 0; c < job.in.channels; ++c) {
    float sum = 0;
    for (int i = 0; i < 4; ++i) {
      sum += pixels[i] == nullptr ? 0 : static_cast<float>(pixels[i][c]) * weights[i];
    }
    const auto fill = static_cast<float>(job.fill[static_cast<std::size_t>(c)]);
    out[c] = rounded_byte((sum - fill) * share + fill);
  }
}

void nearest_row(const FieldJob& job, const float* columns, const float* rows, std::uint8_t* out);

}  // namespace penstock::inline v0
