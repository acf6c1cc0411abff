#include "pipeline/order/epoch_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <compare>
#include <limits>
#include <numeric>
#include <utility>

#include "core/sha256.hpp"

namespace penstock::inline v0 {
namespace {

constexpr std::uint64_t kMaxRepeats = 1 << 16;

Error wrong(std::string message, std::string advice) {
  return {.kind = ErrorKind::invalid,
          .message = std::move(message),
          .advice = std::move(advice),
          .place = {.stage = "options"}};
}

Status check_weights(const std::vector<double>& weights, std::uint64_t rows) {
  if (weights.size() != rows) {
    return wrong(fmt::format("sampler: {} weights for {} samples", weights.size(), rows),
                 "pass one weight per sample");
  }
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!std::isfinite(weights[i]) || weights[i] < 0) {
      return wrong(
          fmt::format("sampler: the weight of sample {} must be a finite number of at least 0, got {}", i,
                      weights[i]),
          {});
    }
    sum += weights[i];
  }
  if (!(sum > 0) || !std::isfinite(sum)) {
    return wrong("sampler: no sample has a weight above 0, or their sum is too large", {});
  }
  return {};
}

/// What a sampler does, its lists apart.
const char* words(const Sampler& sampler) {
  switch (sampler.kind) {
    case Sampler::Kind::automatic:
    case Sampler::Kind::sequential:
      return "in order";
    case Sampler::Kind::random:
      return sampler.replacement ? "drawn with replacement" : "shuffled";
    case Sampler::Kind::weighted:
      return sampler.replacement ? "drawn by weight with replacement" : "drawn by weight without replacement";
    case Sampler::Kind::repeated:
      return "shuffled";
    case Sampler::Kind::indices:
      return "chosen ones";
    case Sampler::Kind::given:
      return "in the order of a sampler";
  }
  return "";
}

/// draw / weight, which no double holds where the weight is very small. Where one does, it orders alike: a
/// quotient's digits do not depend on the exponents.
struct DrawKey {
  int exponent = std::numeric_limits<int>::min();  ///< of a draw of 0, which comes first
  double fraction = 0;                             ///< in [0.5, 1)
  std::uint64_t sample = 0;

  DrawKey(double draw, double weight, std::uint64_t number) : sample(number) {
    int weight_exponent = 0;
    const double quotient = draw / std::frexp(weight, &weight_exponent);
    if (quotient > 0) {
      fraction = std::frexp(quotient, &exponent);
      exponent -= weight_exponent;
    }
  }
  auto operator<=>(const DrawKey&) const = default;
};

/// The samples with a weight in the order of draws without replacement, as far as `count` of them. Each gets
/// a key -log(u) / weight; the smallest come first (Efraimidis and Spirakis, 2006).
std::vector<std::uint64_t> draw_without_replacement(const OrderRule& rule, std::uint64_t epoch) {
  const std::vector<double>& weights = *rule.sampler().weights;
  std::vector<DrawKey> keys;
  for (std::uint64_t i = 0; i < weights.size(); ++i) {
    if (weights[i] > 0) {
      Draws draws({.seed = rule.seed(), .epoch = epoch, .sample = i}, kSamplerOp);
      keys.emplace_back(-std::log1p(-draws.uniform()), weights[i], i);
    }
  }
  const auto count = static_cast<std::ptrdiff_t>(rule.places());
  std::partial_sort(keys.begin(), keys.begin() + count, keys.end());
  std::vector<std::uint64_t> order(rule.places());
  std::transform(keys.begin(), keys.begin() + count, order.begin(),
                 [](const DrawKey& key) { return key.sample; });
  return order;
}

}  // namespace

WeightedDraw::WeightedDraw(const std::vector<double>& weights)
    : keep_(weights.size(), 1.0), other_(weights.size()) {
  std::iota(other_.begin(), other_.end(), 0);
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  const double scale = sum < 0x1p-900 ? 0x1p200 : 1;  // a subnormal mean would have few digits, or none
  const double mean = sum * scale / static_cast<double>(weights.size());
  std::vector<double> left(weights.size());
  std::vector<std::uint64_t> below;
  std::vector<std::uint64_t> above;
  for (std::uint64_t i = 0; i < weights.size(); ++i) {
    left[i] = weights[i] * scale / mean;
    (left[i] < 1 ? below : above).push_back(i);
  }
  while (!below.empty() && !above.empty()) {
    const std::uint64_t small = below.back();
    below.pop_back();
    const std::uint64_t large = above.back();
    keep_[small] = left[small];
    other_[small] = large;
    left[large] -= 1 - left[small];
    if (left[large] < 1) {
      above.pop_back();
      below.push_back(large);
    }
  }
  // What rounding left over keeps its own column; a sample of weight 0 never does.
  for (const std::uint64_t i : below) {
    keep_[i] = weights[i] > 0 ? 1 : 0;
  }
}

std::uint64_t WeightedDraw::draw(Draws& draws) const noexcept {
  const std::uint64_t column = draws.below(keep_.size());
  return draws.uniform() < keep_[column] ? column : other_[column];
}

Result<bool> check_order(const std::vector<std::uint64_t>& order, std::uint64_t samples) {
  std::vector<bool> seen(samples);
  bool repeats = false;
  for (std::size_t place = 0; place < order.size(); ++place) {
    const std::uint64_t sample = order[place];
    if (sample >= samples) {
      return wrong(fmt::format("sampler: sample {} (at place {}) is out of range for {} samples", sample,
                               place, samples),
                   "use numbers from 0 to the number of samples - 1");
    }
    repeats = repeats || seen[sample];
    seen[sample] = true;
  }
  return repeats;
}

Result<ShuffleRule> ShuffleRule::make(const LoaderOptions& options, const RowPlan& plan,
                                      std::span<const RowTable> tables) {
  constexpr std::uint64_t kWindow = 16384;
  constexpr std::uint64_t kShards = 8;
  ShuffleRule rule{.mode = options.shuffle_mode};
  if (rule.mode == ShuffleMode::window) {
    rule.reach = options.shuffle_window.value_or(kWindow);
  } else if (rule.mode == ShuffleMode::shards) {
    rule.reach = options.shuffle_shards.value_or(kShards);
    rule.shard_starts = plan.shard_starts(*options.seed, tables);
    if (rule.shard_starts.empty() && plan.rows() > 0) {
      return wrong("shuffle_mode='shards' requires a data set with shards",
                   "use shuffle_mode='window' or 'global', or build a store of it: penstock build SRC DST");
    }
  }
  return rule;
}

Result<std::shared_ptr<const OrderRule>> OrderRule::make(const Sampler& sampler, bool shuffle,
                                                         RowPlanPtr plan, std::uint64_t seed,
                                                         ShuffleRule shuffle_rule, LengthRule length_rule) {
  using Kind = Sampler::Kind;
  auto rule = std::make_shared<OrderRule>();
  rule->sampler_ = sampler;
  const std::uint64_t rows = plan->rows();
  rule->plan_ = std::move(plan);
  rule->rows_ = rows;
  rule->seed_ = seed;
  rule->places_ = rows;
  rule->shuffle_rule_ = std::move(shuffle_rule);
  rule->length_rule_ = std::move(length_rule);
  if ((sampler.kind == Kind::weighted && !sampler.weights) ||
      (sampler.kind == Kind::indices && !sampler.indices)) {
    return wrong("sampler: its list of weights or samples is missing",
                 "make it by Sampler::weighted() or of_indices()");
  }
  if (sampler.kind == Kind::automatic) {
    rule->sampler_.kind = shuffle ? Kind::random : Kind::sequential;
  } else if (shuffle && (sampler.kind != Kind::random || sampler.replacement)) {
    return wrong("shuffle=True and this sampler cannot be combined",
                 "omit one of them: a sampler already determines the order");
  }
  switch (rule->sampler_.kind) {
    case Kind::automatic:
    case Kind::sequential:
      break;
    case Kind::random:
      rule->repeats_ = sampler.replacement;
      rule->places_ = rows == 0 ? 0 : sampler.num_samples.value_or(rows);
      break;
    case Kind::weighted: {
      if (rows == 0) {
        break;
      }
      PENSTOCK_TRY(check_weights(*sampler.weights, rows));
      rule->repeats_ = sampler.replacement;
      const auto possible = static_cast<std::uint64_t>(std::count_if(
          sampler.weights->begin(), sampler.weights->end(), [](double weight) { return weight > 0; }));
      rule->places_ = sampler.num_samples.value_or(sampler.replacement ? rows : possible);
      if (!sampler.replacement && rule->places_ > possible) {
        return wrong(fmt::format("sampler: {} samples cannot be drawn from {} without replacement",
                                 rule->places_, possible),
                     "lower num_samples, or draw with replacement");
      }
      if (sampler.replacement) {
        rule->weighted_.emplace(*sampler.weights);
      }
      break;
    }
    case Kind::repeated: {
      constexpr std::uint64_t kRound = 256;
      if (sampler.num_repeats < 1 || sampler.num_repeats > kMaxRepeats) {
        return wrong(fmt::format("sampler: num_repeats must be between 1 and {}, got {}", kMaxRepeats,
                                 sampler.num_repeats),
                     {});
      }
      rule->repeats_ = sampler.num_repeats > 1;
      rule->places_ = sampler.num_samples.value_or(rows < kRound ? rows : rows / kRound * kRound);
      if (rule->places_ > rows * sampler.num_repeats) {
        return wrong(fmt::format("sampler: {} samples, {} times each, do not make {}", rows,
                                 sampler.num_repeats, rule->places_),
                     "lower num_samples");
      }
      break;
    }
    case Kind::indices: {
      PENSTOCK_ASSIGN(rule->repeats_, check_order(*sampler.indices, rows));
      rule->places_ = sampler.indices->size();
      break;
    }
    case Kind::given:
      rule->places_ = sampler.num_samples.value_or(0);
      break;
  }
  if (!rule->repeats_ && rule->sampler_.kind == Kind::random && rule->places_ > rows) {
    return wrong(
        fmt::format("sampler: {} samples cannot be drawn from {} without replacement", rule->places_, rows),
        "lower num_samples, or draw with replacement");
  }
  rule->repeats_ = rule->repeats_ || rule->plan_->repeats();
  return std::shared_ptr<const OrderRule>(std::move(rule));
}

/// What is done to an order, if anything: " within 100 places, sorted by length within 50".
std::string OrderRule::describe_reach() const {
  const std::string sorted =
      length_rule_.window > 0 ? fmt::format(", sorted by length within {}", length_rule_.window) : "";
  if (!is_shuffled()) {
    return sorted;
  }
  const std::string after = sampler_.kind == Sampler::Kind::repeated
                                ? fmt::format(", {} times each", sampler_.num_repeats)
                                : sorted;
  switch (shuffle_rule_.mode) {
    case ShuffleMode::everywhere:
      break;
    case ShuffleMode::window:
      return fmt::format(" within {} places{}", shuffle_rule_.reach, after);
    case ShuffleMode::shards:
      return fmt::format(" by shards, {} together{}", shuffle_rule_.reach, after);
  }
  return after;
}

std::string OrderRule::describe() const {
  const std::string what = words(sampler_) + describe_reach();
  return (is_random() ? fmt::format("{} by (seed {}, epoch)", what, seed_) : what) + describe_rows();
}

std::string OrderRule::describe_rows() const {
  const std::string rows = plan_->describe();
  return rows.empty() ? "" : fmt::format(", {} rows: {}", rows_, rows);
}

std::string OrderRule::describe_sampler() const {
  const auto with_hash = [](const std::string& text, const auto& list) {
    const std::string bytes(reinterpret_cast<const char*>(list.data()), list.size() * sizeof list[0]);
    return fmt::format("{} {}", text, short_hash(bytes));
  };
  std::string text = sampler_.kind == Sampler::Kind::weighted ? with_hash(words(sampler_), *sampler_.weights)
                     : sampler_.kind == Sampler::Kind::indices
                         ? with_hash(words(sampler_), *sampler_.indices)
                         : std::string(words(sampler_)) + describe_reach();
  if (is_shuffled() && !shuffle_rule_.shard_starts.empty()) {
    text = with_hash(text, shuffle_rule_.shard_starts);  // a store of the same samples has other shards
  }
  if (sampler_.kind == Sampler::Kind::weighted) {
    text += describe_reach();
  }
  if (places_ != rows_ && !is_given()) {
    text += fmt::format(", {} an epoch", places_);
  }
  return text + describe_rows();
}

EpochOrder::EpochOrder(std::shared_ptr<const OrderRule> rule, std::uint64_t epoch)
    : rule_(std::move(rule)), epoch_(epoch), places_(rule_->places()), repeats_(rule_->repeats()) {
  const Sampler& sampler = rule_->sampler();
  if (rule_->is_shuffled()) {
    const ShuffleRule& shuffle = rule_->shuffle_rule();
    switch (shuffle.mode) {
      case ShuffleMode::everywhere:
        shuffle_.emplace<IndexShuffle>(rule_->rows(), rule_->seed(), epoch);
        break;
      case ShuffleMode::shards:
        shuffle_.emplace<ShardShuffle>(rule_->rows(), shuffle.shard_starts, shuffle.reach, rule_->seed(),
                                       epoch);
        break;
      case ShuffleMode::window:
        shuffle_.emplace<WindowShuffle>(rule_->rows(), shuffle.reach, rule_->seed(), epoch);
        break;
    }
  } else if (sampler.kind == Sampler::Kind::weighted && !sampler.replacement) {
    list_ = draw_without_replacement(*rule_, epoch);
  }
  if (rule_->length_rule().window > 0) {
    windows_.emplace(places_, rule_->length_rule().window);
  }
}

EpochOrder::EpochOrder(std::shared_ptr<const OrderRule> rule, std::uint64_t epoch,
                       std::vector<std::uint64_t> order, bool repeats)
    : rule_(std::move(rule)),
      epoch_(epoch),
      places_(order.size()),
      repeats_(repeats || rule_->repeats()),
      list_(std::move(order)) {}

std::uint64_t EpochOrder::row_at(std::uint64_t place) const noexcept {
  if (!windows_) {
    return unsorted_at(place);
  }
  return windows_->at(
      place, rule_->length_rule(), [this](std::uint64_t at) { return unsorted_at(at); },
      [this](std::uint64_t window) { return falls(window); });
}

bool EpochOrder::falls(std::uint64_t window) const noexcept {
  Draws draws({.seed = rule_->seed(), .epoch = epoch_, .sample = window}, kLengthOp);
  return rule_->is_random() && draws.below(2) == 1;
}

std::uint64_t EpochOrder::unsorted_at(std::uint64_t place) const noexcept {
  if (rule_->sampler().kind == Sampler::Kind::repeated) {
    place /= rule_->sampler().num_repeats;
  }
  if (const auto* const everywhere = std::get_if<IndexShuffle>(&shuffle_)) {
    return everywhere->at(place);
  }
  if (const auto* const shards = std::get_if<ShardShuffle>(&shuffle_)) {
    return shards->at(place);
  }
  if (const auto* const window = std::get_if<WindowShuffle>(&shuffle_)) {
    return window->at(place);
  }
  if (!list_.empty()) {
    return list_[place];
  }
  const Sampler& sampler = rule_->sampler();
  if (sampler.kind == Sampler::Kind::indices) {
    return (*sampler.indices)[place];
  }
  if (rule_->is_random()) {  // with replacement
    Draws draws({.seed = rule_->seed(), .epoch = epoch_, .sample = place}, kSamplerOp);
    return rule_->weighted() ? rule_->weighted()->draw(draws) : draws.below(rule_->rows());
  }
  return place;
}

}  // namespace penstock::inline v0
