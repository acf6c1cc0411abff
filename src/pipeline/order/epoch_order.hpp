#pragma once
// Which row stands at which place of an epoch.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/index_shuffle.hpp"
#include "core/local_shuffle.hpp"
#include "core/rng.hpp"
#include "penstock/options.hpp"
#include "penstock/result.hpp"
#include "penstock/sampler.hpp"
#include "pipeline/order/length_windows.hpp"
#include "pipeline/order/row_part.hpp"
#include "pipeline/order/row_plan.hpp"

namespace penstock::inline v0 {

/// Draws rows with given probabilities in constant time (Walker's alias method).
class WeightedDraw {
 public:
  /// Weights that are finite, not negative and not all zero.
  explicit WeightedDraw(const std::vector<double>& weights);
  std::uint64_t draw(Draws& draws) const noexcept;

 private:
  std::vector<double> keep_;          // chance that a column's own row is taken
  std::vector<std::uint64_t> other_;  // the one taken otherwise
};

/// How rows are shuffled, where they are.
struct ShuffleRule {
  ShuffleMode mode = ShuffleMode::everywhere;
  std::uint64_t reach = 0;                    ///< shards mixed together, or rows of the window
  std::vector<std::uint64_t> shard_starts{};  ///< with ShuffleMode::shards

  /// `invalid` where the data set has no shards to shuffle. The options have a seed.
  static Result<ShuffleRule> make(const LoaderOptions& options, const RowPlan& plan,
                                  std::span<const RowTable> tables);
};

/// A Sampler made ready for the rows of a plan, which it knows by number. Immutable; shared by the orders of
/// all epochs.
class OrderRule {
 public:
  /// `invalid` if the sampler does not fit: indices out of range, weights that cannot be, or together with
  /// `shuffle`.
  static Result<std::shared_ptr<const OrderRule>> make(const Sampler& sampler, bool shuffle, RowPlanPtr plan,
                                                       std::uint64_t seed, ShuffleRule shuffle_rule = {},
                                                       LengthRule length_rule = {});

  const RowPlan& plan() const noexcept { return *plan_; }
  std::uint64_t rows() const noexcept { return rows_; }
  std::uint64_t seed() const noexcept { return seed_; }
  const Sampler& sampler() const noexcept { return sampler_; }
  const ShuffleRule& shuffle_rule() const noexcept { return shuffle_rule_; }
  const LengthRule& length_rule() const noexcept { return length_rule_; }
  const std::optional<WeightedDraw>& weighted() const noexcept { return weighted_; }
  /// In an epoch whose order is not given.
  std::uint64_t places() const noexcept { return places_; }
  /// Whether randomness is keyed by place, since samples may come more than once.
  bool repeats() const noexcept { return repeats_; }
  /// Whether the seed has a part in the order.
  bool is_random() const noexcept {
    return is_shuffled() || sampler_.kind == Sampler::Kind::random ||
           sampler_.kind == Sampler::Kind::weighted;
  }
  /// Whether it is a permutation by the shuffle rule.
  bool is_shuffled() const noexcept {
    return sampler_.kind == Sampler::Kind::repeated ||
           (sampler_.kind == Sampler::Kind::random && !sampler_.replacement);
  }
  /// Whether the order comes with each epoch.
  bool is_given() const noexcept { return sampler_.kind == Sampler::Kind::given; }
  /// "shuffled by (seed 3, epoch)", human-readable.
  std::string describe() const;
  /// What decides the order but the seed, in a few words: the same for the same sampler.
  std::string describe_sampler() const;

 private:
  std::string describe_reach() const;
  std::string describe_rows() const;

  Sampler sampler_;  // never automatic
  ShuffleRule shuffle_rule_;
  LengthRule length_rule_;
  RowPlanPtr plan_;
  std::uint64_t rows_ = 0;  // of the plan
  std::uint64_t seed_ = 0;
  std::uint64_t places_ = 0;
  bool repeats_ = false;
  std::optional<WeightedDraw> weighted_;
};

/// A pure function of (rule, epoch), or the order that was given: the row at each place. Immutable: workers
/// share it.
class EpochOrder {
 public:
  EpochOrder(std::shared_ptr<const OrderRule> rule, std::uint64_t epoch);
  /// An order that was given; `repeats` as check_order() found.
  EpochOrder(std::shared_ptr<const OrderRule> rule, std::uint64_t epoch, std::vector<std::uint64_t> order,
             bool repeats);

  std::uint64_t epoch() const noexcept { return epoch_; }
  std::uint64_t places() const noexcept { return places_; }
  /// The number that the row has in the plan.
  std::uint64_t row_at(std::uint64_t place) const noexcept;
  /// What it is made of. Allocates nothing once `parts` has the room.
  void parts_at(std::uint64_t place, RowParts& parts) const {
    rule_->plan().parts(rule_->seed(), epoch_, row_at(place), parts);
  }
  /// Whether randomness is keyed by place, since samples may come more than once.
  bool repeats() const noexcept { return repeats_; }
  /// Whether samples come in the order of the data set.
  bool is_sequential() const noexcept {
    return rule_->sampler().kind == Sampler::Kind::sequential && !windows_ && rule_->plan().in_order();
  }

 private:
  /// Before rows are sorted by length.
  std::uint64_t unsorted_at(std::uint64_t place) const noexcept;
  bool falls(std::uint64_t window) const noexcept;

  std::shared_ptr<const OrderRule> rule_;
  std::uint64_t epoch_;
  std::uint64_t places_;
  bool repeats_;
  std::variant<std::monostate, IndexShuffle, ShardShuffle, WindowShuffle> shuffle_;
  std::vector<std::uint64_t> list_;  // given, or drawn without replacement
  std::optional<LengthWindows> windows_;
};

/// Whether all of them are rows, and whether one comes twice.
Result<bool> check_order(const std::vector<std::uint64_t>& order, std::uint64_t rows);

}  // namespace penstock::inline v0
