// RandomShortestSize: Resize to one of some lengths of the shorter side; torchvision's rule.

#include "transforms/image/geometry_rules.hpp"
#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

struct ShortestSizeParameters {
  RequiredInts min_size;
  std::optional<int> max_size;
  transforms::Interpolation interpolation = transforms::Interpolation::bilinear;
  bool antialias = true;

  template <class V>
  void fields(V&& v) {
    v("min_size", min_size, "length of the shorter side, or several of which one is drawn");
    v("max_size", max_size, "the longer side is at most this long");
    v("interpolation", interpolation, "Pillow's filter");
    v("antialias", antialias, "must be True: Pillow always antialiases when it shrinks an image");
  }
};

class RandomShortestSize final
    : public ImageOperation<RandomShortestSize, ShortestSizeParameters, DrawnSize> {
 public:
  static constexpr const char* kName = "RandomShortestSize";
  static constexpr const char* kSummary =
      "Resizes the image so that its shorter side has one of the given lengths.";
  static constexpr bool kMovesPixels = true;
  using ImageOperation::ImageOperation;

  Status check() const override {
    for (const int length : p_.min_size.numbers) {
      if (length < 1 || length > 1 << 16) {
        return wrong("min_size", fmt::format("must be between 1 and 65536 pixels, got {}", length), "");
      }
    }
    if (p_.max_size && *p_.max_size < 1) {
      return wrong("max_size", "must be at least 1", "");
    }
    return check_antialias(kName, p_.antialias);
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override { return moved_spec(kName, in, {}); }

  Status draw(const ImageSlots& in, Draws& draws, DrawnSize& drawn) const {
    const auto& lengths = p_.min_size.numbers;
    const int length = lengths[draws.below(lengths.size())];
    const auto [width, height] = in.image.size;
    double ratio = static_cast<double>(length) / std::min(width, height);
    if (p_.max_size) {
      ratio = std::min(ratio, static_cast<double>(*p_.max_size) / std::max(width, height));
    }
    drawn.set({narrowed(std::trunc(width * ratio)), narrowed(std::trunc(height * ratio))});
    return {};
  }

  Status plan(const ImageSpec&, const DrawnSize& drawn, ImageEdits& edits) const {
    PENSTOCK_TRY(check_result(kName, drawn.size()));
    edits.push_back(ResizeEdit{drawn.size(), p_.interpolation});
    return {};
  }
};

}  // namespace

OperationInfo random_shortest_size_operation() { return operation_info<RandomShortestSize>(); }

}  // namespace penstock::inline v0
