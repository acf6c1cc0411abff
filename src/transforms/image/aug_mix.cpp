// AugMix: the image mixed with some of itself that short chains of operations have changed.

#include <array>
#include <cmath>
#include <iterator>
#include <optional>

#include "transforms/distributions.hpp"
#include "transforms/image/policy_operation.hpp"
#include "transforms/kernels/weighted_sum.hpp"
#include "transforms/pass_runner.hpp"

namespace penstock::inline v0 {
namespace {

constexpr int kSeverities = 10;
constexpr int kMaxChains = 64;

struct AugMixParameters {
  int severity = 3;
  int mixture_width = 3;
  int chain_depth = -1;
  double alpha = 1.0;
  bool all_ops = true;
  transforms::Interpolation interpolation = transforms::Interpolation::bilinear;
  std::vector<int> fill = {};

  template <class V>
  void fields(V&& v) {
    v("severity", severity,
      "how many of the 10 magnitudes of each operation are drawn from, the smallest first");
    v("mixture_width", mixture_width, "how many chains there are");
    v("chain_depth", chain_depth, "how many operations each has; -1: 1 to 3, drawn");
    v("alpha", alpha, "of the Dirichlet distributions that weights are drawn from");
    v("all_ops", all_ops, "whether brightness, contrast, colour and sharpness are among the operations");
    v("interpolation", interpolation, kPolicyFilterDoc);
    v("fill", fill, kPolicyFillDoc);
  }
};

/// Of one worker, used again. A copy of what was drawn has its own.
struct ChainMemory {
  PolicyRules rules;  ///< of the plan
  ImageEdits edits;
  std::vector<Pass> passes;
  MirrorTest mirrors;
  std::optional<PassRunner> runner;
  int channels = 0;  ///< of the runner
  std::array<Scratch, kMaxChains> chains;

  ChainMemory() = default;
  ChainMemory(const ChainMemory&) {}
  ChainMemory& operator=(const ChainMemory&) { return *this; }
};

struct DrawnAugMix {
  std::vector<double> weights;  ///< of the image, then of each chain
  std::vector<int> depths;      ///< how many of the operations each chain has
  PolicySteps operations;

  mutable ChainMemory memory;

  template <class V>
  void fields(V&& v) {
    v("weights", weights);
    v("depths", depths);
    v("operations", operations);
  }
};

constexpr PolicyOp kAugMixOps[] = {PolicyOp::shear_x,     PolicyOp::shear_y,       PolicyOp::translate_x,
                                   PolicyOp::translate_y, PolicyOp::rotate,        PolicyOp::posterize,
                                   PolicyOp::solarize,    PolicyOp::auto_contrast, PolicyOp::equalize,
                                   PolicyOp::brightness,  PolicyOp::color,         PolicyOp::contrast,
                                   PolicyOp::sharpness};
constexpr std::size_t kWithoutColors = 9;
constexpr PolicyRanges kAugMixRanges = {.translate_share = 1, .translate_divisor = 3, .posterize_from = 4};

/// What a chain makes of an image, in memory of that chain.
const std::uint8_t* run_chain(const ConstPixelRows& in, std::span<const PolicyStep> steps,
                              ChainMemory& memory, Scratch& chain) {
  if (!memory.runner || memory.channels != in.channels) {
    memory.runner.emplace(in.channels, ElementType::uint8);
    memory.channels = in.channels;
  }
  memory.edits.clear();
  push_steps({.size = in.size, .type = ElementType::uint8, .channels = in.channels}, steps, memory.rules,
             memory.edits);
  plan_passes(in.size, memory.edits, Fuse::exact, memory.mirrors, memory.passes);
  std::uint8_t* const data = chain.reserve(in.row_bytes() * static_cast<std::size_t>(in.size.height));
  memory.runner->run(memory.passes, memory.edits,
                     DecodedPart{in.data, in.stride, {0, 0, in.size.width, in.size.height}},
                     ImageSink{.data = data,
                               .size = in.size,
                               .type = ElementType::uint8,
                               .format = MemoryFormat::channels_last,
                               .floats = nullptr,
                               .channels = in.channels,
                               .from = ElementType::uint8});
  return data;
}

void mix_chains(const PixelsEdit& edit, const ConstPixelRows& in, const PixelRows& out, Scratch&) {
  const auto& drawn = *static_cast<const DrawnAugMix*>(edit.drawn);
  std::array<float, kMaxChains + 1> weights{};
  std::array<const std::uint8_t*, kMaxChains + 1> images{};
  const std::size_t count = drawn.weights.size();
  std::span<const PolicyStep> steps = drawn.operations.list;
  for (std::size_t i = 0; i < count; ++i) {
    weights[i] = static_cast<float>(drawn.weights[i]);
    if (i > 0) {
      const auto depth = static_cast<std::size_t>(drawn.depths[i - 1]);
      images[i] = run_chain(in, steps.first(depth), drawn.memory, drawn.memory.chains[i - 1]);
      steps = steps.subspan(depth);
    }
  }
  std::array<const std::uint8_t*, kMaxChains + 1> rows{};
  for (int y = 0; y < in.size.height; ++y) {
    rows[0] = in.row(y);
    for (std::size_t i = 1; i < count; ++i) {
      rows[i] = images[i] + static_cast<std::size_t>(y) * in.row_bytes();
    }
    weighted_sum({rows.data(), count}, {weights.data(), count}, in.row_bytes(), out.row(y));
  }
}

class AugMix final : public ImageOperation<AugMix, AugMixParameters, DrawnAugMix> {
 public:
  static constexpr const char* kName = "AugMix";
  static constexpr const char* kSummary =
      "Mixes the image with what chains of random operations make of it; masks, boxes and points stay where "
      "they are.";
  using ImageOperation::ImageOperation;

  Status check() const override {
    if (p_.severity < 1 || p_.severity > kSeverities) {
      return wrong("severity", fmt::format("must be between 1 and {}, got {}", kSeverities, p_.severity), "");
    }
    if (p_.mixture_width < 1 || p_.mixture_width > kMaxChains) {
      return wrong("mixture_width",
                   fmt::format("must be between 1 and {}, got {}", kMaxChains, p_.mixture_width), "");
    }
    if (p_.chain_depth != -1 && (p_.chain_depth < 1 || p_.chain_depth > 100)) {
      return wrong("chain_depth", fmt::format("must be -1 or between 1 and 100, got {}", p_.chain_depth), "");
    }
    if (!(p_.alpha > 0) || !std::isfinite(p_.alpha)) {
      return wrong("alpha", fmt::format("must be positive, got {}", p_.alpha), "");
    }
    PENSTOCK_TRY(check_warp_filter(kName, p_.interpolation));
    return check_fill(kName, p_.fill);
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    return describe_filled(kName, p_.fill, in);
  }

  Status draw(const ImageSlots& in, Draws& draws, DrawnAugMix& drawn) const {
    const auto width = static_cast<std::size_t>(p_.mixture_width);
    std::array<double, 2> parts{};
    draw_dirichlet(p_.alpha, parts, draws);
    drawn.weights.resize(width + 1);
    draw_dirichlet(p_.alpha, std::span(drawn.weights).subspan(1), draws);
    drawn.weights[0] = parts[0];
    drawn.depths.clear();
    drawn.operations.list.clear();
    const std::size_t ops = p_.all_ops ? std::size(kAugMixOps) : kWithoutColors;
    for (std::size_t chain = 1; chain <= width; ++chain) {
      drawn.weights[chain] = static_cast<float>(drawn.weights[chain] * parts[1]);
      const int depth = p_.chain_depth > 0 ? p_.chain_depth : 1 + static_cast<int>(draws.below(3));
      drawn.depths.push_back(depth);
      for (int i = 0; i < depth; ++i) {
        const PolicyOp op = kAugMixOps[draws.below(ops)];
        const auto bin = static_cast<int>(draws.below(static_cast<std::uint64_t>(p_.severity)));
        drawn.operations.list.push_back(
            step_of_magnitude(op, bin, kSeverities, kAugMixRanges, in.image.size, draws));
      }
    }
    return {};
  }

  Status plan(const ImageSpec& in, const DrawnAugMix& drawn, ImageEdits& edits) const {
    PENSTOCK_TRY(check_steps(kName, drawn.operations));
    if (drawn.weights.size() != drawn.depths.size() + 1 || drawn.depths.size() > kMaxChains) {
      return detail::wrong_drawn(kName, "weights",
                                 "must have one number for the image and one for each of depths");
    }
    std::size_t left = drawn.operations.list.size();
    for (const int depth : drawn.depths) {
      if (depth < 0 || static_cast<std::size_t>(depth) > left) {
        return detail::wrong_drawn(kName, "depths", "must be how many of the operations each chain has");
      }
      left -= static_cast<std::size_t>(depth);
    }
    for (const double weight : drawn.weights) {
      if (!(weight >= 0) || !(weight <= 1)) {
        return detail::wrong_drawn(kName, "weights", fmt::format("must be between 0 and 1, got {}", weight));
      }
    }
    drawn.memory.rules = {.filter = p_.interpolation, .fill = fill_pixel(p_.fill, in)};
    edits.push_back(PixelsEdit{.name = "mix", .run = &mix_chains, .drawn = &drawn});
    return {};
  }
};

}  // namespace

OperationInfo aug_mix_operation() { return operation_info<AugMix>(); }

}  // namespace penstock::inline v0
