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
  for (int y = 0; y < padded.height; ++y) {
    const int row = inside(y - edit.top, size.height, edit.mode);
    const std::uint8_t* from = row < 0 ? nullptr : in + static_cast<std::size_t>(row) * stride;
    const auto put = [&](int x) {
      const int column = inside(x - edit.left, size.width, edit.mode);
      const bool filled = from == nullptr || column < 0;
      std::memcpy(out + static_cast<std::size_t>(x) * pixel,
                  filled ? fill.data() : from + static_cast<std::size_t>(column) * pixel, pixel);
    };
    for (int x = 0; x < edit.left; ++x) {
      put(x);
    }
    if (from != nullptr) {
      std::memcpy(out + static_cast<std::size_t>(edit.left) * pixel, from,
                  static_cast<std::size_t>(size.width) * pixel);
    }
    for (int x = from != nullptr ? edit.left + size.width : edit.left; x < padded.width; ++x) {
      put(x);
    }
    out += static_cast<std::size_t>(padded.width) * pixel;
  }
}

}  // namespace penstock::inline v0
