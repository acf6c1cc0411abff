#pragma once
// The four corners of an image and its middle; torchvision's order.

#include <fmt/format.h>

#include "transforms/image/geometry_rules.hpp"
#include "transforms/python_round.hpp"

namespace penstock::inline v0 {

struct CropsParameters {
  transforms::Size size;

  template <class V>
  void fields(V&& v) {
    v("size", size, "side of a square, or (height, width); a smaller image is an error");
  }
};

/// Appends the crop of that number: top left, top right, bottom left, bottom right, middle. `invalid` where
/// the image is smaller.
inline Status push_corner(std::string_view operation, const transforms::Size& given, ImageSize image,
                          int number, ImageEdits& edits) {
  const ImageSize size = square_or_pair(given);
  const int right = image.width - size.width;
  const int bottom = image.height - size.height;
  if (right < 0 || bottom < 0) {
    return Error{ErrorKind::invalid,
                 fmt::format("{} of {} x {} (height x width) is larger than the image of {} x {}", operation,
                             size.height, size.width, image.height, image.width),
                 "resize first",
                 {}};
  }
  Rect box{number % 2 == 0 ? 0 : right, number < 2 ? 0 : bottom, size.width, size.height};
  if (number == 4) {
    box.x = static_cast<int>(python_round(right / 2.0));
    box.y = static_cast<int>(python_round(bottom / 2.0));
  }
  edits.push_back(CropEdit{box});
  return {};
}

}  // namespace penstock::inline v0
