#include <algorithm>
#include <cmath>
#include <cstring>

#include "transforms/kernels/warp_pixels.hpp"

namespace penstock::inline v0 {
namespace {

// -1 for what is outside.
int place_of(double at, int length) { return at >= 0.0 && at < length ? static_cast<int>(at) : -1; }

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

// Pixels of a row that all lie in the input, from columns that follow each other; `row_step` is small.
void copy_runs(const ConstPixelRows& in, std::int64_t column, std::int64_t row, std::int64_t row_step,
               int first, int end, std::uint8_t* to) {
  const std::int64_t shift = column >> 16;
  for (int x = first; x < end;) {
    const std::int64_t from = (row + x * row_step) >> 16;
    int stop = end;
    if (row_step != 0) {  // where the next row begins
      const std::int64_t edge = row_step > 0 ? (from + 1) << 16 : (from << 16) - 1;
      const std::int64_t gap = std::abs(edge - (row + x * row_step)), step = std::abs(row_step);
      stop = static_cast<int>(std::min<std::int64_t>(end, x + (gap + step - 1) / step));
    }
    std::memcpy(to + std::ptrdiff_t{x} * in.channels,
                in.row(static_cast<int>(from)) + (x + shift) * in.channels,
                static_cast<std::size_t>(stop - x) * static_cast<std::size_t>(in.channels));
    x = stop;
  }
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
    if (a0 == 65536 && std::abs(a3) <= 65536 / 4) {  // sheared: neighbours are neighbours
      copy_runs(in, column, row, a3, static_cast<int>(first), static_cast<int>(end), to);
      first = std::max(first, end);
    }
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

// A place for each pixel, added up from those before it.
void add_up_nearest(const ConstPixelRows& in, const PixelRows& out, const Warp& warp) {
  const AffineMatrix& m = warp.matrix;
  WarpPlace start{m[2] + m[1] * 0.5 + m[0] * 0.5, m[5] + m[4] * 0.5 + m[3] * 0.5};
  for (int y = 0; y < out.size.height; ++y, start.column += m[1], start.row += m[4]) {
    WarpPlace at = start;
    for (int x = 0; x < out.size.width; ++x, at.column += m[0], at.row += m[3]) {
      const int from_x = place_of(at.column, in.size.width), from_y = place_of(at.row, in.size.height);
      const std::uint8_t* pixel =
          from_x < 0 || from_y < 0 ? warp.fill.data() : in.row(from_y) + std::ptrdiff_t{from_x} * in.channels;
      std::memcpy(out.row(y) + std::ptrdiff_t{x} * in.channels, pixel, static_cast<std::size_t>(in.channels));
    }
  }
}

// A place for each pixel by itself.
void nearest_by_places(const ConstPixelRows& in, const PixelRows& out, const Warp& warp) {
  const WarpJob job{in, out.size.width, warp.matrix, warp.fill, false, warp.perspective};
  WarpPlaces places;
  std::size_t offsets[kWarpPart];
  for (int y = 0; y < out.size.height; ++y) {
    for (int begin = 0; begin < out.size.width; begin += kWarpPart) {
      const int count = std::min(kWarpPart, out.size.width - begin);
      std::uint8_t* const to = out.row(y) + std::ptrdiff_t{begin} * in.channels;
      warp_nearest_places(job, y, begin, count, places);
      for (int i = 0; i < count;) {  // runs of pixels that are inside, or not
        const bool inside = places.row[i] >= 0;
        int end = i;
        for (; end < count && (places.row[end] >= 0) == inside; ++end) {
          offsets[end] = static_cast<std::size_t>(std::max(places.row[end], 0)) * in.stride +
                         static_cast<std::size_t>(places.column[end]) * static_cast<std::size_t>(in.channels);
        }
        if (inside) {
          copy_pixels(in.data, offsets + i, end - i, in.channels, to + std::ptrdiff_t{i} * in.channels);
        } else {
          set_pixels(to, i, end, in.channels, warp.fill.data());
        }
        i = end;
      }
    }
  }
}

// A row of the output: pixels [first, end) from `from`, others the fill.
void put_run(std::uint8_t* to, int width, int first, int end, const std::uint8_t* from, int channels,
             const std::uint8_t* fill) {
  set_pixels(to, 0, std::min(first, width), channels, fill);
  if (first < end) {
    std::memcpy(to + std::ptrdiff_t{first} * channels, from,
                static_cast<std::size_t>((end - first) * channels));
  }
  set_pixels(to, std::max(first, end), width, channels, fill);
}

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

bool warp_by_whole_pixels(const ConstPixelRows& in, const PixelRows& out, const Warp& warp) {
  const AffineMatrix& m = warp.matrix;
  const auto whole = [](double shift) { return std::abs(shift) < 1e6 && shift == std::floor(shift); };
  if (warp.perspective || m[0] != 1 || m[1] != 0 || m[3] != 0 || m[4] != 1 || !whole(m[2]) || !whole(m[5])) {
    return false;
  }
  const int right = static_cast<int>(m[2]), down = static_cast<int>(m[5]);
  const int first = std::clamp(-right, 0, out.size.width);
  const int end = std::clamp(in.size.width - right, first, out.size.width);
  for (int y = 0; y < out.size.height; ++y) {
    const bool inside = y + down >= 0 && y + down < in.size.height;
    put_run(out.row(y), out.size.width, first, inside ? end : first,
            inside ? in.row(y + down) + std::ptrdiff_t{first + right} * in.channels : nullptr, in.channels,
            warp.fill.data());
  }
  return true;
}

void warp_nearest(const ConstPixelRows& in, const PixelRows& out, const Warp& warp) {
  const AffineMatrix& m = warp.matrix;
  if (in.channels == 2 || warp.perspective) {
    nearest_by_places(in, out, warp);
  } else if (m[1] == 0.0 && m[3] == 0.0) {
    scale_nearest(in, out, warp);
  } else if (fits_fixed_point(m, out.size)) {
    turn_nearest(in, out, warp);
  } else {
    add_up_nearest(in, out, warp);
  }
}

}  // namespace penstock::inline v0
