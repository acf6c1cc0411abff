#pragma once
// What several operations ask of a size.

#include <string_view>

#include "penstock/transform.hpp"
#include "transforms/transform.hpp"

namespace penstock::inline v0 {

/// One number means a square.
inline ImageSize square_or_pair(const transforms::Size& size) noexcept {
  return size.width == 0 ? ImageSize{size.height, size.height} : ImageSize{size.width, size.height};
}

/// `invalid` unless every number is positive and small enough for an image.
inline Status check_size(std::string_view operation, const transforms::Size& size) {
  constexpr int kMax = 1 << 16;
  const auto good = [](int n) { return n > 0 && n <= kMax; };
  if (!good(size.height) || (size.width != 0 && !good(size.width))) {
    return invalid_parameter(operation, "size", "must be between 1 and 65536 pixels", "");
  }
  return {};
}

/// `invalid` unless antialias is true.
inline Status check_antialias(std::string_view operation, bool antialias) {
  if (!antialias) {
    return invalid_parameter(operation, "antialias", "is False",
                             "omit it: Pillow always antialiases when it shrinks an image");
  }
  return {};
}

}  // namespace penstock::inline v0
