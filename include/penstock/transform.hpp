#pragma once
// Operations on images, and the lists of them that training usually needs.
//
//   std::vector<TransformPtr> list = {transforms::RandomResizedCrop{.size = 224},
//   transforms::RandomHorizontalFlip{}};
//
// Names, parameters, defaults and results are those of torchvision on Pillow images. Impossible values are
// refused
// (`invalid`) when a list is put to use, or by make_transform().

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "penstock/result.hpp"

namespace penstock::inline v0 {

/// An operation with its parameters. Immutable: any thread may use it.
class Transform;
using TransformPtr = std::shared_ptr<const Transform>;

/// Operations that another one holds. Equal if the operations are.
struct HeldOperations {
  std::vector<TransformPtr> list;

  bool operator==(const HeldOperations& other) const;
};

struct NamedDrawn;
/// What operations drew that another one holds.
struct HeldDrawn {
  std::vector<NamedDrawn> list;

  bool operator==(const HeldDrawn& other) const;
};

/// A parameter's value as a caller without C++ types gives it: none, truth, number, text, list of numbers or
/// of operations. Whole numbers are taken where fractions are asked for. What was drawn may be nested.
using ParamValue = std::variant<std::monostate, bool, std::int64_t, double, std::string,
                                std::vector<std::int64_t>, std::vector<double>, HeldOperations, HeldDrawn>;
using Params = std::vector<std::pair<std::string, ParamValue>>;

/// What one operation drew for one sample, with its name: plain values, as users see them.
struct NamedDrawn {
  std::string operation;
  Params values;

  bool operator==(const NamedDrawn&) const = default;
};

/// A list of operations whose results a batch has under a name, beside others of the same image.
struct View {
  std::string name;
  int count = 0;  ///< that many of them, drawn apart and delivered together; 0: one
  std::vector<TransformPtr> operations;
};

/// Makes an operation by name; parameters not named have their defaults. Unknown names, wrong types and
/// impossible values are `invalid`.
Result<TransformPtr> make_transform(std::string_view name, const Params& params = {});

/// "RandomHorizontalFlip(p=0.5)": as it is written in Python, all parameters included but a mask_fill of 0.
std::string repr(const Transform& transform);
/// The same operation with the same parameters.
bool operator==(const Transform& a, const Transform& b);
/// Every parameter with its value.
Params params_of(const Transform& transform);

namespace transforms {

/// Pillow's resampling filters.
enum class Interpolation : std::uint8_t { nearest, box, bilinear, hamming, bicubic, lanczos };
/// What surrounds an image that is padded.
enum class PaddingMode : std::uint8_t { constant, edge, reflect, symmetric };

/// One number, or height and width.
struct Size {
  int height = 0;
  int width = 0;  ///< 0: only one number was given

  Size() = default;
  Size(int one) : height(one) {}  // implicit on purpose
  Size(int height, int width) : height(height), width(width) {}
  bool operator==(const Size&) const = default;
};

/// A Size, or none.
struct SizeOrNone : Size {
  bool none = false;

  using Size::Size;
  static SizeOrNone nothing() {
    SizeOrNone size;
    size.none = true;
    return size;
  }
  bool operator==(const SizeOrNone&) const = default;
};

/// What masks hold where they are filled: 0 to 65535, to 255 in those of 8 bits.
struct MaskFill {
  int value = 0;

  MaskFill() = default;
  MaskFill(int value) : value(value) {}  // implicit on purpose
  bool operator==(const MaskFill&) const = default;
};
inline constexpr const char* kMaskFillDoc = "value of such pixels in masks, often one that losses ignore";

// Each operation: v(name, value, what it is) for every parameter; converts to a TransformPtr.

struct Resize {
  SizeOrNone size = {};
  Interpolation interpolation = Interpolation::bilinear;
  std::optional<int> max_size = std::nullopt;
  bool antialias = true;

  template <class V>
  void fields(V&& v) {
    v("size", size, "length of the shorter side, or (height, width); None: max_size is the longer side's");
    v("interpolation", interpolation, "Pillow's filter");
    v("max_size", max_size, "the longer side is at most this long; only with one number as size, or None");
    v("antialias", antialias, "must be True: Pillow always antialiases when it shrinks an image");
  }
  bool operator==(const Resize&) const = default;
  operator TransformPtr() const;  // implicit on purpose
};

struct CenterCrop {
  Size size = {};
  MaskFill mask_fill = {};

  template <class V>
  void fields(V&& v) {
    v("size", size, "side of a square, or (height, width); a smaller image is padded with black");
    v("mask_fill", mask_fill, kMaskFillDoc);
  }
  bool operator==(const CenterCrop&) const = default;
  operator TransformPtr() const;  // implicit on purpose
};

struct RandomCrop {
  Size size = {};
  std::vector<int> padding = {};  ///< empty: none
  bool pad_if_needed = false;
  std::vector<int> fill = {0};
  PaddingMode padding_mode = PaddingMode::constant;
  MaskFill mask_fill = {};

  template <class V>
  void fields(V&& v) {
    v("size", size, "side of a square, or (height, width)");
    v("padding", padding,
      "padding on all sides before cropping: one number, (left and right, top and bottom), or (left, top, "
      "right, bottom)");
    v("pad_if_needed", pad_if_needed,
      "pad a smaller image on both sides to the size; otherwise it is an error");
    v("fill", fill, "value of padded pixels, one number or one per channel; None is 0");
    v("padding_mode", padding_mode, "what padded pixels hold");
    v("mask_fill", mask_fill, kMaskFillDoc);
  }
  bool operator==(const RandomCrop&) const = default;
  operator TransformPtr() const;  // implicit on purpose
};

struct RandomResizedCrop {
  Size size = {};
  std::array<double, 2> scale = {0.08, 1.0};
  std::array<double, 2> ratio = {3.0 / 4.0, 4.0 / 3.0};
  Interpolation interpolation = Interpolation::bilinear;
  bool antialias = true;

  template <class V>
  void fields(V&& v) {
    v("size", size, "side of a square, or (height, width), of the result");
    v("scale", scale, "min and max area of the crop, as a share of the image's");
    v("ratio", ratio, "min and max width / height of the crop");
    v("interpolation", interpolation, "Pillow's filter");
    v("antialias", antialias, "must be True: Pillow always antialiases when it shrinks an image");
  }
  bool operator==(const RandomResizedCrop&) const = default;
  operator TransformPtr() const;  // implicit on purpose
};

struct RandomHorizontalFlip {
  double p = 0.5;

  template <class V>
  void fields(V&& v) {
    v("p", p, "probability of mirroring");
  }
  bool operator==(const RandomHorizontalFlip&) const = default;
  operator TransformPtr() const;  // implicit on purpose
};

struct ToFloat {
  template <class V>
  void fields(V&&) {}
  bool operator==(const ToFloat&) const = default;
  operator TransformPtr() const;  // implicit on purpose
};

struct Normalize {
  std::vector<double> mean = {};
  std::vector<double> std = {};

  template <class V>
  void fields(V&& v) {
    v("mean", mean, "subtracted: one number, or one per channel");
    v("std", std, "divisor after that: one number, or one per channel");
  }
  bool operator==(const Normalize&) const = default;
  operator TransformPtr() const;  // implicit on purpose
};

}  // namespace transforms

namespace presets {

inline constexpr std::array<double, 3> kImagenetMean = {0.485, 0.456, 0.406};
inline constexpr std::array<double, 3> kImagenetStd = {0.229, 0.224, 0.225};

/// RandomResizedCrop(size), RandomHorizontalFlip, ToFloat, Normalize with ImageNet's mean and std.
std::vector<TransformPtr> imagenet_train(int size = 224);
/// Resize(size * 256 / 224), CenterCrop(size), ToFloat, Normalize with ImageNet's mean and std.
std::vector<TransformPtr> imagenet_val(int size = 224);

}  // namespace presets
}  // namespace penstock::inline v0
