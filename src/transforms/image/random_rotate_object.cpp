// RandomRotateObject: a point of the image turned, resized and put elsewhere; slipstream's operation,
// Pillow's pixels.

#include <numbers>

#include "transforms/image/geometry_rules.hpp"
#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

enum class ObjectPadding : std::uint8_t { zeros, border, reflection };

}  // namespace

template <>
struct EnumNames<ObjectPadding> {
  static constexpr std::array<std::string_view, 3> kNames = {"zeros", "border", "reflection"};
  static constexpr std::string_view kType = "Literal['zeros', 'border', 'reflection']";
};

namespace {

struct ObjectParameters {
  double p = 0.5;
  double max_deg = 45;
  std::vector<double> ctr_x = {0.5};
  std::vector<double> ctr_y = {0.5};
  std::vector<double> scale = {1.0, 2.0};
  std::vector<double> dest_x = {0.25, 0.75};
  std::vector<double> dest_y = {0.25, 0.75};
  ObjectPadding pad_mode = ObjectPadding::border;
  transforms::Interpolation interpolation = transforms::Interpolation::bilinear;
  std::vector<int> fill = {0};
  transforms::MaskFill mask_fill = {};

  template <class V>
  void fields(V&& v) {
    v("p", p, "probability of doing it");
    v("max_deg", max_deg, "the angle is between -max_deg and max_deg, counter-clockwise");
    v("ctr_x", ctr_x, "the point around which it is turned, as a share of the width; or (min, max)");
    v("ctr_y", ctr_y, "the same, of the height");
    v("scale", scale,
      "how much more of the image is seen along each side, or (min, max): 2 halves the object");
    v("dest_x", dest_x, "where that point comes to lie, as a share of the width; or (min, max)");
    v("dest_y", dest_y, "the same, of the height");
    v("pad_mode", pad_mode,
      "what comes from outside: zeros (fill), border (the pixels of the edge) or reflection (the image, "
      "mirrored)");
    v("interpolation", interpolation, "nearest, bilinear or bicubic");
    v("fill", fill, "of pad_mode='zeros': one number or one per channel");
    v("mask_fill", mask_fill, transforms::kMaskFillDoc);
  }
};

struct DrawnObject {
  bool apply = false;
  double angle = 0;
  double ctr_x = 0.5;
  double ctr_y = 0.5;
  double scale = 1;
  double dest_x = 0.5;
  double dest_y = 0.5;

  template <class V>
  void fields(V&& v) {
    v("apply", apply);
    v("angle", angle);
    v("ctr_x", ctr_x);
    v("ctr_y", ctr_y);
    v("scale", scale);
    v("dest_x", dest_x);
    v("dest_y", dest_y);
  }
};

constexpr double kMaxObjectScale = 8;

/// From the result to the image.
AffineMatrix object_matrix(const DrawnObject& drawn, ImageSize image) {
  const double turn = -drawn.angle * (std::numbers::pi / 180.0);
  const double along = drawn.scale * std::cos(turn);
  const double aside = drawn.scale * std::sin(turn);
  const double to_x = drawn.dest_x * image.width;
  const double to_y = drawn.dest_y * image.height;
  return {along,  aside, drawn.ctr_x * image.width - along * to_x - aside * to_y,
          -aside, along, drawn.ctr_y * image.height + aside * to_x - along * to_y};
}

/// As many pixels on each side as the filter reads outside of the image.
PadEdit outside_of(const AffineMatrix& m, ImageSize image) {
  constexpr int kReach = 2;  // of the widest filter
  const double w = image.width, h = image.height;
  const std::initializer_list<double> x = {m[2], m[0] * w + m[2], m[1] * h + m[2],
                                           m[0] * w + m[1] * h + m[2]};
  const std::initializer_list<double> y = {m[5], m[3] * w + m[5], m[4] * h + m[5],
                                           m[3] * w + m[4] * h + m[5]};
  const auto beyond = [](double pixels) {
    return pixels > 0 ? static_cast<int>(std::ceil(pixels)) + kReach : kReach;
  };
  return {beyond(-std::min(x)), beyond(-std::min(y)), beyond(std::max(x) - w), beyond(std::max(y) - h)};
}

class RandomRotateObject final : public ImageOperation<RandomRotateObject, ObjectParameters, DrawnObject> {
 public:
  static constexpr const char* kName = "RandomRotateObject";
  static constexpr const char* kSummary =
      "Turns the image around a point, shows more or less of it, and puts the point elsewhere; its size "
      "stays the "
      "same.";
  static constexpr bool kMovesPixels = true;
  using ImageOperation::ImageOperation;

  Status check() const override {
    PENSTOCK_TRY(check_chance(p_.p));
    if (!(p_.max_deg >= 0) || !std::isfinite(p_.max_deg)) {
      return wrong("max_deg", fmt::format("must be a non-negative number of degrees, got {}", p_.max_deg),
                   "");
    }
    PENSTOCK_TRY(check_one_or_two(kName, "ctr_x", p_.ctr_x, 0, 1));
    PENSTOCK_TRY(check_one_or_two(kName, "ctr_y", p_.ctr_y, 0, 1));
    PENSTOCK_TRY(check_one_or_two(kName, "scale", p_.scale, 0.001, kMaxObjectScale));
    PENSTOCK_TRY(check_one_or_two(kName, "dest_x", p_.dest_x, 0, 1));
    PENSTOCK_TRY(check_one_or_two(kName, "dest_y", p_.dest_y, 0, 1));
    PENSTOCK_TRY(check_warp_filter(kName, p_.interpolation));
    return check_fill(kName, p_.fill, p_.mask_fill);
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    PENSTOCK_TRY(check_warp_type(kName, in, p_.interpolation));
    PENSTOCK_TRY(check_fill(kName, p_.fill, in));
    return moved_spec(kName, in, in.size);
  }

  Status draw(const ImageSlots&, Draws& draws, DrawnObject& drawn) const {
    drawn = {};
    drawn.apply = draws.chance(p_.p);
    if (drawn.apply) {
      drawn.angle = uniform_float(draws, -p_.max_deg, p_.max_deg);
      drawn.ctr_x = uniform_float(draws, p_.ctr_x);
      drawn.ctr_y = uniform_float(draws, p_.ctr_y);
      drawn.scale = uniform_float(draws, p_.scale);
      drawn.dest_x = uniform_float(draws, p_.dest_x);
      drawn.dest_y = uniform_float(draws, p_.dest_y);
    }
    return {};
  }

  Status plan(const ImageSpec& in, const DrawnObject& drawn, ImageEdits& edits) const {
    if (!drawn.apply) {
      return {};
    }
    const auto is_share = [](double share) { return share >= 0 && share <= 1; };
    if (!std::isfinite(drawn.angle) || !(drawn.scale > 0) || !(drawn.scale <= kMaxObjectScale) ||
        !is_share(drawn.ctr_x) || !is_share(drawn.ctr_y) || !is_share(drawn.dest_x) ||
        !is_share(drawn.dest_y)) {
      return detail::wrong_drawn(kName, "angle, scale or places", "is not what this operation draws");
    }
    AffineMatrix matrix = object_matrix(drawn, in.size);
    if (p_.pad_mode != ObjectPadding::zeros) {
      PadEdit pad = outside_of(matrix, in.size);
      pad.mode = p_.pad_mode == ObjectPadding::border ? transforms::PaddingMode::edge
                                                      : transforms::PaddingMode::symmetric;
      matrix[2] += pad.left;
      matrix[5] += pad.top;
      edits.push_back(pad);
    }
    edits.push_back(WarpEdit{in.size, {matrix, p_.interpolation, fill_pixel(p_.fill, in), {}}});
    return {};
  }
};

}  // namespace

OperationInfo random_rotate_object_operation() { return operation_info<RandomRotateObject>(); }

}  // namespace penstock::inline v0
