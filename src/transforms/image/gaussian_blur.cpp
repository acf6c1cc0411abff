// GaussianBlur: torchvision's blur, in float32.

#include <fmt/format.h>

#include <cmath>

#include "transforms/kernels/gaussian_blur.hpp"
#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

struct GaussianParameters {
  transforms::Size kernel_size = {};
  std::vector<double> sigma = {0.1, 2.0};

  template <class V>
  void fields(V&& v) {
    v("kernel_size", kernel_size, "odd number of pixels, or (width, height), that a pixel is made of");
    v("sigma", sigma, "(min, max) standard deviation in pixels, or one number");
  }
};

struct DrawnSigma {
  double sigma = 1;

  template <class V>
  void fields(V&& v) {
    v("sigma", sigma);
  }
};

constexpr int kMaxBlurKernel = 4095;

class GaussianBlur final : public ImageOperation<GaussianBlur, GaussianParameters, DrawnSigma> {
 public:
  static constexpr const char* kName = "GaussianBlur";
  static constexpr const char* kSummary =
      "Blurs as torchvision's GaussianBlur does; its values may differ by 1. PillowGaussianBlur is another "
      "blur.";
  using ImageOperation::ImageOperation;

  Status check() const override {
    const BlurKernel size = kernel();
    for (const int side : {size.width, size.height}) {
      if (side < 1 || side > kMaxBlurKernel || side % 2 == 0) {
        return wrong("kernel_size",
                     fmt::format("must be odd, between 1 and {}, got {}", kMaxBlurKernel, side), "");
      }
    }
    const auto& range = p_.sigma;
    if (range.size() > 2 || !(range.front() > 0) || !(range.front() <= range.back()) ||
        !std::isfinite(range.back())) {
      return wrong("sigma", "must be a positive number, or (min, max) of such numbers", "");
    }
    return {};
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override { return same_if_bytes(kName, in); }

  Status draw(const ImageSlots&, Draws& draws, DrawnSigma& drawn) const {
    drawn.sigma = static_cast<float>(draws.uniform(p_.sigma.front(), p_.sigma.back()));
    return {};
  }

  Status plan(const ImageSpec&, const DrawnSigma& drawn, ImageEdits& edits) const {
    if (!(drawn.sigma > 0) || !std::isfinite(drawn.sigma)) {
      return detail::wrong_drawn(kName, "sigma", fmt::format("must be positive, got {}", drawn.sigma));
    }
    const BlurKernel size = kernel();
    edits.push_back(PixelsEdit{
        .name = "blur",
        .run =
            [](const PixelsEdit& edit, const ConstPixelRows& in, const PixelRows& out, Scratch& scratch) {
              const BlurKernel kernel{static_cast<int>(edit.numbers[0]), static_cast<int>(edit.numbers[1])};
              gaussian_blur(in, out, kernel, edit.numbers[2], scratch);
            },
        .in_place = true,
        .numbers = {static_cast<double>(size.width), static_cast<double>(size.height), drawn.sigma}});
    return {};
  }

 private:
  /// torchvision's order is width, height.
  BlurKernel kernel() const {
    const transforms::Size& size = p_.kernel_size;
    return {size.height, size.width == 0 ? size.height : size.width};
  }
};

}  // namespace

OperationInfo gaussian_blur_operation() { return operation_info<GaussianBlur>(); }

}  // namespace penstock::inline v0
