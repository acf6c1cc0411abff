#pragma once
// Pillow's hue of a colour, as a byte.

#include <cstdint>

namespace penstock::inline v0 {

/// Where a hue stands in the table: by the difference of the largest and the smallest value, `range` (1 ..
/// 255), and by the place on a circle of 6 * range steps that starts at red.
constexpr std::int32_t hue_place(std::int32_t range, std::int32_t step) {
  return 3 * range * (range - 1) + step;
}

inline constexpr std::int32_t kHuePlaces = hue_place(256, 0);

/// kHuePlaces bytes and three more, so that four can be read at any place. Made when first asked for; any
/// thread.
const std::uint8_t* hue_table();

}  // namespace penstock::inline v0
