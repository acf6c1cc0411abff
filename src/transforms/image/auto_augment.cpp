// AutoAugment: one of 25 pairs of operations; torchvision's policies on Pillow images.

#include <array>

#include "transforms/image/policy_operation.hpp"

namespace penstock::inline v0 {

enum class AutoAugmentPolicy : std::uint8_t { imagenet, cifar10, svhn };
template <>
struct EnumNames<AutoAugmentPolicy> {
  static constexpr std::array<std::string_view, 3> kNames = {"imagenet", "cifar10", "svhn"};
  static constexpr std::string_view kType = "Literal['imagenet', 'cifar10', 'svhn']";
};

namespace {

struct PairPart {
  PolicyOp op = PolicyOp::identity;
  double p = 0;  ///< probability of its being done
  int bin = 0;   ///< of kBins magnitudes, where it has one
};
using PairList = std::array<std::array<PairPart, 2>, 25>;
constexpr int kBins = 10;

constexpr PairList kImageNetPairs = {{
    {{{PolicyOp::posterize, 0.4, 8}, {PolicyOp::rotate, 0.6, 9}}},
    {{{PolicyOp::solarize, 0.6, 5}, {PolicyOp::auto_contrast, 0.6, 0}}},
    {{{PolicyOp::equalize, 0.8, 0}, {PolicyOp::equalize, 0.6, 0}}},
    {{{PolicyOp::posterize, 0.6, 7}, {PolicyOp::posterize, 0.6, 6}}},
    {{{PolicyOp::equalize, 0.4, 0}, {PolicyOp::solarize, 0.2, 4}}},
    {{{PolicyOp::equalize, 0.4, 0}, {PolicyOp::rotate, 0.8, 8}}},
    {{{PolicyOp::solarize, 0.6, 3}, {PolicyOp::equalize, 0.6, 0}}},
    {{{PolicyOp::posterize, 0.8, 5}, {PolicyOp::equalize, 1.0, 0}}},
    {{{PolicyOp::rotate, 0.2, 3}, {PolicyOp::solarize, 0.6, 8}}},
    {{{PolicyOp::equalize, 0.6, 0}, {PolicyOp::posterize, 0.4, 6}}},
    {{{PolicyOp::rotate, 0.8, 8}, {PolicyOp::color, 0.4, 0}}},
    {{{PolicyOp::rotate, 0.4, 9}, {PolicyOp::equalize, 0.6, 0}}},
    {{{PolicyOp::equalize, 0.0, 0}, {PolicyOp::equalize, 0.8, 0}}},
    {{{PolicyOp::invert, 0.6, 0}, {PolicyOp::equalize, 1.0, 0}}},
    {{{PolicyOp::color, 0.6, 4}, {PolicyOp::contrast, 1.0, 8}}},
    {{{PolicyOp::rotate, 0.8, 8}, {PolicyOp::color, 1.0, 2}}},
    {{{PolicyOp::color, 0.8, 8}, {PolicyOp::solarize, 0.8, 7}}},
    {{{PolicyOp::sharpness, 0.4, 7}, {PolicyOp::invert, 0.6, 0}}},
    {{{PolicyOp::shear_x, 0.6, 5}, {PolicyOp::equalize, 1.0, 0}}},
    {{{PolicyOp::color, 0.4, 0}, {PolicyOp::equalize, 0.6, 0}}},
    {{{PolicyOp::equalize, 0.4, 0}, {PolicyOp::solarize, 0.2, 4}}},
    {{{PolicyOp::solarize, 0.6, 5}, {PolicyOp::auto_contrast, 0.6, 0}}},
    {{{PolicyOp::invert, 0.6, 0}, {PolicyOp::equalize, 1.0, 0}}},
    {{{PolicyOp::color, 0.6, 4}, {PolicyOp::contrast, 1.0, 8}}},
    {{{PolicyOp::equalize, 0.8, 0}, {PolicyOp::equalize, 0.6, 0}}},
}};

constexpr PairList kCifar10Pairs = {{
    {{{PolicyOp::invert, 0.1, 0}, {PolicyOp::contrast, 0.2, 6}}},
    {{{PolicyOp::rotate, 0.7, 2}, {PolicyOp::translate_x, 0.3, 9}}},
    {{{PolicyOp::sharpness, 0.8, 1}, {PolicyOp::sharpness, 0.9, 3}}},
    {{{PolicyOp::shear_y, 0.5, 8}, {PolicyOp::translate_y, 0.7, 9}}},
    {{{PolicyOp::auto_contrast, 0.5, 0}, {PolicyOp::equalize, 0.9, 0}}},
    {{{PolicyOp::shear_y, 0.2, 7}, {PolicyOp::posterize, 0.3, 7}}},
    {{{PolicyOp::color, 0.4, 3}, {PolicyOp::brightness, 0.6, 7}}},
    {{{PolicyOp::sharpness, 0.3, 9}, {PolicyOp::brightness, 0.7, 9}}},
    {{{PolicyOp::equalize, 0.6, 0}, {PolicyOp::equalize, 0.5, 0}}},
    {{{PolicyOp::contrast, 0.6, 7}, {PolicyOp::sharpness, 0.6, 5}}},
    {{{PolicyOp::color, 0.7, 7}, {PolicyOp::translate_x, 0.5, 8}}},
    {{{PolicyOp::equalize, 0.3, 0}, {PolicyOp::auto_contrast, 0.4, 0}}},
    {{{PolicyOp::translate_y, 0.4, 3}, {PolicyOp::sharpness, 0.2, 6}}},
    {{{PolicyOp::brightness, 0.9, 6}, {PolicyOp::color, 0.2, 8}}},
    {{{PolicyOp::solarize, 0.5, 2}, {PolicyOp::invert, 0.0, 0}}},
    {{{PolicyOp::equalize, 0.2, 0}, {PolicyOp::auto_contrast, 0.6, 0}}},
    {{{PolicyOp::equalize, 0.2, 0}, {PolicyOp::equalize, 0.6, 0}}},
    {{{PolicyOp::color, 0.9, 9}, {PolicyOp::equalize, 0.6, 0}}},
    {{{PolicyOp::auto_contrast, 0.8, 0}, {PolicyOp::solarize, 0.2, 8}}},
    {{{PolicyOp::brightness, 0.1, 3}, {PolicyOp::color, 0.7, 0}}},
    {{{PolicyOp::solarize, 0.4, 5}, {PolicyOp::auto_contrast, 0.9, 0}}},
    {{{PolicyOp::translate_y, 0.9, 9}, {PolicyOp::translate_y, 0.7, 9}}},
    {{{PolicyOp::auto_contrast, 0.9, 0}, {PolicyOp::solarize, 0.8, 3}}},
    {{{PolicyOp::equalize, 0.8, 0}, {PolicyOp::invert, 0.1, 0}}},
    {{{PolicyOp::translate_y, 0.7, 9}, {PolicyOp::auto_contrast, 0.9, 0}}},
}};

constexpr PairList kSvhnPairs = {{
    {{{PolicyOp::shear_x, 0.9, 4}, {PolicyOp::invert, 0.2, 0}}},
    {{{PolicyOp::shear_y, 0.9, 8}, {PolicyOp::invert, 0.7, 0}}},
    {{{PolicyOp::equalize, 0.6, 0}, {PolicyOp::solarize, 0.6, 6}}},
    {{{PolicyOp::invert, 0.9, 0}, {PolicyOp::equalize, 0.6, 0}}},
    {{{PolicyOp::equalize, 0.6, 0}, {PolicyOp::rotate, 0.9, 3}}},
    {{{PolicyOp::shear_x, 0.9, 4}, {PolicyOp::auto_contrast, 0.8, 0}}},
    {{{PolicyOp::shear_y, 0.9, 8}, {PolicyOp::invert, 0.4, 0}}},
    {{{PolicyOp::shear_y, 0.9, 5}, {PolicyOp::solarize, 0.2, 6}}},
    {{{PolicyOp::invert, 0.9, 0}, {PolicyOp::auto_contrast, 0.8, 0}}},
    {{{PolicyOp::equalize, 0.6, 0}, {PolicyOp::rotate, 0.9, 3}}},
    {{{PolicyOp::shear_x, 0.9, 4}, {PolicyOp::solarize, 0.3, 3}}},
    {{{PolicyOp::shear_y, 0.8, 8}, {PolicyOp::invert, 0.7, 0}}},
    {{{PolicyOp::equalize, 0.9, 0}, {PolicyOp::translate_y, 0.6, 6}}},
    {{{PolicyOp::invert, 0.9, 0}, {PolicyOp::equalize, 0.6, 0}}},
    {{{PolicyOp::contrast, 0.3, 3}, {PolicyOp::rotate, 0.8, 4}}},
    {{{PolicyOp::invert, 0.8, 0}, {PolicyOp::translate_y, 0.0, 2}}},
    {{{PolicyOp::shear_y, 0.7, 6}, {PolicyOp::solarize, 0.4, 8}}},
    {{{PolicyOp::invert, 0.6, 0}, {PolicyOp::rotate, 0.8, 4}}},
    {{{PolicyOp::shear_y, 0.3, 7}, {PolicyOp::translate_x, 0.9, 3}}},
    {{{PolicyOp::shear_x, 0.1, 6}, {PolicyOp::invert, 0.6, 0}}},
    {{{PolicyOp::solarize, 0.7, 2}, {PolicyOp::translate_y, 0.6, 7}}},
    {{{PolicyOp::shear_y, 0.8, 4}, {PolicyOp::invert, 0.8, 0}}},
    {{{PolicyOp::shear_x, 0.7, 9}, {PolicyOp::translate_y, 0.8, 3}}},
    {{{PolicyOp::shear_y, 0.8, 5}, {PolicyOp::auto_contrast, 0.7, 0}}},
    {{{PolicyOp::shear_x, 0.7, 2}, {PolicyOp::invert, 0.1, 0}}},
}};

const PairList& pairs_of(AutoAugmentPolicy policy) {
  return policy == AutoAugmentPolicy::imagenet  ? kImageNetPairs
         : policy == AutoAugmentPolicy::cifar10 ? kCifar10Pairs
                                                : kSvhnPairs;
}

struct AutoAugmentParameters {
  AutoAugmentPolicy policy = AutoAugmentPolicy::imagenet;
  transforms::Interpolation interpolation = transforms::Interpolation::nearest;
  std::vector<int> fill = {};
  transforms::MaskFill mask_fill = {};

  template <class V>
  void fields(V&& v) {
    v("policy", policy, "the data set that the pairs were found for");
    v("interpolation", interpolation, kPolicyFilterDoc);
    v("fill", fill, kPolicyFillDoc);
    v("mask_fill", mask_fill, transforms::kMaskFillDoc);
  }
};

class AutoAugment final : public PolicyOperation<AutoAugment, AutoAugmentParameters> {
 public:
  static constexpr const char* kName = "AutoAugment";
  static constexpr const char* kSummary =
      "Runs one of 25 pairs of operations, chosen at random, each part with its own probability; those that "
      "move pixels move masks, boxes and points too.";
  using PolicyOperation::PolicyOperation;

  Status draw(const ImageSlots& in, Draws& draws, DrawnPolicy& drawn) const {
    drawn.operations.list.clear();
    const PairList& pairs = pairs_of(p_.policy);
    for (const PairPart& part : pairs[static_cast<std::size_t>(draws.below(pairs.size()))]) {
      if (draws.uniform() <= part.p) {
        drawn.operations.list.push_back(
            step_of_magnitude(part.op, part.bin, kBins, {}, in.image.size, draws));
      }
    }
    return {};
  }
};

}  // namespace

OperationInfo auto_augment_operation() { return operation_info<AutoAugment>(); }

}  // namespace penstock::inline v0
