// RandomResizedCrop: a rectangle of random area and shape, resized; torchvision's rule.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "transforms/image/size_rules.hpp"
#include "transforms/operation_info.hpp"
#include "transforms/python_round.hpp"

namespace penstock::inline v0 {
namespace {

class RandomResizedCrop final
    : public ImageOperation<RandomResizedCrop, transforms::RandomResizedCrop, DrawnBox> {
 public:
  static constexpr const char* kName = "RandomResizedCrop";
  static constexpr const char* kSummary =
      "Keeps a rectangle of random area, shape and position, and resizes it.";
  static constexpr bool kMovesPixels = true;
  using ImageOperation::ImageOperation;

  Status check() const override {
    PENSTOCK_TRY(check_size(kName, p_.size));
    PENSTOCK_TRY(check_range("scale", p_.scale));
    PENSTOCK_TRY(check_range("ratio", p_.ratio));
    return check_antialias(kName, p_.antialias);
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    if (in.is_float()) {
      return geometry_after_values(kName);
    }
    return with_size(in, square_or_pair(p_.size));
  }

  Status draw(const ImageSlots& in, Draws& draws, DrawnBox& drawn) const {
    drawn.set(choose(in.image.size, draws));
    return {};
  }

  Status plan(const ImageSpec& in, const DrawnBox& drawn, ImageEdits& edits) const {
    PENSTOCK_TRY(check_inside(kName, drawn.box(), in.size));
    edits.push_back(CropEdit{drawn.box()});
    edits.push_back(ResizeEdit{square_or_pair(p_.size), p_.interpolation});
    return {};
  }

 private:
  Status check_range(const char* parameter, const std::array<double, 2>& range) const {
    if (!(range[0] > 0) || !(range[0] <= range[1]) || !std::isfinite(range[1])) {
      return wrong(parameter,
                   fmt::format("must be two positive numbers, the smaller one first, got ({}, {})", range[0],
                               range[1]),
                   "");
    }
    return {};
  }

  Rect choose(ImageSize image, Draws& draws) const {
    const double area = static_cast<double>(image.width) * image.height;
    for (int attempt = 0; attempt < 10; ++attempt) {
      const double target = area * draws.uniform(p_.scale[0], p_.scale[1]);
      const double shape = std::exp(draws.uniform(std::log(p_.ratio[0]), std::log(p_.ratio[1])));
      const double w = std::sqrt(target * shape);
      const double h = std::sqrt(target / shape);
      // Compared before they are narrowed: a large scale can exceed int.
      if (w > image.width + 1.0 || h > image.height + 1.0) {
        continue;
      }
      const int width = static_cast<int>(python_round(w));
      const int height = static_cast<int>(python_round(h));
      if (0 < width && width <= image.width && 0 < height && height <= image.height) {
        const auto y = draws.below(static_cast<std::uint64_t>(image.height - height) + 1);
        const auto x = draws.below(static_cast<std::uint64_t>(image.width - width) + 1);
        return {static_cast<int>(x), static_cast<int>(y), width, height};
      }
    }
    return fallback(image);
  }

  /// The largest centred rectangle whose shape is allowed.
  Rect fallback(ImageSize image) const {
    const double shape = static_cast<double>(image.width) / image.height;
    int width = image.width;
    int height = image.height;
    if (shape < p_.ratio[0]) {
      height = static_cast<int>(python_round(width / p_.ratio[0]));
    } else if (shape > p_.ratio[1]) {
      width = static_cast<int>(python_round(height * p_.ratio[1]));
    }
    width = std::max(width, 1);  // torchvision fails on what rounds to nothing
    height = std::max(height, 1);
    return {(image.width - width) / 2, (image.height - height) / 2, width, height};
  }
};

}  // namespace

transforms::RandomResizedCrop::operator TransformPtr() const {
  return std::make_shared<const penstock::RandomResizedCrop>(*this);
}
OperationInfo random_resized_crop_operation() { return operation_info<RandomResizedCrop>(); }

}  // namespace penstock::inline v0
