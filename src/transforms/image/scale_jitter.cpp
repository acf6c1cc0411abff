// ScaleJitter: Resize by a random factor of what fits a given size; torchvision's rule.

#include "transforms/image/geometry_rules.hpp"
#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

struct ScaleJitterParameters {
  transforms::Size target_size;
  std::array<double, 2> scale_range = {0.1, 2.0};
  transforms::Interpolation interpolation = transforms::Interpolation::bilinear;
  bool antialias = true;

  template <class V>
  void fields(V&& v) {
    v("target_size", target_size,
      "what the image fits into at a factor of 1: the first number bounds its width, the second its height, "
      "as in torchvision; one number means a square");
    v("scale_range", scale_range, "min and max factor");
    v("interpolation", interpolation, "Pillow's filter");
    v("antialias", antialias, "must be True: Pillow always antialiases when it shrinks an image");
  }
};

class ScaleJitter final : public ImageOperation<ScaleJitter, ScaleJitterParameters, DrawnSize> {
 public:
  static constexpr const char* kName = "ScaleJitter";
  static constexpr const char* kSummary =
      "Resizes the image by a random factor, relative to the size at which it fits a target.";
  static constexpr bool kMovesPixels = true;
  using ImageOperation::ImageOperation;

  Status check() const override {
    PENSTOCK_TRY(check_size(kName, p_.target_size));
    if (!(p_.scale_range[0] > 0) || !(p_.scale_range[0] <= p_.scale_range[1]) ||
        !(p_.scale_range[1] <= 1024)) {
      return wrong("scale_range", "must be two positive numbers up to 1024, the smaller one first", "");
    }
    return check_antialias(kName, p_.antialias);
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override { return moved_spec(kName, in, {}); }

  Status draw(const ImageSlots& in, Draws& draws, DrawnSize& drawn) const {
    // square_or_pair() takes the first number for the height; torchvision's rule takes it for the width.
    const ImageSize target = square_or_pair(p_.target_size);
    const auto span = static_cast<float>(p_.scale_range[1] - p_.scale_range[0]);
    const float scale = static_cast<float>(p_.scale_range[0]) + unit_float(draws) * span;
    const auto [width, height] = in.image.size;
    const double fits =
        std::min(static_cast<double>(target.width) / height, static_cast<double>(target.height) / width);
    const float ratio = static_cast<float>(fits) * scale;
    // A factor that leaves nothing of a side leaves a pixel; torchvision fails there.
    drawn.set({std::max(narrowed(std::trunc(static_cast<float>(width) * ratio)), 1),
               std::max(narrowed(std::trunc(static_cast<float>(height) * ratio)), 1)});
    return {};
  }

  Status plan(const ImageSpec&, const DrawnSize& drawn, ImageEdits& edits) const {
    PENSTOCK_TRY(check_result(kName, drawn.size()));
    edits.push_back(ResizeEdit{drawn.size(), p_.interpolation});
    return {};
  }
};

}  // namespace

OperationInfo scale_jitter_operation() { return operation_info<ScaleJitter>(); }

}  // namespace penstock::inline v0
