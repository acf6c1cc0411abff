#include "transforms/image/policy_steps.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>

#include "transforms/image/color_edits.hpp"
#include "transforms/image/geometry_edits.hpp"
#include "transforms/image/table_edits.hpp"

namespace penstock::inline v0 {
namespace {

constexpr std::size_t kMaxSteps = 10000;  // of params that are given

struct PolicyOpInfo {
  std::string_view name;
  std::string_view number;  ///< what it is called; empty: there is none
  double min = 0;
  double max = 0;
  bool whole = false;
};

constexpr double kMaxFactor = 1e6;
constexpr std::array<PolicyOpInfo, 19> kOps = {{
    {"Identity", ""},
    {"ShearX", "factor", -kMaxFactor, kMaxFactor},
    {"ShearY", "factor", -kMaxFactor, kMaxFactor},
    {"TranslateX", "pixels", -kMaxFactor, kMaxFactor},
    {"TranslateY", "pixels", -kMaxFactor, kMaxFactor},
    {"Rotate", "degrees", -kMaxFactor, kMaxFactor},
    {"Brightness", "factor", 0, kMaxFactor},
    {"Color", "factor", 0, kMaxFactor},
    {"Contrast", "factor", 0, kMaxFactor},
    {"Sharpness", "factor", 0, kMaxFactor},
    {"Posterize", "bits", 0, 8, true},
    {"Solarize", "threshold", 0, 256},
    {"SolarizeAdd", "added", 0, 255, true},
    {"AutoContrast", ""},
    {"Equalize", ""},
    {"Invert", ""},
    {"Desaturate", "factor", 0, 1},
    {"Grayscale", ""},
    {"GaussianBlur", "radius", 0, 4096},
}};

const PolicyOpInfo& info_of(PolicyOp op) { return kOps[static_cast<std::size_t>(op)]; }

void push_shear(const ImageSpec& in, double across, double down, const Warp& warp, bool bare,
                ImageEdits& edits) {
  Warp sheared = warp;
  if (bare) {
    sheared.matrix = {1, across, 0, down, 1, 0};
  } else {
    constexpr double kDegree = 180.0 / std::numbers::pi;
    sheared.matrix = affine_matrix({.shear = {std::atan(across) * kDegree, std::atan(down) * kDegree}}, 0, 0);
  }
  push_affine(in, sheared, edits);
}

void push_translation(const ImageSpec& in, double right, double down, const Warp& warp, ImageEdits& edits) {
  const auto whole = [](double shift, int side) {
    return std::trunc(shift) == shift && std::abs(shift) < side;
  };
  const bool filters_alpha = in.channels == 4 && warp.filter != transforms::Interpolation::nearest;
  if (filters_alpha || !whole(right, in.size.width) || !whole(down, in.size.height)) {
    Warp shifted = warp;
    shifted.matrix = {1, 0, -right, 0, 1, -down};
    push_affine(in, shifted, edits);
    return;
  }
  // Whole pixels are rows copied, of an image that need not be made where it is not seen.
  const auto x = static_cast<int>(right);
  const auto y = static_cast<int>(down);
  if (x != 0 || y != 0) {
    edits.push_back(CropEdit{
        {std::max(-x, 0), std::max(-y, 0), in.size.width - std::abs(x), in.size.height - std::abs(y)}});
    edits.push_back(PadEdit{.left = std::max(x, 0),
                            .top = std::max(y, 0),
                            .right = std::max(-x, 0),
                            .bottom = std::max(-y, 0),
                            .fill = warp.fill});
  }
}

void push_step(const ImageSpec& in, const PolicyStep& step, const PolicyRules& rules, ImageEdits& edits) {
  const Warp warp{.filter = step.filter.value_or(rules.filter), .fill = rules.fill};
  const double number = step.number;
  // A factor of 1 changes nothing.
  const auto enhance = [&](const auto& edit) {
    if (number != 1) {
      edits.push_back(edit(number));
    }
  };
  switch (step.op) {
    case PolicyOp::identity:
      break;
    case PolicyOp::shear_x:
      return push_shear(in, number, 0, warp, rules.bare_shear, edits);
    case PolicyOp::shear_y:
      return push_shear(in, 0, number, warp, rules.bare_shear, edits);
    case PolicyOp::translate_x:
      return push_translation(in, number, 0, warp, edits);
    case PolicyOp::translate_y:
      return push_translation(in, 0, number, warp, edits);
    case PolicyOp::rotate:
      return push_rotation(in.size, {.angle = number, .filter = warp.filter, .fill = warp.fill}, edits);
    case PolicyOp::brightness:
      return enhance(brightness_edit);
    case PolicyOp::contrast:
      return enhance(contrast_edit);
    case PolicyOp::sharpness:
      return enhance(sharpness_edit);
    case PolicyOp::color:
    case PolicyOp::desaturate:
      return in.channels > 1 ? enhance(saturation_edit) : void();
    case PolicyOp::posterize:
      edits.push_back(posterize_edit(static_cast<int>(number)));
      break;
    case PolicyOp::solarize:
      edits.push_back(solarize_edit(number));
      break;
    case PolicyOp::solarize_add:
      edits.push_back(solarize_add_edit(static_cast<int>(number)));
      break;
    case PolicyOp::auto_contrast:
      edits.push_back(autocontrast_edit());
      break;
    case PolicyOp::equalize:
      edits.push_back(equalize_edit());
      break;
    case PolicyOp::invert:
      edits.push_back(invert_edit());
      break;
    case PolicyOp::grayscale:
      if (in.channels > 1) {
        edits.push_back(gray_edit());
      }
      break;
    case PolicyOp::gaussian_blur:
      if (number > 0) {
        edits.push_back(box_blur_edit(number));
      }
      break;
  }
}

bool step_from(const NamedDrawn& named, PolicyStep& step) {
  for (std::size_t i = 0; i < kOps.size(); ++i) {
    if (kOps[i].name != named.operation) {
      continue;
    }
    step = {.op = static_cast<PolicyOp>(i)};
    bool has_number = kOps[i].number.empty();
    for (const auto& [name, value] : named.values) {
      if (name == kOps[i].number) {
        has_number = detail::as_double(value, step.number);
      } else if (name == "interpolation") {
        if (!ParamCodec<transforms::Interpolation>::from_value(value, step.filter.emplace())) {
          return false;
        }
      } else {
        return false;
      }
    }
    return has_number;
  }
  return false;
}

}  // namespace

std::string_view name_of(PolicyOp op) noexcept { return info_of(op).name; }

Status check_steps(std::string_view operation, const PolicySteps& steps) {
  using transforms::Interpolation;
  for (const PolicyStep& step : steps.list) {
    const PolicyOpInfo& info = info_of(step.op);
    if (!info.number.empty() && (!(step.number >= info.min) || !(step.number <= info.max) ||
                                 (info.whole && step.number != std::trunc(step.number)))) {
      return detail::wrong_drawn(
          operation, fmt::format("{} of {}", info.number, info.name),
          fmt::format("must be {} between {} and {}, got {}", info.whole ? "an integer" : "a number",
                      info.min, info.max, step.number));
    }
    if (step.filter && *step.filter != Interpolation::nearest && *step.filter != Interpolation::bilinear &&
        *step.filter != Interpolation::bicubic) {
      return detail::wrong_drawn(operation, fmt::format("interpolation of {}", info.name),
                                 "must be nearest, bilinear or bicubic");
    }
  }
  return {};
}

void push_steps(const ImageSpec& in, std::span<const PolicyStep> steps, const PolicyRules& rules,
                ImageEdits& edits) {
  for (const PolicyStep& step : steps) {
    push_step(in, step, rules, edits);
  }
}

void save_value(const PolicySteps& steps, std::vector<double>& numbers) {
  numbers.push_back(static_cast<double>(steps.list.size()));
  for (const PolicyStep& step : steps.list) {
    numbers.push_back(static_cast<double>(step.op));
    numbers.push_back(step.number);
    numbers.push_back(step.filter ? static_cast<double>(*step.filter) : -1);
  }
}

void load_value(PolicySteps& steps, std::span<const double>& numbers) {
  steps.list.resize(static_cast<std::size_t>(detail::take(numbers)));
  for (PolicyStep& step : steps.list) {
    step.op = static_cast<PolicyOp>(detail::take(numbers));
    step.number = detail::take(numbers);
    const double filter = detail::take(numbers);
    step.filter.reset();
    if (filter >= 0) {
      step.filter = static_cast<transforms::Interpolation>(filter);
    }
  }
}

ParamValue detail::DrawnCodec<PolicySteps>::to_value(const PolicySteps& steps) {
  HeldDrawn drawn;
  for (const PolicyStep& step : steps.list) {
    const PolicyOpInfo& info = info_of(step.op);
    NamedDrawn named{std::string(info.name), {}};
    if (!info.number.empty()) {
      named.values.emplace_back(info.number, info.whole ? ParamValue(static_cast<std::int64_t>(step.number))
                                                        : ParamValue(step.number));
    }
    if (step.filter) {
      named.values.emplace_back("interpolation",
                                ParamCodec<transforms::Interpolation>::to_value(*step.filter));
    }
    drawn.list.push_back(std::move(named));
  }
  return drawn;
}

bool detail::DrawnCodec<PolicySteps>::from_value(const ParamValue& value, PolicySteps& out) {
  out.list.clear();
  if (const auto* none = std::get_if<std::vector<std::int64_t>>(&value)) {
    return none->empty();  // a list of nothing is one of numbers
  }
  const auto* drawn = std::get_if<HeldDrawn>(&value);
  if (drawn == nullptr || drawn->list.size() > kMaxSteps) {
    return false;
  }
  for (const NamedDrawn& named : drawn->list) {
    if (!step_from(named, out.list.emplace_back())) {
      return false;
    }
  }
  return true;
}

}  // namespace penstock::inline v0
