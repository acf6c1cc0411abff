#pragma once
// What policies of augmentation consist of: a few operations, each with one number, and the edits that they
// are. AutoAugment, RandAugment and others draw lists of them.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "transforms/transform.hpp"

namespace penstock::inline v0 {

enum class PolicyOp : std::uint8_t {
  identity,
  shear_x,
  shear_y,
  translate_x,
  translate_y,
  rotate,
  brightness,
  color,
  contrast,
  sharpness,
  posterize,
  solarize,
  solarize_add,
  auto_contrast,
  equalize,
  invert,
  desaturate,
  grayscale,
  gaussian_blur
};

/// "ShearX", as torchvision and timm call it.
std::string_view name_of(PolicyOp op) noexcept;

struct PolicyStep {
  PolicyOp op = PolicyOp::identity;
  /// Of a shear, an enhancement or a saturation: the factor; of a translation: pixels to the right or down;
  /// degrees counter-clockwise; bits that stay; the threshold; what is added; the radius. Others have none.
  double number = 0;
  /// Where it was drawn too; others have that of the rules.
  std::optional<transforms::Interpolation> filter = std::nullopt;

  bool operator==(const PolicyStep&) const = default;
};

/// What was drawn: the operations that run, one after the other. To users it is a list of
/// {"op": "Rotate", "degrees": 9.0}.
struct PolicySteps {
  std::vector<PolicyStep> list;
};

/// What is the same for all steps of a policy.
struct PolicyRules {
  transforms::Interpolation filter = transforms::Interpolation::nearest;
  PixelBytes fill{};
  /// A shear is the bare factor, as timm has it; torchvision goes by way of its angle, which rounds.
  bool bare_shear = false;
};

/// `invalid` if the number of a step is none that can be drawn.
Status check_steps(std::string_view operation, const PolicySteps& steps);
/// Appends what the steps, which have been checked, do to an image. The size stays.
void push_steps(const ImageSpec& in, std::span<const PolicyStep> steps, const PolicyRules& rules,
                ImageEdits& edits);

void save_value(const PolicySteps& steps, std::vector<double>& numbers);
void load_value(PolicySteps& steps, std::span<const double>& numbers);

namespace detail {

template <>
struct DrawnCodec<PolicySteps> {
  static constexpr std::string_view kType = "Sequence[dict[str, Any]]";
  static ParamValue to_value(const PolicySteps& steps);
  static bool from_value(const ParamValue& value, PolicySteps& out);
};

}  // namespace detail
}  // namespace penstock::inline v0
