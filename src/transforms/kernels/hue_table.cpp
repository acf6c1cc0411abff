#include "transforms/kernels/hue_table.hpp"

#include <array>

namespace penstock::inline v0 {
namespace {

// Each operation is rounded as Pillow's: some are of float, some of double.
std::uint8_t hue_of(int range, int step) {
  const int sector = step <= range || step >= 5 * range ? 0 : step <= 3 * range ? 2 : 4;
  const int offset = step - (step >= 5 * range ? 6 : sector) * range;  // from the sector's middle
  // How far the two colours that are not the largest are below it; the smaller one is at 1.
  const float above = offset >= 0 ? 1.0F : static_cast<float>(range + offset) / static_cast<float>(range);
  const float below = offset >= 0 ? static_cast<float>(range - offset) / static_cast<float>(range) : 1.0F;
  const float hue =
      sector == 0 ? above - below
                  : static_cast<float>(sector + static_cast<double>(above) - static_cast<double>(below));
  const double turns = static_cast<double>(hue) / 6.0 + 1.0;
  const auto part = static_cast<float>(turns >= 1.0 ? turns - 1.0 : turns);
  return static_cast<std::uint8_t>(static_cast<double>(part) * 255.0);
}

}  // namespace

const std::uint8_t* hue_table() {
  static const auto table = [] {
    std::array<std::uint8_t, kHuePlaces + 3> made{};
    for (int range = 1; range < 256; ++range) {
      for (int step = 0; step < 6 * range; ++step) {
        made[static_cast<std::size_t>(hue_place(range, step))] = hue_of(range, step);
      }
    }
    return made;
  }();
  return table.data();
}

}  // namespace penstock::inline v0
