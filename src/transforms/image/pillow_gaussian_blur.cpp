// PillowGaussianBlur: ImageFilter.GaussianBlur, the blur of DINO, DeiT III, I-JEPA and timm.

#include <fmt/format.h>

#include <cmath>

#include "transforms/image/color_edits.hpp"
#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

struct BlurParameters {
  std::vector<double> radius = {0.1, 2.0};
  double p = 1.0;

  template <class V>
  void fields(V&& v) {
    v("radius", radius, "(min, max) standard deviation in pixels, or one number");
    v("p", p, "probability of blurring");
  }
};

struct DrawnRadius {
  bool apply = false;
  double radius = 0;

  template <class V>
  void fields(V&& v) {
    v("apply", apply);
    v("radius", radius);
  }
};

constexpr double kMaxRadius = 4096;

class PillowGaussianBlur final : public ImageOperation<PillowGaussianBlur, BlurParameters, DrawnRadius> {
 public:
  static constexpr const char* kName = "PillowGaussianBlur";
  static constexpr const char* kSummary =
      "Blurs as Pillow's GaussianBlur does: three box blurs each way, which is not torchvision's blur.";
  using ImageOperation::ImageOperation;

  Status check() const override {
    const auto& r = p_.radius;
    if (r.empty() || r.size() > 2 || !(r.front() >= 0) || !(r.back() <= kMaxRadius) || r.front() > r.back()) {
      return wrong("radius", fmt::format("must be (min, max) between 0 and {}", kMaxRadius), "");
    }
    return check_chance(p_.p);
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override { return same_if_bytes(kName, in); }

  Status draw(const ImageSlots&, Draws& draws, DrawnRadius& drawn) const {
    drawn.apply = draws.chance(p_.p);
    drawn.radius = static_cast<float>(draws.uniform(p_.radius.front(), p_.radius.back()));
    return {};
  }

  Status plan(const ImageSpec&, const DrawnRadius& drawn, ImageEdits& edits) const {
    if (!(drawn.radius >= 0 && drawn.radius <= kMaxRadius)) {
      return detail::wrong_drawn(kName, "radius",
                                 fmt::format("must be between 0 and {}, got {}", kMaxRadius, drawn.radius));
    }
    if (drawn.apply && drawn.radius > 0) {
      edits.push_back(box_blur_edit(drawn.radius));
    }
    return {};
  }
};

}  // namespace

OperationInfo pillow_gaussian_blur_operation() { return operation_info<PillowGaussianBlur>(); }

}  // namespace penstock::inline v0
