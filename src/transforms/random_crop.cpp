// RandomCrop: a rectangle of given size from anywhere in an image that may be padded before.

#include <fmt/format.h>

#include <algorithm>

#include "transforms/operation_info.hpp"
#include "transforms/size_rules.hpp"

namespace penstock::inline v0 {
namespace {

class RandomCrop final : public Operation<RandomCrop, transforms::RandomCrop> {
 public:
  static constexpr const char* kName = "RandomCrop";
  static constexpr const char* kSummary = "Keeps a rectangle of the given size at a random position.";
  using Operation::Operation;

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
    if (p_.fill.size() > 1 && p_.fill.size() != 3) {
      return wrong("fill", fmt::format("must have 1 or 3 numbers, got {}", p_.fill.size()), "");
    }
    for (const int value : p_.fill) {
      if (value < 0 || value > 255) {
        return wrong("fill", fmt::format("must be between 0 and 255, got {}", value), "");
      }
    }
    return {};
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    if (in.type != ElementType::uint8) {
      return geometry_after_values(kName);
    }
    return ImageSpec{square_or_pair(p_.size), in.type};
  }

  Status plan(ImageSize image, Draws& draws, GeometrySteps& steps) const override {
    const ImageSize size = square_or_pair(p_.size);
    if (!p_.padding.empty()) {
      const auto& n = p_.padding;
      const std::size_t top = n.size() > 1 ? 1 : 0;
      const bool four = n.size() == 4;
      pad(n[0], n[top], four ? n[2] : n[0], four ? n[3] : n[top], image, steps);
    }
    if (p_.pad_if_needed) {
      const int lacking_x = std::max(size.width - image.width, 0);
      pad(lacking_x, 0, lacking_x, 0, image, steps);
      const int lacking_y = std::max(size.height - image.height, 0);
      pad(0, lacking_y, 0, lacking_y, image, steps);
    }
    if (image.width < size.width || image.height < size.height) {
      return Error{ErrorKind::invalid,
                   fmt::format("RandomCrop of {} x {} (height x width) is larger than the image of {} x {}",
                               size.height, size.width, image.height, image.width),
                   "pass pad_if_needed=True, or resize first",
                   {}};
    }
    const auto y = static_cast<int>(draws.below(static_cast<std::uint64_t>(image.height - size.height) + 1));
    const auto x = static_cast<int>(draws.below(static_cast<std::uint64_t>(image.width - size.width) + 1));
    steps.push_back(CropStep{{x, y, size.width, size.height}});
    return {};
  }

 private:
  void pad(int left, int top, int right, int bottom, ImageSize& image, GeometrySteps& steps) const {
    if (left + top + right + bottom == 0) {
      return;
    }
    PadStep step{left, top, right, bottom, p_.padding_mode, {}};
    for (std::size_t channel = 0; channel < 3 && !p_.fill.empty(); ++channel) {
      step.fill[channel] = static_cast<std::uint8_t>(p_.fill[p_.fill.size() == 1 ? 0 : channel]);
    }
    steps.push_back(step);
    image = size_after(image, steps.back());
  }
};

}  // namespace

transforms::RandomCrop::operator TransformPtr() const {
  return std::make_shared<const penstock::RandomCrop>(*this);
}
OperationInfo random_crop_operation() { return operation_info<RandomCrop>(); }

}  // namespace penstock::inline v0
