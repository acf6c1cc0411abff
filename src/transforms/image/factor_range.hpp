#pragma once
// The ranges of factors that operations on colours draw from, as ColorJitter's parameters give them.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "transforms/transform.hpp"

namespace penstock::inline v0 {

/// None, one number, or the smallest and the largest.
using OptionalRange = std::optional<std::vector<double>>;

struct FactorRange {
  double low = 0;
  double high = 0;
};

/// None where nothing changes. One number is how far from `center`; factors, whose center is 1, are not
/// negative.
inline std::optional<FactorRange> factor_range(const OptionalRange& given, double center) {
  if (!given) {
    return std::nullopt;
  }
  FactorRange range{given->front(), given->back()};
  if (given->size() == 1) {
    range = {center - given->front(), center + given->front()};
    range.low = center == 1 ? std::max(range.low, 0.0) : range.low;
  }
  return range.low == center && range.high == center ? std::nullopt : std::optional(range);
}

/// As torchvision has them: float32.
inline double draw_factor(const OptionalRange& given, double center, Draws& draws) {
  const auto range = factor_range(given, center);
  return range ? static_cast<float>(draws.uniform(range->low, range->high)) : center;
}

inline bool is_range(const OptionalRange& given, double low, double high) {
  if (!given) {
    return true;
  }
  const double first = given->front();
  const double last = given->back();
  return given->size() <= 2 && std::isfinite(first) && std::isfinite(last) && first <= last &&
         (given->size() == 1 ? first >= 0 && first <= high : first >= low && last <= high);
}

inline Status check_factors(std::string_view operation, std::string_view parameter,
                            const OptionalRange& given) {
  return is_range(given, 0, HUGE_VAL)
             ? Status()
             : invalid_parameter(operation, parameter,
                                 "must be a non-negative number, or (min, max) of such numbers", "");
}

/// `limit`: half of the circle.
inline Status check_hue(std::string_view operation, const OptionalRange& given, double limit) {
  return is_range(given, -limit, limit)
             ? Status()
             : invalid_parameter(
                   operation, "hue",
                   fmt::format("must be between 0 and {0}, or (min, max) between -{0} and {0}", limit), "");
}

/// Of a factor that was drawn.
inline Status check_drawn_factor(std::string_view operation, std::string_view name, double factor) {
  return std::isfinite(factor) && factor >= 0
             ? Status()
             : detail::wrong_drawn(operation, name,
                                   fmt::format("must be a finite number of 0 and above, got {}", factor));
}

/// Of a part of the circle.
inline Status check_drawn_hue(std::string_view operation, double hue) {
  return std::abs(hue) <= 0.5 ? Status()
                              : detail::wrong_drawn(operation, "hue",
                                                    fmt::format("must be between -0.5 and 0.5, got {}", hue));
}

}  // namespace penstock::inline v0
