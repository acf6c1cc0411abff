// ThreeAugment: DeiT III's choice of gray, solarized or blurred, then a change of colours; Pillow's pixels.

#include <array>
#include <utility>

#include "transforms/image/factor_range.hpp"
#include "transforms/image/policy_operation.hpp"

namespace penstock::inline v0 {
namespace {

struct ThreeAugmentParameters {
  OptionalRange color_jitter = std::vector<double>{0.3};

  template <class V>
  void fields(V&& v) {
    v("color_jitter", color_jitter,
      "(min, max) factor of brightness, contrast and saturation; one number c means "
      "(max(0, 1 - c), 1 + c)");
  }
};

class ThreeAugment final : public ImageOperation<ThreeAugment, ThreeAugmentParameters, DrawnPolicy> {
 public:
  static constexpr const char* kName = "ThreeAugment";
  static constexpr const char* kSummary =
      "Makes the image gray, solarizes or blurs it, each as likely, then changes brightness, contrast and "
      "saturation in a random order: DeiT III's augmentation.";
  using ImageOperation::ImageOperation;

  Status check() const override { return check_factors(kName, "color_jitter", p_.color_jitter); }
  Result<ImageSpec> describe(const ImageSpec& in) const override { return same_if_bytes(kName, in); }

  Status draw(const ImageSlots&, Draws& draws, DrawnPolicy& drawn) const {
    auto& steps = drawn.operations.list;
    steps.clear();
    switch (draws.below(3)) {
      case 0:
        steps.push_back({PolicyOp::grayscale});
        break;
      case 1:
        steps.push_back({PolicyOp::solarize, 128});
        break;
      default:
        steps.push_back({PolicyOp::gaussian_blur, static_cast<float>(draws.uniform(0.1, 2.0))});
    }
    if (factor_range(p_.color_jitter, 1)) {
      std::array parts = {PolicyOp::brightness, PolicyOp::contrast, PolicyOp::color};
      for (std::size_t left = parts.size(); left > 1; --left) {
        std::swap(parts[left - 1], parts[static_cast<std::size_t>(draws.below(left))]);
      }
      for (const PolicyOp part : parts) {
        steps.push_back({part, draw_factor(p_.color_jitter, 1, draws)});
      }
    }
    return {};
  }

  Status plan(const ImageSpec& in, const DrawnPolicy& drawn, ImageEdits& edits) const {
    PENSTOCK_TRY(check_steps(kName, drawn.operations));
    push_steps(in, drawn.operations.list, {}, edits);
    return {};
  }
};

}  // namespace

OperationInfo three_augment_operation() { return operation_info<ThreeAugment>(); }

}  // namespace penstock::inline v0
