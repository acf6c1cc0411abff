// CircularMask: a round window with a soft edge; slipstream's operation.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

struct CircleParameters {
  double blur_span = 8.0;
  double tol = 0.0005;

  template <class V>
  void fields(V&& v) {
    v("blur_span", blur_span, "width of the soft edge in pixels, inside half the image's height");
    v("tol", tol, "what is left of a value at the end of the soft edge, at most");
  }
};

/// What values of one row are multiplied with, for its left half and the middle: the rest is mirrored.
class SoftCircle {
 public:
  SoftCircle(ImageSize size, double blur_span, double tol)
      : size_(size), radius_(size.height / 2.0 - blur_span), scale_(blur_span) {
    while (std::exp(-0.5 * (blur_span / scale_) * (blur_span / scale_)) > tol) {
      scale_ *= 0.975;
    }
  }

  /// Calls each(x, mirrored x, share).
  template <class Each>
  void row(int y, Each each) const {
    const double down = y - (size_.height - 1) / 2.0;
    for (int x = 0; x < (size_.width + 1) / 2; ++x) {
      const double across = x - (size_.width - 1) / 2.0;
      const double beyond = std::sqrt(down * down + across * across) - radius_;
      const double share = beyond < 0 ? 1.0 : std::exp(-0.5 * (beyond / scale_) * (beyond / scale_));
      each(x, size_.width - 1 - x, static_cast<float>(share));
    }
  }

 private:
  ImageSize size_;
  double radius_;
  double scale_;
};

template <class Edit>
SoftCircle circle_of(const Edit& edit, ImageSize size) {
  return {size, edit.numbers[0], edit.numbers[1]};
}

void mask_bytes(const PixelsEdit& edit, const ConstPixelRows& in, const PixelRows& out, Scratch&) {
  const SoftCircle circle = circle_of(edit, in.size);
  const int colors = std::min(in.channels, 3);
  for (int y = 0; y < in.size.height; ++y) {
    circle.row(y, [&](int left, int right, float share) {
      const auto fade = [&](int x) {
        for (int i = x * in.channels; i < x * in.channels + colors; ++i) {
          out.row(y)[i] = static_cast<std::uint8_t>(std::nearbyint(share * in.row(y)[i]));
        }
      };
      fade(left);
      if (left != right) {
        fade(right);
      }
    });
  }
}

void mask_floats(const FloatEdit& edit, const FloatRows& image) {
  const SoftCircle circle = circle_of(edit, image.size);
  for (int y = 0; y < image.size.height; ++y) {
    circle.row(y, [&](int left, int right, float share) {
      for (int c = 0; c < image.channels; ++c) {
        image.at(left, y, c) *= share;
        if (left != right) {
          image.at(right, y, c) *= share;
        }
      }
    });
  }
}

class CircularMask final : public ImageOperation<CircularMask, CircleParameters> {
 public:
  static constexpr const char* kName = "CircularMask";
  static constexpr const char* kSummary =
      "Fades images to black outside a circle, with a soft edge; transparency stays.";
  using ImageOperation::ImageOperation;

  Status check() const override {
    if (!(p_.blur_span > 0) || !std::isfinite(p_.blur_span)) {
      return wrong("blur_span", fmt::format("must be positive, got {}", p_.blur_span), "");
    }
    if (!(p_.tol >= 1e-30) || !(p_.tol < 1)) {
      return wrong("tol", fmt::format("must be between 1e-30 and 1, got {}", p_.tol), "");
    }
    return {};
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    if (in.type != ElementType::float32) {
      return same_if_bytes(kName, in);
    }
    ImageSpec out = in;
    out.values_done = true;
    return out;
  }

  Status plan(const ImageSpec& in, const NoDraw&, ImageEdits& edits) const {
    const std::array<double, 8> numbers{p_.blur_span, p_.tol};
    if (in.is_float()) {
      edits.push_back(FloatEdit{.name = "circle", .run = &mask_floats, .numbers = numbers});
    } else {
      edits.push_back(PixelsEdit{.name = "circle", .run = &mask_bytes, .in_place = true, .numbers = numbers});
    }
    return {};
  }
};

}  // namespace

OperationInfo circular_mask_operation() { return operation_info<CircularMask>(); }

}  // namespace penstock::inline v0
