// RandomCrop: a rectangle of given size from anywhere in an image that may be padded before.

#include <fmt/format.h>

#include <algorithm>

#include "transforms/image/size_rules.hpp"
#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

struct DrawnPlace {
  int top = 0;
  int left = 0;

  template <class V>
  void fields(V&& v) {
    v("top", top);
    v("left", left);
  }
};

class RandomCrop final : public ImageOperation<RandomCrop, transforms::RandomCrop, DrawnPlace> {
 public:
  static constexpr const char* kName = "RandomCrop";
  static constexpr const char* kSummary = "Keeps a rectangle of the given size at a random position.";
  static constexpr bool kMovesPixels = true;
  using ImageOperation::ImageOperation;

  Status check() const override {
    PENSTOCK_TRY(check_size(kName, p_.size));
    const std::size_t paddings = p_.padding.size();
    if (paddings != 0 && paddings != 1 && paddings != 2 && paddings != 4) {
      return wrong("padding", fmt::format("must have 1, 2 or 4 numbers, got {}", paddings), "");
    }
    for (const int pixels : p_.padding) {
      if (pixels < 0 || pixels > 1 << 16) {
        return wrong("padding", fmt::format("must be between 0 and 65536 pixels, got {}", pixels), "");
      }
    }
    return check_fill(kName, p_.fill);
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    if (in.is_float()) {
      return geometry_after_values(kName);
    }
    PENSTOCK_TRY(check_fill(kName, p_.fill, in));
    return with_size(in, square_or_pair(p_.size));
  }

  Status draw(const ImageSlots& in, Draws& draws, DrawnPlace& drawn) const {
    const ImageSize size = square_or_pair(p_.size);
    const ImageSize padded = pad(in.image, nullptr);
    if (padded.width < size.width || padded.height < size.height) {
      return Error{ErrorKind::invalid,
                   fmt::format("RandomCrop of {} x {} (height x width) is larger than the image of {} x {}",
                               size.height, size.width, padded.height, padded.width),
                   "pass pad_if_needed=True, or resize first",
                   {}};
    }
    drawn.top = static_cast<int>(draws.below(static_cast<std::uint64_t>(padded.height - size.height) + 1));
    drawn.left = static_cast<int>(draws.below(static_cast<std::uint64_t>(padded.width - size.width) + 1));
    return {};
  }

  Status plan(const ImageSpec& in, const DrawnPlace& drawn, ImageEdits& edits) const {
    const ImageSize size = square_or_pair(p_.size);
    const Rect box{drawn.left, drawn.top, size.width, size.height};
    PENSTOCK_TRY(check_inside(kName, box, pad(in, &edits)));
    edits.push_back(CropEdit{box});
    return {};
  }

 private:
  /// The size after padding; the edit to it where it is asked for. All padding is one, as in torchvision v2:
  /// where it mirrors, a second one would mirror the first.
  ImageSize pad(const ImageSpec& in, ImageEdits* edits) const {
    PadEdit edit{.mode = p_.padding_mode, .fill = fill_pixel(p_.fill, in)};
    if (!p_.padding.empty()) {
      const auto& n = p_.padding;
      const std::size_t top = n.size() > 1 ? 1 : 0;
      const bool four = n.size() == 4;
      edit.left = n[0];
      edit.top = n[top];
      edit.right = four ? n[2] : n[0];
      edit.bottom = four ? n[3] : n[top];
    }
    if (p_.pad_if_needed) {
      const ImageSize size = square_or_pair(p_.size);
      const ImageSize image = size_after(in.size, edit);
      const int lacking_x = std::max(size.width - image.width, 0);
      const int lacking_y = std::max(size.height - image.height, 0);
      edit.left += lacking_x;
      edit.right += lacking_x;
      edit.top += lacking_y;
      edit.bottom += lacking_y;
    }
    if (edits != nullptr && edit.left + edit.top + edit.right + edit.bottom > 0) {
      edits->push_back(edit);
    }
    return size_after(in.size, edit);
  }
};

}  // namespace

transforms::RandomCrop::operator TransformPtr() const {
  return std::make_shared<const penstock::RandomCrop>(*this);
}
OperationInfo random_crop_operation() { return operation_info<RandomCrop>(); }

}  // namespace penstock::inline v0
