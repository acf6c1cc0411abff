// RandomResize: Resize to a drawn length of the shorter side.

#include "transforms/image/geometry_rules.hpp"
#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

struct RandomResizeParameters {
  int min_size = 0;
  int max_size = 0;
  transforms::Interpolation interpolation = transforms::Interpolation::bilinear;
  bool antialias = true;

  template <class V>
  void fields(V&& v) {
    v("min_size", min_size, "shortest length of the shorter side");
    v("max_size", max_size, "lengths are drawn below this one; min_size itself means that length");
    v("interpolation", interpolation, "Pillow's filter");
    v("antialias", antialias, "must be True: Pillow always antialiases when it shrinks an image");
  }
};

struct DrawnLength {
  int size = 0;

  template <class V>
  void fields(V&& v) {
    v("size", size);
  }
};

class RandomResize final : public ImageOperation<RandomResize, RandomResizeParameters, DrawnLength> {
 public:
  static constexpr const char* kName = "RandomResize";
  static constexpr const char* kSummary = "Resizes the image so that its shorter side has a random length.";
  static constexpr bool kMovesPixels = true;
  using ImageOperation::ImageOperation;

  Status check() const override {
    constexpr int kMax = 1 << 16;
    if (p_.min_size < 1 || p_.max_size > kMax || p_.min_size > p_.max_size) {
      return wrong("min_size", "and max_size must be between 1 and 65536 pixels, the smaller one first", "");
    }
    return check_antialias(kName, p_.antialias);
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override { return moved_spec(kName, in, {}); }

  Status draw(const ImageSlots&, Draws& draws, DrawnLength& drawn) const {
    const int choices = std::max(p_.max_size - p_.min_size, 1);
    drawn.size = p_.min_size + static_cast<int>(draws.below(static_cast<std::uint64_t>(choices)));
    return {};
  }

  Status plan(const ImageSpec& in, const DrawnLength& drawn, ImageEdits& edits) const {
    const ImageSize size = shorter_side_to(in.size, drawn.size, {});
    PENSTOCK_TRY(check_result(kName, size));
    edits.push_back(ResizeEdit{size, p_.interpolation});
    return {};
  }
};

}  // namespace

OperationInfo random_resize_operation() { return operation_info<RandomResize>(); }

}  // namespace penstock::inline v0
