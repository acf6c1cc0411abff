// TrivialAugmentWide: one operation of one magnitude, each as likely; torchvision's on Pillow images.

#include <iterator>

#include "transforms/image/policy_operation.hpp"

namespace penstock::inline v0 {
namespace {

struct TrivialAugmentParameters {
  int num_magnitude_bins = 31;
  transforms::Interpolation interpolation = transforms::Interpolation::nearest;
  std::vector<int> fill = {};
  transforms::MaskFill mask_fill = {};

  template <class V>
  void fields(V&& v) {
    v("num_magnitude_bins", num_magnitude_bins, "how many magnitudes there are");
    v("interpolation", interpolation, kPolicyFilterDoc);
    v("fill", fill, kPolicyFillDoc);
    v("mask_fill", mask_fill, transforms::kMaskFillDoc);
  }
};

constexpr PolicyRanges kWideRanges = {
    .shear = 0.99, .translate_pixels = 32, .rotate = 135, .enhance = 0.99, .posterize_by = 6};

class TrivialAugmentWide final : public PolicyOperation<TrivialAugmentWide, TrivialAugmentParameters> {
 public:
  static constexpr const char* kName = "TrivialAugmentWide";
  static constexpr const char* kSummary =
      "Runs one operation of 14 with one of many magnitudes, both chosen at random; one that moves pixels "
      "moves masks, boxes and points too.";
  using PolicyOperation::PolicyOperation;

  Status check() const override {
    PENSTOCK_TRY(check_bins(p_.num_magnitude_bins));
    return PolicyOperation::check();
  }

  Status draw(const ImageSlots& in, Draws& draws, DrawnPolicy& drawn) const {
    const PolicyOp op = kRandAugmentOps[draws.below(std::size(kRandAugmentOps))];
    const auto bin = static_cast<int>(draws.below(static_cast<std::uint64_t>(p_.num_magnitude_bins)));
    drawn.operations.list.assign(
        1, step_of_magnitude(op, bin, p_.num_magnitude_bins, kWideRanges, in.image.size, draws));
    return {};
  }
};

}  // namespace

OperationInfo trivial_augment_wide_operation() { return operation_info<TrivialAugmentWide>(); }

}  // namespace penstock::inline v0
