#include "transforms/kernels/pad.hpp"

#include <algorithm>
#include <array>
#include <cstring>

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

// `count` times the same pixel, by copies of twice as much each time.
void repeat_pixel(const std::uint8_t* pixel, std::size_t bytes, int count, std::uint8_t* out) {
  const std::size_t all = static_cast<std::size_t>(count) * bytes;
  if (all == 0) {
    return;
  }
  std::memcpy(out, pixel, bytes);
  for (std::size_t done = bytes; done < all; done *= 2) {
    std::memcpy(out + done, out, std::min(done, all - done));
  }
}

}  // namespace

void pad_image(const PadEdit& edit, const std::uint8_t* in, std::size_t stride, ImageSize size,
               const PixelFormat& format, std::uint8_t* out) {
  const std::size_t pixel = format.bytes();
  std::array<std::uint8_t, 8> fill{};
  for (std::size_t channel = 0; channel < static_cast<std::size_t>(format.channels); ++channel) {
    const std::uint16_t wide = edit.fill[channel];
    std::memcpy(fill.data() + channel * size_of(format.type),
                format.type == ElementType::uint16 ? static_cast<const void*>(&wide) : &edit.fill[channel],
                size_of(format.type));
  }
  const ImageSize padded = size_after(size, edit);
  const std::size_t row_bytes = static_cast<std::size_t>(padded.width) * pixel;
  const std::uint8_t* filled = nullptr;  // a row of nothing else
  for (int y = 0; y < padded.height; ++y, out += row_bytes) {
    const int row = inside(y - edit.top, size.height, edit.mode);
    if (row < 0) {
      if (filled == nullptr) {
        repeat_pixel(fill.data(), pixel, padded.width, out);
        filled = out;
      } else {
        std::memcpy(out, filled, row_bytes);
      }
      continue;
    }
    const std::uint8_t* from = in + static_cast<std::size_t>(row) * stride;
    const auto at = [&](int x) { return out + static_cast<std::size_t>(x) * pixel; };
    const auto put = [&](int first, int end) {
      if (edit.mode == PaddingMode::constant) {
        repeat_pixel(fill.data(), pixel, end - first, at(first));
        return;
      }
      for (int x = first; x < end; ++x) {
        const int column = inside(x - edit.left, size.width, edit.mode);
        std::memcpy(at(x), from + static_cast<std::size_t>(column) * pixel, pixel);
      }
    };
    put(0, edit.left);
    std::memcpy(at(edit.left), from, static_cast<std::size_t>(size.width) * pixel);
    put(edit.left + size.width, padded.width);
  }
}

}  // namespace penstock::inline v0
