#include "transforms/kernels/alpha.hpp"

#include <algorithm>

namespace penstock::inline v0 {
namespace {

template <class Channel>
void for_each_color(const ConstPixelRows& in, const PixelRows& out, Channel channel) {
  for (int y = 0; y < in.size.height; ++y) {
    const std::uint8_t* from = in.row(y);
    std::uint8_t* to = out.row(y);
    for (int x = 0; x < in.size.width; ++x, from += 4, to += 4) {
      const unsigned alpha = from[3];
      for (int c = 0; c < 3; ++c) {
        to[c] = static_cast<std::uint8_t>(channel(from[c], alpha));
      }
      to[3] = static_cast<std::uint8_t>(alpha);
    }
  }
}

}  // namespace

void multiply_by_alpha(const ConstPixelRows& in, const PixelRows& out) {
  for_each_color(in, out, [](unsigned value, unsigned alpha) {
    const unsigned product = value * alpha + 128;
    return ((product >> 8) + product) >> 8;
  });
}

void divide_by_alpha(const ConstPixelRows& in, const PixelRows& out) {
  for_each_color(in, out, [](unsigned value, unsigned alpha) {
    return alpha == 0 || alpha == 255 ? value : std::min(255 * value / alpha, 255U);
  });
}

}  // namespace penstock::inline v0
