// RandomIoUCrop: a crop that overlaps a box enough; torchvision's rule, but that it gives up after some
// draws.

#include "transforms/image/geometry_rules.hpp"
#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

struct IoUCropParameters {
  double min_scale = 0.3;
  double max_scale = 1.0;
  double min_aspect_ratio = 0.5;
  double max_aspect_ratio = 2.0;
  std::optional<std::vector<double>> sampler_options;
  int trials = 40;

  template <class V>
  void fields(V&& v) {
    v("min_scale", min_scale, "least share of each side");
    v("max_scale", max_scale, "largest share of each side");
    v("min_aspect_ratio", min_aspect_ratio, "least width / height of the crop");
    v("max_aspect_ratio", max_aspect_ratio, "largest width / height of the crop");
    v("sampler_options", sampler_options,
      "overlaps (intersection over union with a box) of which one is asked for; 1 or more leaves the image "
      "as "
      "it is; None is 0, 0.1, 0.3, 0.5, 0.7, 0.9 and 1");
    v("trials", trials, "crops to try before another overlap is drawn");
  }
};

/// Overlaps that are drawn before the image is left as it is; torchvision goes on without end.
constexpr int kOverlapsTried = 50;

/// How much of both together a box and a rectangle share.
double overlap(const float* box, const Rect& with) {
  const double width = std::min<double>(box[2], with.x + with.width) - std::max<double>(box[0], with.x);
  const double height = std::min<double>(box[3], with.y + with.height) - std::max<double>(box[1], with.y);
  const double common = std::max(width, 0.0) * std::max(height, 0.0);
  const double box_area = (static_cast<double>(box[2]) - static_cast<double>(box[0])) *
                          (static_cast<double>(box[3]) - static_cast<double>(box[1]));
  return common / (box_area + static_cast<double>(with.width) * with.height - common);
}

class RandomIoUCrop final : public ImageOperation<RandomIoUCrop, IoUCropParameters, DrawnBox> {
 public:
  static constexpr const char* kName = "RandomIoUCrop";
  static constexpr const char* kSummary =
      "Keeps a random rectangle that overlaps a box by a random share. Boxes whose centre is outside become "
      "0, 0, 0, 0; an image without boxes is cropped anywhere.";
  static constexpr bool kMovesPixels = true;
  using ImageOperation::ImageOperation;

  Status check() const override {
    if (!(p_.min_scale > 0) || !(p_.min_scale <= p_.max_scale) || !(p_.max_scale <= 1)) {
      return wrong("min_scale", "and max_scale must be positive and at most 1, the smaller one first", "");
    }
    if (!(p_.min_aspect_ratio > 0) || !(p_.min_aspect_ratio <= p_.max_aspect_ratio)) {
      return wrong("min_aspect_ratio", "and max_aspect_ratio must be positive, the smaller one first", "");
    }
    if (p_.trials < 1 || p_.trials > 10000) {
      return wrong("trials", "must be between 1 and 10000", "");
    }
    for (const double option : options()) {
      if (!(option >= 0)) {
        return wrong("sampler_options", "must not be negative", "");
      }
    }
    return {};
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override { return moved_spec(kName, in, {}); }

  Status draw(const ImageSlots& in, Draws& draws, DrawnBox& drawn) const {
    const ImageSize image = in.image.size;
    const std::vector<double> overlaps = options();
    drawn.set({0, 0, image.width, image.height});
    for (int tried = 0; tried < kOverlapsTried; ++tried) {
      const double least = overlaps[draws.below(overlaps.size())];
      if (least >= 1) {
        return {};
      }
      for (int trial = 0; trial < p_.trials; ++trial) {
        if (const Rect crop = any_crop(image, draws);
            crop.width > 0 && overlaps_enough(in.boxes, crop, least)) {
          drawn.set(crop);
          return {};
        }
      }
    }
    return {};
  }

  Status plan(const ImageSpec& in, const DrawnBox& drawn, ImageEdits& edits) const {
    PENSTOCK_TRY(check_inside(kName, drawn.box(), in.size));
    if (drawn.box() != Rect{0, 0, in.size.width, in.size.height}) {
      edits.push_back(CropEdit{.box = drawn.box(), .centers_only = true});
    }
    return {};
  }

 private:
  std::vector<double> options() const {
    return p_.sampler_options.value_or(std::vector<double>{0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0});
  }

  /// Of no width where its shape is not allowed. In float32, as torchvision computes it.
  Rect any_crop(ImageSize image, Draws& draws) const {
    const auto scale = [&] {
      return static_cast<float>(p_.min_scale) +
             static_cast<float>(p_.max_scale - p_.min_scale) * unit_float(draws);
    };
    const int width = static_cast<int>(static_cast<float>(image.width) * scale());
    const int height = static_cast<int>(static_cast<float>(image.height) * scale());
    const double ratio = height > 0 ? static_cast<double>(width) / height : 0;
    if (width < 1 || !(ratio >= p_.min_aspect_ratio && ratio <= p_.max_aspect_ratio)) {
      return {};
    }
    const int left = static_cast<int>(static_cast<float>(image.width - width) * unit_float(draws));
    const int top = static_cast<int>(static_cast<float>(image.height - height) * unit_float(draws));
    return {left, top, width, height};
  }

  static bool overlaps_enough(std::span<const float> boxes, const Rect& crop, double least) {
    for (std::size_t i = 0; i + 4 <= boxes.size(); i += 4) {
      const float* box = boxes.data() + i;
      if (has_center_inside(box, crop) && overlap(box, crop) >= least) {
        return true;
      }
    }
    return boxes.empty();
  }
};

}  // namespace

OperationInfo random_iou_crop_operation() { return operation_info<RandomIoUCrop>(); }

}  // namespace penstock::inline v0
