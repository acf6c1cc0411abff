// RandomZoom: a closer or wider look at a point of the image; slipstream's operation, Pillow's pixels.

#include "transforms/image/geometry_rules.hpp"
#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

struct ZoomParameters {
  double p = 0.5;
  std::vector<double> zoom = {0.5, 1.0};
  std::vector<double> x = {0.5};
  std::vector<double> y = {0.5};
  transforms::Interpolation interpolation = transforms::Interpolation::bilinear;
  std::vector<int> fill = {0};
  transforms::MaskFill mask_fill = {};

  template <class V>
  void fields(V&& v) {
    v("p", p, "probability of doing it");
    v("zoom", zoom, "share of each side that is seen, or (min, max): less than 1 looks closer");
    v("x", x, "the point that stays where it is, as a share of the width; or (min, max)");
    v("y", y, "the same, of the height");
    v("interpolation", interpolation, "nearest, bilinear or bicubic");
    v("fill", fill, "value of the pixels that come from outside, one number or one per channel");
    v("mask_fill", mask_fill, transforms::kMaskFillDoc);
  }
};

struct DrawnZoom {
  double zoom = 1;
  double x = 0.5;
  double y = 0.5;

  template <class V>
  void fields(V&& v) {
    v("zoom", zoom);
    v("x", x);
    v("y", y);
  }
};

class RandomZoom final : public ImageOperation<RandomZoom, ZoomParameters, DrawnZoom> {
 public:
  static constexpr const char* kName = "RandomZoom";
  static constexpr const char* kSummary =
      "Looks at a point of the image from closer or further away; its size stays the same.";
  static constexpr bool kMovesPixels = true;
  using ImageOperation::ImageOperation;

  Status check() const override {
    PENSTOCK_TRY(check_chance(p_.p));
    PENSTOCK_TRY(check_one_or_two(kName, "zoom", p_.zoom, 0.001, 1000));
    PENSTOCK_TRY(check_one_or_two(kName, "x", p_.x, 0, 1));
    PENSTOCK_TRY(check_one_or_two(kName, "y", p_.y, 0, 1));
    PENSTOCK_TRY(check_warp_filter(kName, p_.interpolation));
    return check_fill(kName, p_.fill, p_.mask_fill);
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    PENSTOCK_TRY(check_warp_type(kName, in, p_.interpolation));
    PENSTOCK_TRY(check_fill(kName, p_.fill, in));
    return moved_spec(kName, in, in.size);
  }

  Status draw(const ImageSlots&, Draws& draws, DrawnZoom& drawn) const {
    drawn = {};
    if (draws.chance(p_.p)) {
      drawn.zoom = uniform_float(draws, p_.zoom);
      drawn.x = uniform_float(draws, p_.x);
      drawn.y = uniform_float(draws, p_.y);
    }
    return {};
  }

  Status plan(const ImageSpec& in, const DrawnZoom& drawn, ImageEdits& edits) const {
    if (!(drawn.zoom > 0) || !std::isfinite(drawn.zoom) || !std::isfinite(drawn.x) ||
        !std::isfinite(drawn.y)) {
      return detail::wrong_drawn(kName, "zoom, x and y", "must be finite, and zoom positive");
    }
    if (drawn.zoom != 1) {
      const double across = (1 - drawn.zoom) * (drawn.x * in.size.width);
      const double down = (1 - drawn.zoom) * (drawn.y * in.size.height);
      edits.push_back(WarpEdit{
          in.size,
          {{drawn.zoom, 0, across, 0, drawn.zoom, down}, p_.interpolation, fill_pixel(p_.fill, in), {}}});
    }
    return {};
  }
};

}  // namespace

OperationInfo random_zoom_operation() { return operation_info<RandomZoom>(); }

}  // namespace penstock::inline v0
