#pragma once
// torchvision's policies: operations whose strength is one of some evenly spaced magnitudes.

#include <cmath>
#include <vector>

#include "transforms/image/policy_steps.hpp"
#include "transforms/image/size_rules.hpp"
#include "transforms/operation_info.hpp"
#include "transforms/python_round.hpp"

namespace penstock::inline v0 {

/// torch.linspace(first, last, count)[number] of float32, correctly rounded; torch's last bit depends on the
/// CPU.
inline double linspace_float(double first, double last, int count, int number) {
  const double from = static_cast<float>(first);
  const double to = static_cast<float>(last);
  return static_cast<float>((from * (count - 1 - number) + to * number) / (count - 1));
}

/// What the largest magnitude of each operation is.
struct PolicyRanges {
  double shear = 0.3;
  double translate_share = 150.0 / 331.0;  ///< of the side
  double translate_divisor = 1;            ///< of that
  double translate_pixels = 0;             ///< instead, if above 0
  double rotate = 30;
  double enhance = 0.9;
  int posterize_from = 8;  ///< bits of the smallest magnitude
  int posterize_by = 4;    ///< how many fewer the largest leaves
};

/// Draws the sign where there is one: negative for u <= 0.5.
inline PolicyStep step_of_magnitude(PolicyOp op, int number, int count, const PolicyRanges& ranges,
                                    ImageSize image, Draws& draws) {
  const auto between = [&](double last) {
    const double magnitude = linspace_float(0, last, count, number);
    return draws.uniform() <= 0.5 ? 0.0 - magnitude : magnitude;
  };
  const auto pixels = [&](int side) {
    return std::trunc(between(ranges.translate_pixels > 0
                                  ? ranges.translate_pixels
                                  : ranges.translate_share * side / ranges.translate_divisor)) +
           0.0;  // no -0.0
  };
  switch (op) {
    case PolicyOp::shear_x:
    case PolicyOp::shear_y:
      return {op, between(ranges.shear)};
    case PolicyOp::translate_x:
      return {op, pixels(image.width)};
    case PolicyOp::translate_y:
      return {op, pixels(image.height)};
    case PolicyOp::rotate:
      return {op, between(ranges.rotate)};
    case PolicyOp::brightness:
    case PolicyOp::color:
    case PolicyOp::contrast:
    case PolicyOp::sharpness:
      return {op, 1.0 + between(ranges.enhance)};
    case PolicyOp::posterize: {
      const float fewer = static_cast<float>(number) /
                          static_cast<float>((count - 1) / static_cast<double>(ranges.posterize_by));
      return {op, static_cast<double>(python_round(static_cast<float>(ranges.posterize_from) - fewer))};
    }
    case PolicyOp::solarize:
      return {op, 255.0 * linspace_float(1, 0, count, number)};
    default:
      return {op};
  }
}

/// Those of RandAugment and TrivialAugmentWide, in torchvision's order.
inline constexpr PolicyOp kRandAugmentOps[] = {
    PolicyOp::identity,      PolicyOp::shear_x,   PolicyOp::shear_y,    PolicyOp::translate_x,
    PolicyOp::translate_y,   PolicyOp::rotate,    PolicyOp::brightness, PolicyOp::color,
    PolicyOp::contrast,      PolicyOp::sharpness, PolicyOp::posterize,  PolicyOp::solarize,
    PolicyOp::auto_contrast, PolicyOp::equalize};

/// Images of 8 bits stay what they are; `invalid` unless the fill is a pixel of them.
inline Result<ImageSpec> describe_filled(std::string_view operation, const std::vector<int>& fill,
                                         const ImageSpec& in) {
  PENSTOCK_ASSIGN(const ImageSpec out, same_if_bytes(operation, in));
  PENSTOCK_TRY(check_fill(operation, fill, in));
  return out;
}

struct DrawnPolicy {
  PolicySteps operations;

  template <class V>
  void fields(V&& v) {
    v("operations", operations);
  }
};

/// `Parameters` has interpolation and fill; `Self` brings kName, kSummary and draw().
template <class Self, class Parameters>
class PolicyOperation : public ImageOperation<Self, Parameters, DrawnPolicy> {
 public:
  using ImageOperation<Self, Parameters, DrawnPolicy>::ImageOperation;
  static constexpr bool kMovesPixels = true;

  Status check() const override {
    PENSTOCK_TRY(check_warp_filter(Self::kName, this->p_.interpolation));
    return check_fill(Self::kName, this->p_.fill, this->p_.mask_fill);
  }
  Result<ImageSpec> describe(const ImageSpec& in) const override {
    return describe_filled(Self::kName, this->p_.fill, in);
  }

  Status plan(const ImageSpec& in, const DrawnPolicy& drawn, ImageEdits& edits) const {
    PENSTOCK_TRY(check_steps(Self::kName, drawn.operations));
    push_steps(in, drawn.operations.list,
               {.filter = this->p_.interpolation, .fill = fill_pixel(this->p_.fill, in)}, edits);
    return {};
  }

 protected:
  Status check_bins(int count) const {
    constexpr int kMaxBins = 1 << 16;
    return count >= 2 && count <= kMaxBins
               ? Status()
               : this->wrong("num_magnitude_bins",
                             fmt::format("must be between 2 and {}, got {}", kMaxBins, count), "");
  }
};

inline constexpr const char* kPolicyFilterDoc =
    "of operations that move pixels: nearest, bilinear or bicubic";
inline constexpr const char* kPolicyFillDoc =
    "value of the pixels that come from outside, one number or one per channel; None is 0";

}  // namespace penstock::inline v0
