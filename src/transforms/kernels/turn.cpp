#include "transforms/kernels/turn.hpp"

#include <cstring>

namespace penstock {

void turn_image(int quarters, const std::uint8_t* in, std::size_t stride, ImageSize size, std::size_t pixel,
                std::uint8_t* out) {
  const int width = quarters % 2 == 0 ? size.width : size.height;
  const int height = quarters % 2 == 0 ? size.height : size.width;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x, out += pixel) {
      const int from_x = quarters == 2 ? size.width - 1 - x : quarters == 1 ? size.width - 1 - y : y;
      const int from_y = quarters == 2 ? size.height - 1 - y : quarters == 1 ? x : size.height - 1 - x;
      std::memcpy(out, in + static_cast<std::size_t>(from_y) * stride + static_cast<std::size_t>(from_x) * pixel,
                  pixel);
    }
  }
}

}  // namespace penstock
