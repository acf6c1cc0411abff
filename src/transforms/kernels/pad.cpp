#include "transforms/kernels/pad.hpp"

#include <algorithm>
#include <cstring>

#include "transforms/kernels/mirror.hpp"

namespace penstock::inline v0 {
namespace {

using transforms::PaddingMode;

// The pixel inside [0, length) that stands at `position`, or -1 for the fill.
int inside(int position, int length, PaddingMode mode) {
  if (position >= 0 && position < length) {
    return position;
  }
  switch (mode) {
    case PaddingMode::constant:
      return -1;
    case PaddingMode::edge:
      return std::clamp(position, 0, length - 1);
    case PaddingMode::reflect: {
      if (length == 1) {
        return 0;
      }
      const int period = 2 * (length - 1);
      const int turn = ((position % period) + period) % period;
      return turn < length ? turn : period - turn;
    }
    case PaddingMode::symmetric: {
      const int period = 2 * length;
      const int turn = ((position % period) + period) % period;
      return turn < length ? turn : period - 1 - turn;
    }
  }
  return -1;
}

}  // namespace

void pad_image(const PadEdit& edit, const ConstPixelRows& in, const PixelRows& out) {
  const auto pixel = static_cast<std::size_t>(in.channels);
  const ImageSize size = in.size;
  const std::uint8_t* filled = nullptr;  // a row of nothing else
  for (int y = 0; y < out.size.height; ++y) {
    std::uint8_t* const to = out.row(y);
    const int row = inside(y - edit.top, size.height, edit.mode);
    if (row < 0) {
      if (filled == nullptr) {
        repeat_pixel(edit.fill.data(), pixel, out.size.width, to);
        filled = to;
      } else {
        std::memcpy(to, filled, out.row_bytes());
      }
      continue;
    }
    const std::uint8_t* from = in.row(row);
    const auto at = [&](int x) { return to + static_cast<std::size_t>(x) * pixel; };
    const auto put = [&](int first, int end) {
      if (edit.mode == PaddingMode::constant) {
        repeat_pixel(edit.fill.data(), pixel, end - first, at(first));
        return;
      }
      // Within one period columns run backwards, or stay.
      const int last = first == end ? 0 : inside(end - 1 - edit.left, size.width, edit.mode);
      const auto* const stretch = from + static_cast<std::size_t>(last) * pixel;
      if (edit.mode == PaddingMode::edge) {
        repeat_pixel(stretch, pixel, end - first, at(first));
        return;
      }
      if (end - first < size.width) {
        flip_row(stretch, end - first, pixel, at(first));
        return;
      }
      for (int x = first; x < end; ++x) {
        const int column = inside(x - edit.left, size.width, edit.mode);
        std::memcpy(at(x), from + static_cast<std::size_t>(column) * pixel, pixel);
      }
    };
    put(0, edit.left);
    std::memcpy(at(edit.left), from, static_cast<std::size_t>(size.width) * pixel);
    put(edit.left + size.width, out.size.width);
  }
}

}  // namespace penstock::inline v0
