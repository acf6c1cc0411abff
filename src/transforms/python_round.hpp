#pragma once
// Python's round() of a float to a whole number: halves go to the even neighbour.

#include <cmath>

namespace penstock::inline v0 {

inline long python_round(double value) noexcept {
  const double down = std::floor(value);
  const double rest = value - down;
  if (rest > 0.5 || (rest == 0.5 && std::fmod(down, 2.0) != 0.0)) {
    return static_cast<long>(down) + 1;
  }
  return static_cast<long>(down);
}

}  // namespace penstock::inline v0
