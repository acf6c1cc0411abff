// Cutout: one square somewhere in the image; FFCV's operation.

#include <fmt/format.h>

#include "transforms/image/fill_edit.hpp"
#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

struct CutoutParameters {
  RequiredInt crop_size;
  std::vector<double> fill = {0.0};

  template <class V>
  void fields(V&& v) {
    v("crop_size", crop_size, "side of the square in pixels; an image that is smaller is all of it");
    v("fill", fill, "what its pixels become: one number, or one for each channel");
  }
};

class Cutout final : public ImageOperation<Cutout, CutoutParameters, DrawnBox> {
 public:
  static constexpr const char* kName = "Cutout";
  static constexpr const char* kSummary = "Fills one square, anywhere inside the image.";
  using ImageOperation::ImageOperation;

  Status check() const override {
    if (p_.crop_size.value < 1) {
      return wrong("crop_size", fmt::format("must be positive, got {}", p_.crop_size.value), "");
    }
    return check_fill(kName, "fill", p_.fill);
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    return describe_erased(kName, "fill", p_.fill, in);
  }

  Status draw(const ImageSlots& in, Draws& draws, DrawnBox& drawn) const {
    const auto [width, height] = in.image.size;
    drawn.height = std::min(p_.crop_size.value, height);
    drawn.width = std::min(p_.crop_size.value, width);
    drawn.top = static_cast<int>(draws.below(static_cast<std::uint64_t>(height - drawn.height) + 1));
    drawn.left = static_cast<int>(draws.below(static_cast<std::uint64_t>(width - drawn.width) + 1));
    return {};
  }

  Status plan(const ImageSpec& in, const DrawnBox& drawn, ImageEdits& edits) const {
    PENSTOCK_TRY(check_inside(kName, drawn.box(), in.size));
    push_fill(in, drawn.box(), p_.fill, edits);
    return {};
  }
};

}  // namespace

OperationInfo cutout_operation() { return operation_info<Cutout>(); }

}  // namespace penstock::inline v0
