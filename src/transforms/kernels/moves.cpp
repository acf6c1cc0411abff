#include <algorithm>
#include <cstring>

#include "transforms/kernels/mirror.hpp"
#include "transforms/kernels/warp.hpp"

namespace penstock::inline v0 {
namespace {

// `count` pixels; from(i) is where the i-th lies. Of three channels, four bytes are copied at once, of which
// the last is written again by the next pixel.
template <int kChannels, class From>
void gather_pixels(std::uint8_t* to, int count, From from) {
  constexpr std::size_t kBytes = kChannels == 3 ? 4 : kChannels;
  for (int i = 0; i + 1 < count; ++i, to += kChannels) {
    std::memcpy(to, from(i), kBytes);
  }
  std::memcpy(to, from(count - 1), kChannels);
}

// Rows of the output are made from rows of the input.
void move_rows(const ConstPixelRows& in, const PixelRows& out, bool mirrored, bool upside_down) {
  for (int y = 0; y < out.size.height; ++y) {
    const std::uint8_t* from = in.row(upside_down ? in.size.height - 1 - y : y);
    std::uint8_t* to = out.row(y);
    if (mirrored) {
      flip_row(from, out.size.width, static_cast<std::size_t>(in.channels), to);
    } else {
      std::memcpy(to, from, in.row_bytes());
    }
  }
}

// Rows of the output are made from columns of the input, in squares that stay in the cache.
template <int kChannels>
void swap_sides(const ConstPixelRows& in, const PixelRows& out, bool from_the_right, bool upwards) {
  constexpr int kSquare = 32;
  for (int top = 0; top < out.size.height; top += kSquare) {
    for (int left = 0; left < out.size.width; left += kSquare) {
      const int right = std::min(left + kSquare, out.size.width);
      for (int y = top; y < std::min(top + kSquare, out.size.height); ++y) {
        const std::ptrdiff_t column = from_the_right ? in.size.width - 1 - y : y;
        gather_pixels<kChannels>(out.row(y) + std::ptrdiff_t{left} * kChannels, right - left, [&](int x) {
          return in.row(upwards ? in.size.height - 1 - left - x : left + x) + column * kChannels;
        });
      }
    }
  }
}

template <int kChannels>
void move_all(const ConstPixelRows& in, const PixelRows& out, Move move) {
  switch (move) {
    case Move::mirror:
      return move_rows(in, out, true, false);
    case Move::flip:
      return move_rows(in, out, false, true);
    case Move::turn_180:
      return move_rows(in, out, true, true);
    case Move::turn_90:
      return swap_sides<kChannels>(in, out, true, false);
    case Move::turn_270:
      return swap_sides<kChannels>(in, out, false, true);
    case Move::transpose:
      return swap_sides<kChannels>(in, out, false, false);
    case Move::transverse:
      return swap_sides<kChannels>(in, out, true, true);
  }
}

}  // namespace

void move_pixels(const ConstPixelRows& in, const PixelRows& out, Move move) {
  switch (in.channels) {
    case 1:
      return move_all<1>(in, out, move);
    case 2:
      return move_all<2>(in, out, move);
    case 3:
      return move_all<3>(in, out, move);
    default:
      return move_all<4>(in, out, move);
  }
}

void fill_box(const PixelRows& out, const Rect& box, const PixelBytes& fill) {
  if (box.width <= 0 || box.height <= 0) {
    return;
  }
  const auto pixel = static_cast<std::size_t>(out.channels);
  const auto at = [&](int y) { return out.row(y) + static_cast<std::size_t>(box.x) * pixel; };
  repeat_pixel(fill.data(), pixel, box.width, at(box.y));
  for (int y = box.y + 1; y < box.y + box.height; ++y) {
    std::memcpy(at(y), at(box.y), static_cast<std::size_t>(box.width) * pixel);
  }
}

}  // namespace penstock::inline v0
