// Pad: pixels around an image; negative numbers take pixels away.

#include "transforms/image/geometry_rules.hpp"
#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

struct PadParameters {
  RequiredInts padding;
  std::vector<int> fill = {0};
  transforms::PaddingMode padding_mode = transforms::PaddingMode::constant;
  transforms::MaskFill mask_fill = {};

  template <class V>
  void fields(V&& v) {
    v("padding", padding,
      "one number, (left and right, top and bottom), or (left, top, right, bottom); a negative one cuts off");
    v("fill", fill, "value of padded pixels, one number or one per channel; None is 0");
    v("padding_mode", padding_mode, "what padded pixels hold");
    v("mask_fill", mask_fill, transforms::kMaskFillDoc);
  }
};

class Pad final : public ImageOperation<Pad, PadParameters> {
 public:
  static constexpr const char* kName = "Pad";
  static constexpr const char* kSummary = "Adds pixels on the four sides of the image.";
  static constexpr bool kMovesPixels = true;
  using ImageOperation::ImageOperation;

  Status check() const override {
    const auto& numbers = p_.padding.numbers;
    if (numbers.size() != 1 && numbers.size() != 2 && numbers.size() != 4) {
      return wrong("padding", fmt::format("must have 1, 2 or 4 numbers, got {}", numbers.size()), "");
    }
    for (const int pixels : numbers) {
      if (pixels < -(1 << 16) || pixels > 1 << 16) {
        return wrong("padding", fmt::format("must be between -65536 and 65536 pixels, got {}", pixels), "");
      }
    }
    return check_fill(kName, p_.fill, p_.mask_fill);
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    PENSTOCK_TRY(check_fill(kName, p_.fill, in));
    if (in.fixed_size()) {
      PENSTOCK_TRY(check_result(kName, padded(in.size)));
    }
    return moved_spec(kName, in, in.fixed_size() ? padded(in.size) : ImageSize{});
  }

  Status plan(const ImageSpec& in, const NoDraw&, ImageEdits& edits) const {
    PENSTOCK_TRY(check_result(kName, padded(in.size)));
    const auto [left, top, right, bottom] = four_sides(p_.padding.numbers);
    const auto cut = [](int pixels) { return std::max(-pixels, 0); };
    const auto add = [](int pixels) { return std::max(pixels, 0); };
    const Rect kept{cut(left), cut(top), in.size.width - cut(left) - cut(right),
                    in.size.height - cut(top) - cut(bottom)};
    if (kept.width < 1 || kept.height < 1) {
      return Error{ErrorKind::invalid,
                   fmt::format("Pad: negative padding leaves nothing of an image of {} x {} pixels",
                               in.size.width, in.size.height),
                   "exclude images that are this small",
                   {}};
    }
    if (kept != Rect{0, 0, in.size.width, in.size.height}) {
      edits.push_back(CropEdit{kept});
    }
    if (left > 0 || top > 0 || right > 0 || bottom > 0) {
      edits.push_back(
          PadEdit{add(left), add(top), add(right), add(bottom), p_.padding_mode, fill_pixel(p_.fill, in)});
    }
    return {};
  }

 private:
  ImageSize padded(ImageSize image) const {
    const auto [left, top, right, bottom] = four_sides(p_.padding.numbers);
    return {image.width + left + right, image.height + top + bottom};
  }
};

}  // namespace

OperationInfo pad_operation() { return operation_info<Pad>(); }

}  // namespace penstock::inline v0
