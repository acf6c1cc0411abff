#pragma once
// What several operations ask of a size, a box or a fill.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "penstock/transform.hpp"
#include "transforms/transform.hpp"

namespace penstock::inline v0 {

template <>
struct ParamCodec<transforms::MaskFill> {
  static constexpr std::string_view kType = "int";
  static ParamValue to_value(const transforms::MaskFill& fill) { return std::int64_t{fill.value}; }
  static bool from_value(const ParamValue& value, transforms::MaskFill& out) {
    return detail::as_int(value, out.value);
  }
  static bool missing(const transforms::MaskFill&) { return false; }
};

/// One number means a square.
inline ImageSize square_or_pair(const transforms::Size& size) noexcept {
  return size.width == 0 ? ImageSize{size.height, size.height} : ImageSize{size.width, size.height};
}

inline ImageSpec with_size(ImageSpec spec, ImageSize size) noexcept {
  spec.size = size;
  return spec;
}

/// A rectangle, as operations draw it.
struct DrawnBox {
  int top = 0;
  int left = 0;
  int height = 0;
  int width = 0;

  void set(const Rect& box) noexcept { *this = {box.y, box.x, box.height, box.width}; }
  Rect box() const noexcept { return {left, top, width, height}; }

  template <class V>
  void fields(V&& v) {
    v("top", top);
    v("left", left);
    v("height", height);
    v("width", width);
  }
};

/// `invalid` unless the box is a part of the image: a draw that was made for another.
inline Status check_inside(std::string_view operation, const Rect& box, ImageSize image) {
  if (box.x < 0 || box.y < 0 || box.width < 1 || box.height < 1 || box.width > image.width - box.x ||
      box.height > image.height - box.y) {
    return Error{ErrorKind::invalid,
                 fmt::format("{}: the box of {} x {} at ({}, {}) is not inside the image of {} x {}",
                             operation, box.width, box.height, box.x, box.y, image.width, image.height),
                 "params belong to the image that they were drawn for",
                 {}};
  }
  return {};
}

/// `invalid` unless some masks have this value.
inline Status check_mask_fill(std::string_view operation, const transforms::MaskFill& fill) {
  if (fill.value < 0 || fill.value > 65535) {
    return invalid_parameter(operation, "mask_fill",
                             fmt::format("must be between 0 and 65535, got {}", fill.value), "");
  }
  return {};
}

/// `invalid` unless some images have pixels of this value. None is 0.
inline Status check_fill(std::string_view operation, const std::vector<int>& fill) {
  if (fill.size() > 1 && fill.size() != 3 && fill.size() != 4) {
    return invalid_parameter(operation, "fill",
                             fmt::format("must have one number or one per channel, got {}", fill.size()), "");
  }
  const int max = fill.size() > 1 ? 255 : 65535;
  for (const int value : fill) {
    if (value < 0 || value > max) {
      return invalid_parameter(operation, "fill", fmt::format("must be between 0 and {}, got {}", max, value),
                               "");
    }
  }
  return {};
}

/// The same, with the value that masks are filled with.
inline Status check_fill(std::string_view operation, const std::vector<int>& fill,
                         const transforms::MaskFill& mask_fill) {
  PENSTOCK_TRY(check_fill(operation, fill));
  return check_mask_fill(operation, mask_fill);
}

/// `invalid` unless these images have pixels of this value.
inline Status check_fill(std::string_view operation, const std::vector<int>& fill, const ImageSpec& in) {
  if (!fill.empty()) {
    PENSTOCK_TRY(check_channels(operation, "fill", fill.size(), in));
  }
  for (const int value : fill) {
    if (in.type == ElementType::uint8 && value > 255) {
      return invalid_parameter(operation, "fill",
                               fmt::format("must be between 0 and 255 for 8-bit images, got {}", value), "");
    }
  }
  return {};
}

/// A pixel of this value. One number stands for all channels, none for 0.
inline PixelBytes fill_pixel(const std::vector<int>& fill, const ImageSpec& in) noexcept {
  PixelBytes pixel{};
  if (fill.empty()) {
    return pixel;
  }
  if (in.type == ElementType::uint16) {
    const auto value = static_cast<std::uint16_t>(fill[0]);
    std::memcpy(pixel.data(), &value, sizeof(value));
    return pixel;
  }
  for (std::size_t channel = 0; channel < pixel.size(); ++channel) {
    pixel[channel] = static_cast<std::uint8_t>(fill[std::min(channel, fill.size() - 1)]);
  }
  return pixel;
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

/// `invalid` unless it is one of the filters that Pillow's Image.transform has.
inline Status check_warp_filter(std::string_view operation, transforms::Interpolation filter) {
  using transforms::Interpolation;
  if (filter != Interpolation::nearest && filter != Interpolation::bilinear &&
      filter != Interpolation::bicubic) {
    return invalid_parameter(operation, "interpolation", "is a filter for resizing alone",
                             "use nearest, bilinear or bicubic");
  }
  return {};
}

/// `invalid` for 16-bit images, unless the filter is nearest.
inline Status check_warp_type(std::string_view operation, const ImageSpec& in,
                              transforms::Interpolation filter) {
  if (in.type == ElementType::uint16 && filter != transforms::Interpolation::nearest) {
    return invalid_parameter(operation, "interpolation", "is not nearest, the image has 16 bits",
                             "use nearest, or read the image with 8 bits");
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
