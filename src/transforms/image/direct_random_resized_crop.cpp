// DirectRandomResizedCrop: RandomResizedCrop without tries that fail: every draw is a crop that fits.

#include "transforms/image/geometry_rules.hpp"
#include "transforms/operation_info.hpp"
#include "transforms/python_round.hpp"

namespace penstock::inline v0 {
namespace {

struct DirectCropParameters {
  transforms::Size size;
  std::array<double, 2> scale = {0.08, 1.0};
  std::array<double, 2> ratio = {3.0 / 4.0, 4.0 / 3.0};
  transforms::Interpolation interpolation = transforms::Interpolation::bilinear;
  bool antialias = true;

  template <class V>
  void fields(V&& v) {
    v("size", size, "side of a square, or (height, width), of the result");
    v("scale", scale, "min and max area of the crop, as a share of the image's");
    v("ratio", ratio, "min and max width / height of the crop, as far as a crop of such an area fits");
    v("interpolation", interpolation, "Pillow's filter");
    v("antialias", antialias, "must be True: Pillow always antialiases when it shrinks an image");
  }
};

class DirectRandomResizedCrop final
    : public ImageOperation<DirectRandomResizedCrop, DirectCropParameters, DrawnBox> {
 public:
  static constexpr const char* kName = "DirectRandomResizedCrop";
  static constexpr const char* kSummary =
      "RandomResizedCrop without failing tries: a ratio, then the longer side, then a place, all uniform "
      "among those that fit.";
  static constexpr bool kMovesPixels = true;
  using ImageOperation::ImageOperation;

  Status check() const override {
    PENSTOCK_TRY(check_size(kName, p_.size));
    const auto good = [](const std::array<double, 2>& range, double most) {
      return range[0] > 0 && range[0] <= range[1] && range[1] <= most;
    };
    if (!good(p_.scale, 1)) {
      return wrong("scale", "must be two positive numbers up to 1, the smaller one first", "");
    }
    if (!good(p_.ratio, 1e6)) {
      return wrong("ratio", "must be two positive numbers, the smaller one first", "");
    }
    return check_antialias(kName, p_.antialias);
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    return moved_spec(kName, in, square_or_pair(p_.size));
  }

  Status draw(const ImageSlots& in, Draws& draws, DrawnBox& drawn) const {
    const auto [image_width, image_height] = in.image.size;
    const double w = image_width;
    const double h = image_height;
    // Ratios at which a crop of the least area fits; one nearest to them where none is allowed.
    const double least = w * p_.scale[0] / h;
    const double most = w / (h * p_.scale[0]);
    const double low = std::clamp(p_.ratio[0], least, most);
    const double high = std::clamp(p_.ratio[1], least, most);
    const double ratio = std::exp(draws.uniform(std::log(low), std::log(high)));
    // The longer side of a crop of this ratio, for the least and the largest area.
    const double stretch = std::max(ratio, 1 / ratio);
    const double longest = ratio >= 1 ? std::min(w, h * ratio) : std::min(h, w / ratio);
    const double to = std::min(std::sqrt(w * h * p_.scale[1] * stretch), longest);
    const double from = std::min(std::sqrt(w * h * p_.scale[0] * stretch), to);
    const double longer = draws.uniform(from, to);
    const double shorter = longer / stretch;
    const auto whole = [](double length, int limit) {
      return std::clamp(static_cast<int>(python_round(length)), 1, limit);
    };
    const int width = whole(ratio >= 1 ? longer : shorter, image_width);
    const int height = whole(ratio >= 1 ? shorter : longer, image_height);
    const auto y = draws.below(static_cast<std::uint64_t>(image_height - height) + 1);
    const auto x = draws.below(static_cast<std::uint64_t>(image_width - width) + 1);
    drawn.set({static_cast<int>(x), static_cast<int>(y), width, height});
    return {};
  }

  Status plan(const ImageSpec& in, const DrawnBox& drawn, ImageEdits& edits) const {
    PENSTOCK_TRY(check_inside(kName, drawn.box(), in.size));
    edits.push_back(CropEdit{drawn.box()});
    edits.push_back(ResizeEdit{square_or_pair(p_.size), p_.interpolation});
    return {};
  }
};

}  // namespace

OperationInfo direct_random_resized_crop_operation() { return operation_info<DirectRandomResizedCrop>(); }

}  // namespace penstock::inline v0
