// TimmRandAugment: timm's RandAugment, as its string says; Pillow's pixels.

#include <algorithm>
#include <array>
#include <cmath>

#include "transforms/distributions.hpp"
#include "transforms/image/policy_operation.hpp"
#include "transforms/image/timm_config.hpp"

namespace penstock::inline v0 {

enum class TimmInterpolation : std::uint8_t { random, nearest, bilinear, bicubic };
template <>
struct EnumNames<TimmInterpolation> {
  static constexpr std::array<std::string_view, 4> kNames = {"random", "nearest", "bilinear", "bicubic"};
  static constexpr std::string_view kType = "Literal['random', 'nearest', 'bilinear', 'bicubic']";
};

/// The string, and what it says where that is good.
struct TimmConfigText {
  std::string text;

  bool operator==(const TimmConfigText&) const = default;
};
template <>
struct ParamCodec<TimmConfigText> {
  static constexpr std::string_view kType = "str";
  static ParamValue to_value(const TimmConfigText& config) { return config.text; }
  static bool from_value(const ParamValue& value, TimmConfigText& out) {
    const auto* text = std::get_if<std::string>(&value);
    out.text = text != nullptr ? *text : std::string();
    return text != nullptr;
  }
  static bool missing(const TimmConfigText&) { return false; }
};

namespace {

struct TimmParameters {
  TimmConfigText config = {"rand-m9-mstd0.5-inc1"};
  TimmInterpolation interpolation = TimmInterpolation::random;
  std::vector<int> fill = {124, 116, 104};
  transforms::MaskFill mask_fill = {};

  template <class V>
  void fields(V&& v) {
    v("config", config,
      "'rand' and, with - between them: m magnitude, n operations, p probability of each, mstd deviation of "
      "the magnitude, mmax its maximum, inc1: all grow stronger with it, t3a, tweights or t3aw: other "
      "operations");
    v("interpolation", interpolation, "of operations that move pixels; random is bilinear or bicubic");
    v("fill", fill,
      "value of the pixels that come from outside, one number or one per channel: 255 times the mean");
    v("mask_fill", mask_fill, transforms::kMaskFillDoc);
  }
};

struct SetEntry {
  PolicyOp op = PolicyOp::identity;
  double weight = 1;
};

constexpr SetEntry kTimmOps[] = {{PolicyOp::auto_contrast}, {PolicyOp::equalize},    {PolicyOp::invert},
                                 {PolicyOp::rotate},        {PolicyOp::posterize},   {PolicyOp::solarize},
                                 {PolicyOp::solarize_add},  {PolicyOp::color},       {PolicyOp::contrast},
                                 {PolicyOp::brightness},    {PolicyOp::sharpness},   {PolicyOp::shear_x},
                                 {PolicyOp::shear_y},       {PolicyOp::translate_x}, {PolicyOp::translate_y}};
constexpr SetEntry kTimmThree[] = {{PolicyOp::solarize}, {PolicyOp::desaturate}, {PolicyOp::gaussian_blur}};
constexpr SetEntry kTimmWeighted[] = {
    {PolicyOp::rotate, 3},          {PolicyOp::shear_x, 2},          {PolicyOp::shear_y, 2},
    {PolicyOp::translate_x, 1},     {PolicyOp::translate_y, 1},      {PolicyOp::color, 0.25},
    {PolicyOp::sharpness, 0.25},    {PolicyOp::auto_contrast, 0.25}, {PolicyOp::solarize, 0.05},
    {PolicyOp::solarize_add, 0.05}, {PolicyOp::contrast, 0.05},      {PolicyOp::brightness, 0.05},
    {PolicyOp::equalize, 0.05},     {PolicyOp::posterize, 0.05},     {PolicyOp::invert, 0.05}};
constexpr SetEntry kTimmThreeWeighted[] = {
    {PolicyOp::solarize, 6}, {PolicyOp::desaturate, 6}, {PolicyOp::gaussian_blur, 6},
    {PolicyOp::rotate, 3},   {PolicyOp::shear_x, 2},    {PolicyOp::shear_y, 2},
    {PolicyOp::posterize},   {PolicyOp::auto_contrast}, {PolicyOp::color},
    {PolicyOp::sharpness},   {PolicyOp::contrast},      {PolicyOp::brightness},
    {PolicyOp::equalize},    {PolicyOp::invert}};

std::span<const SetEntry> entries_of(TimmSet set) {
  switch (set) {
    case TimmSet::three:
      return kTimmThree;
    case TimmSet::weighted:
      return kTimmWeighted;
    case TimmSet::three_weighted:
      return kTimmThreeWeighted;
    case TimmSet::all:
      break;
  }
  return kTimmOps;
}

bool is_weighted(TimmSet set) { return set == TimmSet::weighted || set == TimmSet::three_weighted; }

/// Takes one of the entries that are left, by weight.
std::size_t take_weighted(std::span<const SetEntry> entries, std::uint32_t& taken, Draws& draws) {
  const auto is_left = [&](std::size_t i) { return ((taken >> i) & 1U) == 0; };
  double sum = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    sum += is_left(i) ? entries[i].weight : 0;
  }
  double at = draws.uniform() * sum;
  std::size_t found = entries.size();
  for (std::size_t i = 0; i < entries.size() && at >= 0; ++i) {
    if (is_left(i)) {
      found = i;
      at -= entries[i].weight;
    }
  }
  taken |= 1U << found;
  return found;
}

class TimmRandAugment final : public ImageOperation<TimmRandAugment, TimmParameters, DrawnPolicy> {
 public:
  static constexpr const char* kName = "TimmRandAugment";
  static constexpr const char* kSummary =
      "Runs some operations, chosen at random, as timm's RandAugment does for a string like "
      "'rand-m9-mstd0.5-inc1'; those that move pixels move masks, boxes and points too.";
  static constexpr bool kMovesPixels = true;

  explicit TimmRandAugment(TimmParameters parameters, std::string key = {})
      : ImageOperation(std::move(parameters), std::move(key)), config_(parse_timm_config(p_.config.text)) {}

  Status check() const override {
    if (!config_.ok()) {
      const Error& problem = config_.error();
      return Error{ErrorKind::invalid, fmt::format("{}: {}", kName, problem.message), problem.advice, {}};
    }
    const auto entries = static_cast<int>(entries_of(config_->set).size());
    if (is_weighted(config_->set) && config_->count > entries) {
      return wrong(
          "config",
          fmt::format("draws {} operations without replacement, and there are {}", config_->count, entries),
          "");
    }
    return check_fill(kName, p_.fill, p_.mask_fill);
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    return describe_filled(kName, p_.fill, in);
  }

  Status draw(const ImageSlots& in, Draws& draws, DrawnPolicy& drawn) const {
    const std::span<const SetEntry> entries = entries_of(config_->set);
    drawn.operations.list.clear();
    std::uint32_t taken = 0;
    for (int i = 0; i < config_->count; ++i) {
      const PolicyOp op = entries[is_weighted(config_->set) ? take_weighted(entries, taken, draws)
                                                            : draws.below(entries.size())]
                              .op;
      if (draws.uniform() <= config_->p) {
        drawn.operations.list.push_back(step_of(op, draw_level(draws), in.image.size, draws));
      }
    }
    return {};
  }

  Status plan(const ImageSpec& in, const DrawnPolicy& drawn, ImageEdits& edits) const {
    PENSTOCK_TRY(check_steps(kName, drawn.operations));
    push_steps(in, drawn.operations.list,
               {.filter = fixed_filter(), .fill = fill_pixel(p_.fill, in), .bare_shear = true}, edits);
    return {};
  }

 private:
  transforms::Interpolation fixed_filter() const {
    using transforms::Interpolation;
    return p_.interpolation == TimmInterpolation::nearest   ? Interpolation::nearest
           : p_.interpolation == TimmInterpolation::bicubic ? Interpolation::bicubic
                                                            : Interpolation::bilinear;
  }

  /// The magnitude, a tenth of it: 1 is the strongest unless mmax allows more.
  double draw_level(Draws& draws) const {
    double magnitude = config_->magnitude;
    if (config_->uniform) {
      magnitude = draws.uniform(0, magnitude);
    } else if (config_->deviation > 0) {
      magnitude += config_->deviation * standard_normal(draws);
    }
    return std::clamp(magnitude, 0.0, static_cast<double>(config_->max_magnitude)) / 10.0;
  }

  PolicyStep step_of(PolicyOp op, double level, ImageSize image, Draws& draws) const {
    const bool increasing = config_->increasing || config_->set != TimmSet::all;
    const auto either = [&](double value) { return draws.uniform() > 0.5 ? 0.0 - value : value; };
    const auto moved = [&](double number) -> PolicyStep {
      PolicyStep step{op, number};
      if (p_.interpolation == TimmInterpolation::random) {
        step.filter =
            draws.below(2) == 0 ? transforms::Interpolation::bilinear : transforms::Interpolation::bicubic;
      }
      return step;
    };
    switch (op) {
      case PolicyOp::rotate:
        return moved(either(level * 30.0));
      case PolicyOp::shear_x:
      case PolicyOp::shear_y:
        return moved(either(level * 0.3));
      // timm's numbers are where pixels come from.
      case PolicyOp::translate_x:
        return moved(0.0 - either(level * 0.45) * image.width);
      case PolicyOp::translate_y:
        return moved(0.0 - either(level * 0.45) * image.height);
      case PolicyOp::brightness:
      case PolicyOp::color:
      case PolicyOp::contrast:
      case PolicyOp::sharpness:
        return {op, increasing ? std::max(0.1, 1.0 + either(level * 0.9)) : level * 1.8 + 0.1};
      case PolicyOp::posterize: {
        const double bits = std::trunc(level * 4);
        return {op, std::clamp(increasing ? 4 - bits : bits, 0.0, 8.0)};
      }
      case PolicyOp::solarize: {
        const double threshold = std::min(256.0, std::trunc(level * 256));
        return {op, increasing ? 256 - threshold : threshold};
      }
      case PolicyOp::solarize_add:
        return {op, std::min(128.0, std::trunc(level * 110))};
      case PolicyOp::desaturate:
        return {op, 1.0 - std::clamp(0.5 + 0.5 * level, 0.5, 1.0)};
      case PolicyOp::gaussian_blur:
        return {op, std::clamp(0.1 + (2.0 - 0.1) * level, 0.1, 2.0)};
      default:
        return {op};
    }
  }

  const Result<TimmConfig> config_;
};

}  // namespace

OperationInfo timm_rand_augment_operation() { return operation_info<TimmRandAugment>(); }

}  // namespace penstock::inline v0
