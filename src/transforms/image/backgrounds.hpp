#pragma once
// What images are put on, and how they fade into it; slipstream's rules.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>

#include "transforms/image/geometry_rules.hpp"
#include "transforms/kernels/power_law.hpp"
#include "transforms/param_codec.hpp"

namespace penstock::inline v0 {

enum class Background : std::uint8_t { zeros, constant, power_law };

template <>
struct EnumNames<Background> {
  static constexpr std::array<std::string_view, 3> kNames = {"zeros", "constant", "power_law"};
  static constexpr std::string_view kType = "Literal['zeros', 'constant', 'power_law']";
};

inline constexpr const char* kBackgroundDoc =
    "zeros, constant (fill), or power_law: noise whose power falls with frequency";
inline constexpr const char* kBackgroundFillDoc = "of background='constant': one number or one per channel";
inline constexpr const char* kAlphaDoc = "of background='power_law': power is 1 / f^alpha; or (min, max)";
inline constexpr const char* kFadeRadiusDoc =
    "(inner, outer), as shares of the image's shorter side: it is whole within the inner radius, gone beyond "
    "the "
    "outer one, and fades as a normal distribution between them";

/// `invalid` unless a parameter is a probability.
inline Status check_probability(std::string_view operation, std::string_view parameter, double p) {
  if (!(p >= 0) || !(p <= 1)) {
    return invalid_parameter(operation, parameter, fmt::format("must be between 0 and 1, got {}", p), "");
  }
  return {};
}

/// `invalid` unless radii are none, or a smaller and a larger one.
inline Status check_fade_radius(std::string_view operation,
                                const std::optional<std::array<double, 2>>& radii) {
  if (radii && !((*radii)[0] >= 0 && (*radii)[0] < (*radii)[1] && (*radii)[1] <= 1000)) {
    return invalid_parameter(operation, "fade_radius", "must be two numbers from 0, the smaller one first",
                             "");
  }
  return {};
}

/// `invalid` unless an exponent that was drawn is one.
inline Status check_exponent(std::string_view operation, double alpha) {
  if (!(alpha >= 0) || !(alpha <= 10)) {
    return detail::wrong_drawn(operation, "alpha", "must be between 0 and 10");
  }
  return {};
}

/// How much is seen of an image at each of its pixels, the background being the rest.
class Fade {
 public:
  /// All of it.
  Fade() = default;
  /// From one circle around its middle to another.
  static Fade circle(ImageSize image, double inner, double outer) {
    const double side = std::min(image.width, image.height);
    return {Kind::circle, image, inner * side, outer * side};
  }
  /// From its edges: an inset of up to 1 is a share of the sides, a larger one pixels.
  static Fade edges(ImageSize image, double inset) {
    const double pixels = inset <= 1 ? inset * std::min(image.width, image.height) : inset;
    return {Kind::edges, image, pixels, 0};
  }

  float at(int x, int y) const {
    switch (kind_) {
      case Kind::none:
        return 1;
      case Kind::circle: {
        const double across = x - (image_.width - 1) / 2.0;
        const double down = y - (image_.height - 1) / 2.0;
        const double radius = std::sqrt(across * across + down * down);
        const double beyond = (radius - first_) / ((second_ - first_) / 3);
        return radius <= first_    ? 1
               : radius >= second_ ? 0
                                   : static_cast<float>(std::exp(-0.5 * beyond * beyond));
      }
      case Kind::edges:
        break;
    }
    const int inside = std::min({x, image_.width - 1 - x, y, image_.height - 1 - y});
    const double way = first_ > 0 ? std::clamp(inside / first_, 0.0, 1.0) : 1.0;
    return static_cast<float>(0.5 * (1 - std::cos(way * std::numbers::pi)));
  }

 private:
  enum class Kind : std::uint8_t { none, circle, edges };
  Fade(Kind kind, ImageSize image, double first, double second)
      : kind_(kind), image_(image), first_(first), second_(second) {}

  Kind kind_ = Kind::none;
  ImageSize image_;
  double first_ = 0;
  double second_ = 0;
};

inline std::uint8_t blend_bytes(float share, std::uint8_t image, std::uint8_t background) {
  return static_cast<std::uint8_t>(
      std::nearbyint(share * static_cast<float>(image) + (1 - share) * static_cast<float>(background)));
}

}  // namespace penstock::inline v0
