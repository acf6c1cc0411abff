#pragma once
// What several operations that move pixels share: sizes that follow from an image's, and draws.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "core/rng.hpp"
#include "transforms/image/size_rules.hpp"
#include "transforms/param_codec.hpp"
#include "transforms/transform.hpp"

namespace penstock::inline v0 {

/// One whole number or several, which must be given.
struct RequiredInts {
  std::vector<int> numbers;

  bool operator==(const RequiredInts&) const = default;
};
template <>
struct ParamCodec<RequiredInts> {
  static constexpr std::string_view kType = "int | Sequence[int]";
  static ParamValue to_value(const RequiredInts& list) {
    return ParamCodec<std::vector<int>>::to_value(list.numbers);
  }
  static bool from_value(const ParamValue& value, RequiredInts& out) {
    return detail::as_ints(value, out.numbers) && !out.numbers.empty();
  }
  static bool missing(const RequiredInts& list) { return list.numbers.empty(); }
};

/// What an operation that moves pixels gives for `in`: images of `size`; `invalid` after floats.
inline Result<ImageSpec> moved_spec(std::string_view operation, const ImageSpec& in, ImageSize size) {
  if (in.is_float()) {
    return geometry_after_values(operation);
  }
  return with_size(in, size);
}

/// torchvision draws numbers as float32.
inline double uniform_float(Draws& draws, double low, double high) {
  return static_cast<float>(draws.uniform(low, high));
}
/// One number is itself; of two, one between them is drawn.
inline double uniform_float(Draws& draws, const std::vector<double>& range) {
  return uniform_float(draws, range.front(), range.back());
}
/// torch.rand(): 24 bits, below 1.
inline float unit_float(Draws& draws) { return static_cast<float>(draws.next32() >> 8) * 0x1.0p-24F; }

/// `invalid` unless there are one or two finite numbers, the smaller one first, within [least, most].
inline Status check_one_or_two(std::string_view operation, std::string_view parameter,
                               const std::vector<double>& range, double least, double most) {
  if (range.empty() || range.size() > 2 || !(range.front() >= least) || !(range.front() <= range.back()) ||
      !(range.back() <= most)) {
    return invalid_parameter(
        operation, parameter,
        fmt::format("must be a number from {} to {}, or (min, max) of them", least, most), "");
  }
  return {};
}

/// A size that was drawn.
struct DrawnSize {
  int height = 0;
  int width = 0;

  void set(ImageSize size) noexcept { *this = {size.height, size.width}; }
  ImageSize size() const noexcept { return {width, height}; }

  template <class V>
  void fields(V&& v) {
    v("height", height);
    v("width", width);
  }
};

/// `invalid` unless an image can have this size.
inline Status check_result(std::string_view operation, ImageSize size) {
  constexpr int kMax = 1 << 24;
  if (size.width < 1 || size.height < 1 || size.width > kMax || size.height > kMax) {
    return Error{ErrorKind::invalid,
                 fmt::format("{}: an image of {} x {} pixels would follow from this one", operation,
                             size.width, size.height),
                 "exclude images of this shape, or ask for other sizes",
                 {}};
  }
  return {};
}

inline int narrowed(double pixels) noexcept { return static_cast<int>(std::min(pixels, 2147483647.0)); }

/// torchvision's Resize of one number: that is the shorter side, unless the longer one exceeds `max_size`.
inline ImageSize shorter_side_to(ImageSize image, int length, std::optional<int> max_size) noexcept {
  const bool upright = image.width <= image.height;
  const double shorter = upright ? image.width : image.height;
  const double longer = upright ? image.height : image.width;
  double new_short = length;
  double new_long = std::trunc(length * longer / shorter);
  if (max_size && new_long > *max_size) {
    new_short = std::trunc(*max_size * new_short / new_long);
    new_long = *max_size;
  }
  return upright ? ImageSize{narrowed(new_short), narrowed(new_long)}
                 : ImageSize{narrowed(new_long), narrowed(new_short)};
}

/// The same of `max_size` alone, which is the longer side.
inline ImageSize longer_side_to(ImageSize image, int length) noexcept {
  const bool upright = image.width <= image.height;
  const double shorter = upright ? image.width : image.height;
  const double longer = upright ? image.height : image.width;
  const int new_short = narrowed(std::trunc(length * shorter / longer));
  return upright ? ImageSize{new_short, length} : ImageSize{length, new_short};
}

/// Left, top, right and bottom, of one number, two (sides, then top and bottom) or four.
inline std::array<int, 4> four_sides(const std::vector<int>& n) {
  const std::size_t top = n.size() > 1 ? 1 : 0;
  const bool four = n.size() == 4;
  return {n[0], n[top], four ? n[2] : n[0], four ? n[3] : n[top]};
}

}  // namespace penstock::inline v0
