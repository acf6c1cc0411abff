// RandAugment: some operations, each as likely, all with one magnitude; torchvision's on Pillow images.

#include <iterator>

#include "transforms/image/policy_operation.hpp"

namespace penstock::inline v0 {
namespace {

struct RandAugmentParameters {
  int num_ops = 2;
  int magnitude = 9;
  int num_magnitude_bins = 31;
  transforms::Interpolation interpolation = transforms::Interpolation::nearest;
  std::vector<int> fill = {};
  transforms::MaskFill mask_fill = {};

  template <class V>
  void fields(V&& v) {
    v("num_ops", num_ops, "how many operations run");
    v("magnitude", magnitude, "how strong they are: 0 to num_magnitude_bins - 1");
    v("num_magnitude_bins", num_magnitude_bins, "how many magnitudes there are");
    v("interpolation", interpolation, kPolicyFilterDoc);
    v("fill", fill, kPolicyFillDoc);
    v("mask_fill", mask_fill, transforms::kMaskFillDoc);
  }
};

class RandAugment final : public PolicyOperation<RandAugment, RandAugmentParameters> {
 public:
  static constexpr const char* kName = "RandAugment";
  static constexpr const char* kSummary =
      "Runs some operations of 14, chosen at random, with one magnitude; those that move pixels move masks, "
      "boxes and points too.";
  using PolicyOperation::PolicyOperation;

  Status check() const override {
    constexpr int kMaxOps = 1000;
    if (p_.num_ops < 0 || p_.num_ops > kMaxOps) {
      return wrong("num_ops", fmt::format("must be between 0 and {}, got {}", kMaxOps, p_.num_ops), "");
    }
    PENSTOCK_TRY(check_bins(p_.num_magnitude_bins));
    if (p_.magnitude < 0 || p_.magnitude >= p_.num_magnitude_bins) {
      return wrong("magnitude",
                   fmt::format("must be between 0 and {}, got {}", p_.num_magnitude_bins - 1, p_.magnitude),
                   "num_magnitude_bins says how many there are");
    }
    return PolicyOperation::check();
  }

  Status draw(const ImageSlots& in, Draws& draws, DrawnPolicy& drawn) const {
    drawn.operations.list.clear();
    for (int i = 0; i < p_.num_ops; ++i) {
      const PolicyOp op = kRandAugmentOps[draws.below(std::size(kRandAugmentOps))];
      drawn.operations.list.push_back(
          step_of_magnitude(op, p_.magnitude, p_.num_magnitude_bins, {}, in.image.size, draws));
    }
    return {};
  }
};

}  // namespace

OperationInfo rand_augment_operation() { return operation_info<RandAugment>(); }

}  // namespace penstock::inline v0
