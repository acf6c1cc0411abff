#include <algorithm>
#include <cmath>
#include <cstring>

#include "transforms/kernels/warp_pixels.hpp"

namespace penstock::inline v0 {
namespace {

// -1 for what is outside.
int place_of(double at, int length) { return at < 0.0 || at >= length ? -1 : static_cast<int>(at); }

void set_pixels(std::uint8_t* out, int first, int end, int channels, const std::uint8_t* pixel) {
  if (channels == 1) {
    std::memset(out + first, pixel[0], static_cast<std::size_t>(std::max(end - first, 0)));
    return;
  }
  for (int x = first; x < end; ++x) {
    for (int c = 0; c < channels; ++c) {
      out[std::ptrdiff_t{x} * channels + c] = pixel[c];
    }
  }
}

template <int kChannels>
void copy_pixels(const std::uint8_t* from, const std::size_t* offsets, int count, std::uint8_t* out) {
  int i = 0;
  if constexpr (kChannels == 3) {  // four bytes at once; the fourth is written again
    for (; i + 1 < count; ++i, out += 3) {
      std::memcpy(out, from + offsets[i], 4);
    }
  }
  for (; i < count; ++i, out += kChannels) {
    std::memcpy(out, from + offsets[i], kChannels);
  }
}

void copy_pixels(const std::uint8_t* from, const std::size_t* offsets, int count, int channels,
                 std::uint8_t* out) {
  switch (channels) {
    case 1:
      return copy_pixels<1>(from, offsets, count, out);
    case 2:
      return copy_pixels<2>(from, offsets, count, out);
    case 3:
      return copy_pixels<3>(from, offsets, count, out);
    default:
      return copy_pixels<4>(from, offsets, count, out);
  }
}

// Steps are added up along both sides, in double.
void scale_nearest(const ConstPixelRows& in, const PixelRows& out, const Warp& warp) {
  const auto& m = warp.matrix;
  double column = m[2] + m[0] * 0.5;
  for (int begin = 0; begin < out.size.width; begin += kWarpPart) {
    const int end = std::min(begin + kWarpPart, out.size.width);
    std::size_t offsets[kWarpPart];
    int first = begin, count = 0;
    for (int x = begin; x < end; ++x, column += m[0]) {
      const int from = place_of(column, in.size.width);
      if (from >= 0) {
        first = count == 0 ? x : first;
        offsets[count++] = static_cast<std::size_t>(from) * static_cast<std::size_t>(in.channels);
      }
    }
    double row = m[5] + m[4] * 0.5;
    for (int y = 0; y < out.size.height; ++y, row += m[4]) {
      const int from = place_of(row, in.size.height);
      std::uint8_t* to = out.row(y);
      set_pixels(to, begin, from < 0 ? end : first, in.channels, warp.fill.data());
      if (from >= 0) {
        copy_pixels(in.row(from), offsets, count, in.channels, to + std::ptrdiff_t{first} * in.channels);
        set_pixels(to, first + count, end, in.channels, warp.fill.data());
      }
    }
  }
}

std::int64_t to_16_16(double value) { return static_cast<std::int64_t>(std::floor(value * 65536.0 + 0.5)); }

// Cuts [first, end) to those x for which 0 <= start + x * step < length.
void cut_to_inside(std::int64_t start, std::int64_t step, std::int64_t length, std::int64_t& first,
                   std::int64_t& end) {
  const auto divided_up = [](std::int64_t a, std::int64_t b) { return a >= 0 ? (a + b - 1) / b : -(-a / b); };
  if (step < 0) {  // the same seen from the other side
    start = length - 1 - start;
    step = -step;
  }
  if (step == 0) {
    end = start >= 0 && start < length ? end : first;
    return;
  }
  first = std::max(first, divided_up(-start, step));
  end = std::min(end, divided_up(length - start, step));
}

void turn_nearest(const ConstPixelRows& in, const PixelRows& out, const Warp& warp) {
  const auto& m = warp.matrix;
  const std::int64_t a0 = to_16_16(m[0]), a1 = to_16_16(m[1]), a3 = to_16_16(m[3]), a4 = to_16_16(m[4]);
  std::int64_t column = to_16_16(m[2] + m[0] * 0.5 + m[1] * 0.5);
  std::int64_t row = to_16_16(m[5] + m[3] * 0.5 + m[4] * 0.5);
  for (int y = 0; y < out.size.height; ++y, column += a1, row += a4) {
    std::int64_t first = 0, end = out.size.width;
    cut_to_inside(column, a0, std::int64_t{in.size.width} << 16, first, end);
    cut_to_inside(row, a3, std::int64_t{in.size.height} << 16, first, end);
    end = std::max(first, end);
    std::uint8_t* to = out.row(y);
    set_pixels(to, 0, static_cast<int>(std::min<std::int64_t>(first, out.size.width)), in.channels,
               warp.fill.data());
    for (auto x = static_cast<int>(first); x < end; x += kWarpPart) {
      std::size_t offsets[kWarpPart];
      const int count = static_cast<int>(std::min<std::int64_t>(kWarpPart, end - x));
      warp_fixed_offsets({static_cast<std::uint32_t>(column + x * a0), static_cast<std::uint32_t>(a0),
                          static_cast<std::uint32_t>(row + x * a3), static_cast<std::uint32_t>(a3)},
                         in.channels, in.stride, count, offsets);
      copy_pixels(in.data, offsets, count, in.channels, to + std::ptrdiff_t{x} * in.channels);
    }
    set_pixels(to, static_cast<int>(std::min<std::int64_t>(end, out.size.width)), out.size.width, in.channels,
               warp.fill.data());
  }
}

// A place for each pixel by `place(x, y)`, a pair of doubles.
template <class PlaceOf>
void nearest_by_doubles(const ConstPixelRows& in, const PixelRows& out, const Warp& warp, PlaceOf place) {
  for (int y = 0; y < out.size.height; ++y) {
    for (int x = 0; x < out.size.width; ++x) {
      const auto [column, row] = place(x, y);
      const int from_x = place_of(column, in.size.width), from_y = place_of(row, in.size.height);
      const std::uint8_t* pixel =
          from_x < 0 || from_y < 0 ? warp.fill.data() : in.row(from_y) + std::ptrdiff_t{from_x} * in.channels;
      std::memcpy(out.row(y) + std::ptrdiff_t{x} * in.channels, pixel, static_cast<std::size_t>(in.channels));
    }
  }
}

struct WarpPlace {
  double column, row;
};

bool fits_fixed_point(const AffineMatrix& m, ImageSize out) {
  for (const double x : {0.0, static_cast<double>(out.width)}) {
    for (const double y : {0.0, static_cast<double>(out.height)}) {
      if (!(std::abs(x * m[0] + y * m[1] + m[2]) < 32768.0) ||
          !(std::abs(x * m[3] + y * m[4] + m[5]) < 32768.0)) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

void warp_nearest(const ConstPixelRows& in, const PixelRows& out, const Warp& warp) {
  const AffineMatrix& m = warp.matrix;
  if (in.channels == 2) {
    nearest_by_doubles(in, out, warp, [&](int x, int y) {
      return WarpPlace{(m[0] * (x + 0.5) + m[1] * (y + 0.5)) + m[2],
                       (m[3] * (x + 0.5) + m[4] * (y + 0.5)) + m[5]};
    });
  } else if (m[1] == 0.0 && m[3] == 0.0) {
    scale_nearest(in, out, warp);
  } else if (fits_fixed_point(m, out.size)) {
    turn_nearest(in, out, warp);
  } else {  // steps are added up along rows and from row to row
    WarpPlace start{m[2] + m[1] * 0.5 + m[0] * 0.5, m[5] + m[4] * 0.5 + m[3] * 0.5}, at = start;
    nearest_by_doubles(in, out, warp, [&](int x, int y) {
      if (x == 0) {
        if (y > 0) {
          start.column += m[1];
          start.row += m[4];
        }
        at = start;
      } else {
        at.column += m[0];
        at.row += m[3];
      }
      return at;
    });
  }
}

}  // namespace penstock::inline v0
