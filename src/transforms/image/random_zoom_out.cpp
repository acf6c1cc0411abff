// RandomZoomOut: the image at a random place of a larger canvas; torchvision's rule.

#include "transforms/image/geometry_rules.hpp"
#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

struct ZoomOutParameters {
  std::vector<int> fill = {0};
  std::array<double, 2> side_range = {1.0, 4.0};
  double p = 0.5;
  transforms::MaskFill mask_fill = {};

  template <class V>
  void fields(V&& v) {
    v("fill", fill, "value of the pixels around the image, one number or one per channel; None is 0");
    v("side_range", side_range, "min and max sides of the canvas, as multiples of the image's");
    v("p", p, "probability of doing it");
    v("mask_fill", mask_fill, transforms::kMaskFillDoc);
  }
};

struct DrawnMargins {
  int left = 0;
  int top = 0;
  int right = 0;
  int bottom = 0;

  template <class V>
  void fields(V&& v) {
    v("left", left);
    v("top", top);
    v("right", right);
    v("bottom", bottom);
  }
};

class RandomZoomOut final : public ImageOperation<RandomZoomOut, ZoomOutParameters, DrawnMargins> {
 public:
  static constexpr const char* kName = "RandomZoomOut";
  static constexpr const char* kSummary = "Puts the image at a random place of a larger canvas.";
  static constexpr bool kMovesPixels = true;
  using ImageOperation::ImageOperation;

  Status check() const override {
    if (!(p_.side_range[0] >= 1) || !(p_.side_range[0] <= p_.side_range[1]) || !(p_.side_range[1] <= 1024)) {
      return wrong("side_range", "must be two numbers from 1 to 1024, the smaller one first", "");
    }
    PENSTOCK_TRY(check_fill(kName, p_.fill, p_.mask_fill));
    return check_chance(p_.p);
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    PENSTOCK_TRY(check_fill(kName, p_.fill, in));
    return moved_spec(kName, in, {});
  }

  Status draw(const ImageSlots& in, Draws& draws, DrawnMargins& drawn) const {
    drawn = {};
    if (!draws.chance(p_.p)) {
      return {};
    }
    // In float32, as torchvision computes it.
    const auto span = static_cast<float>(p_.side_range[1] - p_.side_range[0]);
    const float ratio = static_cast<float>(p_.side_range[0]) + unit_float(draws) * span;
    const ImageSize image = in.image.size;
    const int width = narrowed(std::trunc(static_cast<float>(image.width) * ratio));
    const int height = narrowed(std::trunc(static_cast<float>(image.height) * ratio));
    drawn.left = static_cast<int>(static_cast<float>(width - image.width) * unit_float(draws));
    drawn.top = static_cast<int>(static_cast<float>(height - image.height) * unit_float(draws));
    drawn.right = width - image.width - drawn.left;
    drawn.bottom = height - image.height - drawn.top;
    return {};
  }

  Status plan(const ImageSpec& in, const DrawnMargins& drawn, ImageEdits& edits) const {
    const auto good = [](int pixels) { return pixels >= 0 && pixels <= 1 << 24; };
    if (!good(drawn.left) || !good(drawn.top) || !good(drawn.right) || !good(drawn.bottom)) {
      return detail::wrong_drawn(kName, "margins", "must not be negative");
    }
    const PadEdit pad{drawn.left,
                      drawn.top,
                      drawn.right,
                      drawn.bottom,
                      transforms::PaddingMode::constant,
                      fill_pixel(p_.fill, in)};
    PENSTOCK_TRY(check_result(kName, size_after(in.size, pad)));
    if (drawn.left + drawn.top + drawn.right + drawn.bottom > 0) {
      edits.push_back(pad);
    }
    return {};
  }
};

}  // namespace

OperationInfo random_zoom_out_operation() { return operation_info<RandomZoomOut>(); }

}  // namespace penstock::inline v0
