// OpticalDistortion: what a lens does to an image; slipstream's FixedOpticalDistortion, OpenCV's formula.

#include "transforms/image/geometry_rules.hpp"
#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

struct DistortionParameters {
  std::vector<double> distortion = {-0.5};
  double dx = 0;
  double dy = 0;
  double p = 1.0;
  transforms::Interpolation interpolation = transforms::Interpolation::bilinear;
  std::vector<int> fill = {0};
  transforms::MaskFill mask_fill = {};

  template <class V>
  void fields(V&& v) {
    v("distortion", distortion,
      "k: pixels come from 1 + k r^2 + k r^4 times as far from the centre; or (min, max)");
    v("dx", dx, "pixels from the middle to the centre, to the right");
    v("dy", dy, "pixels from the middle to the centre, down");
    v("p", p, "probability of doing it");
    v("interpolation", interpolation, "nearest or bilinear");
    v("fill", fill, "value of what comes from outside, one number or one per channel");
    v("mask_fill", mask_fill, transforms::kMaskFillDoc);
  }
};

struct DrawnDistortion {
  double distortion = 0;

  template <class V>
  void fields(V&& v) {
    v("distortion", distortion);
  }
};

struct Lens {
  Lens(const FieldEdit& edit, ImageSize image)
      : k(edit.numbers[0]),
        width(image.width),
        height(image.height),
        center_x(image.width * 0.5 + edit.numbers[1]),
        center_y(image.height * 0.5 + edit.numbers[2]) {}

  /// Where the pixel at x, y comes from.
  std::array<double, 2> from(double x, double y) const {
    const double across = (x - center_x) / width;
    const double down = (y - center_y) / height;
    const double r2 = across * across + down * down;
    const double stretch = 1 + k * r2 + k * r2 * r2;
    return {(x - center_x) * stretch + center_x, (y - center_y) * stretch + center_y};
  }

  double k, width, height, center_x, center_y;
};

void make_lens_field(const FieldEdit& edit, ImageSize image, const FieldPlanes& field, Scratch&) {
  const Lens lens(edit, image);
  std::size_t i = 0;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x, ++i) {
      const auto [column, row] = lens.from(x, y);
      field.columns[i] = static_cast<float>(column);
      field.rows[i] = static_cast<float>(row);
    }
  }
}

/// The point whose pixel comes from x, y. Directions from the centre stay; distances are found by halving.
std::array<double, 2> move_lens_point(const FieldEdit& edit, ImageSize image, double x, double y, bool) {
  const Lens lens(edit, image);
  const double k = lens.k;
  const double wanted = std::hypot((x - lens.center_x) / lens.width, (y - lens.center_y) / lens.height);
  double low = 0;
  // From there on the lens turns the image inside out.
  double high = k >= 0 ? wanted : std::sqrt((-3 * k - std::sqrt(9 * k * k - 20 * k)) / (10 * k));
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    const double r2 = middle * middle;
    (middle * (1 + k * r2 + k * r2 * r2) < wanted ? low : high) = middle;
  }
  const double factor = wanted > 0 ? low / wanted : 1;
  return {(x - lens.center_x) * factor + lens.center_x, (y - lens.center_y) * factor + lens.center_y};
}

class OpticalDistortion final
    : public ImageOperation<OpticalDistortion, DistortionParameters, DrawnDistortion> {
 public:
  static constexpr const char* kName = "OpticalDistortion";
  static constexpr const char* kSummary = "Bends the image as a lens does, like a barrel or a cushion.";
  static constexpr bool kMovesPixels = true;
  using ImageOperation::ImageOperation;

  Status check() const override {
    PENSTOCK_TRY(check_one_or_two(kName, "distortion", p_.distortion, -1, 1));
    if (!(std::abs(p_.dx) <= 1e6) || !(std::abs(p_.dy) <= 1e6)) {
      return wrong("dx", "and dy must be at most a million pixels", "");
    }
    PENSTOCK_TRY(check_chance(p_.p));
    if (p_.interpolation != transforms::Interpolation::nearest &&
        p_.interpolation != transforms::Interpolation::bilinear) {
      return wrong("interpolation", "must be nearest or bilinear", "");
    }
    return check_fill(kName, p_.fill, p_.mask_fill);
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    PENSTOCK_TRY(check_warp_type(kName, in, p_.interpolation));
    PENSTOCK_TRY(check_fill(kName, p_.fill, in));
    return moved_spec(kName, in, in.size);
  }

  Status draw(const ImageSlots&, Draws& draws, DrawnDistortion& drawn) const {
    drawn.distortion = draws.chance(p_.p) ? uniform_float(draws, p_.distortion) : 0.0;
    return {};
  }

  Status plan(const ImageSpec& in, const DrawnDistortion& drawn, ImageEdits& edits) const {
    if (!(std::abs(drawn.distortion) <= 1)) {
      return detail::wrong_drawn(kName, "distortion", "must be between -1 and 1");
    }
    if (drawn.distortion != 0) {
      edits.push_back(
          FieldEdit{.name = "lens",
                    .make = make_lens_field,
                    .move_point = move_lens_point,
                    .sampling = {.nearest = p_.interpolation == transforms::Interpolation::nearest,
                                 .fill = fill_pixel(p_.fill, in)},
                    .numbers = {drawn.distortion, p_.dx, p_.dy, 0},
                    .noise = {}});
    }
    return {};
  }
};

}  // namespace

OperationInfo optical_distortion_operation() { return operation_info<OpticalDistortion>(); }

}  // namespace penstock::inline v0
