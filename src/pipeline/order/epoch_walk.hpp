#pragma once
// Where a loader is: the epoch, the step that comes next, and what the consumer has received.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "pipeline/order/epoch_order.hpp"
#include "pipeline/order/rank_slices.hpp"

namespace penstock::inline v0 {

/// A step of an epoch.
struct Cursor {
  std::uint64_t epoch = 0;
  std::uint64_t position = 0;  ///< places that all ranks together took before
  std::uint64_t step = 0;      ///< its number
  bool operator==(const Cursor&) const = default;
};

/// Where a consumer is: what it has received of an epoch.
struct Progress {
  std::uint64_t epoch = 0;
  std::uint64_t position = 0;            ///< all places before it were taken by some rank
  std::vector<std::uint64_t> delivered;  ///< positions of later steps that were delivered (as_ready), sorted
};

/// Not thread-safe: the consumer's thread owns it.
class EpochWalk {
 public:
  EpochWalk(std::shared_ptr<const OrderRule> rule, RankSlices slices)
      : rule_(std::move(rule)), slices_(slices) {}

  const OrderRule& rule() const noexcept { return *rule_; }
  const RankSlices& slices() const noexcept { return slices_; }
  void set_slices(RankSlices slices) noexcept { slices_ = slices; }

  /// Of the iteration that comes next.
  std::uint64_t next_epoch() const noexcept { return resume_ ? resume_->epoch : next_epoch_; }
  /// Names it; a position to resume at stays if it is in that epoch.
  void set_epoch(std::uint64_t epoch) noexcept;
  /// The next iteration continues there.
  void resume(Progress from);
  /// The next iteration leaves out so many of its steps.
  void skip(std::uint64_t steps);
  /// What the consumer has received.
  Progress progress() const;
  /// Continues where another is.
  void resume_from(const EpochWalk& before);

  /// Begins the next iteration: its first step. `order`: of the epoch, where the sampler has it given. Until
  /// the consumer asks for a batch the iteration after it begins at the same step: frameworks make iterators
  /// only to see whether they can.
  Cursor begin(std::optional<std::vector<std::uint64_t>> order, bool repeats);
  /// The first step of the next iteration, and whether later ones were delivered already.
  Cursor start() const;
  /// The consumer asks for a batch of this iteration: the one after it is of another epoch.
  void requested() noexcept;
  bool starts_with_gaps() const noexcept { return resume_ && !resume_->delivered.empty(); }

  std::uint64_t epoch() const noexcept { return epoch_; }
  /// Whether every step of the epoch has been taken.
  bool is_over() const noexcept { return wanted_.epoch != epoch_ || !has_step(wanted_); }
  void end() noexcept { iterating_ = false; }
  bool has_step(const Cursor& at) const noexcept {
    return slices_.steps(at.position, places_of(at.epoch)) > 0;
  }
  /// The step after that one; after the last of an epoch comes the first of the next.
  Cursor after(const Cursor& at) const noexcept;
  bool was_delivered(const Cursor& at) const noexcept;
  /// The order of that epoch, kept until another is asked for.
  const std::shared_ptr<const EpochOrder>& order_of(std::uint64_t epoch);

  /// This step is taken out, whatever comes of it.
  void pass(const Cursor& at);
  /// The consumer has what was taken out so far.
  void received();

 private:
  std::uint64_t places_of(std::uint64_t epoch) const noexcept {
    return order_ && order_->epoch() == epoch ? order_->places() : rule_->places();
  }

  std::shared_ptr<const OrderRule> rule_;
  RankSlices slices_;
  std::shared_ptr<const EpochOrder> order_;  // of the epoch asked for last
  Cursor wanted_;                            // the first step that has not been taken out
  std::vector<std::uint64_t> delivered_;     // positions after wanted_, of the same epoch, sorted
  Progress received_;                        // the same without steps that failed
  bool iterating_ = false;                   // begun and not come to its end
  bool untouched_ = false;                   // begun, and no batch asked for: resume_ is where it began
  std::optional<Progress> resume_;           // where the next epoch begins, if not at its start
  std::uint64_t epoch_ = 0;                  // of the iteration
  std::uint64_t next_epoch_ = 0;
};

}  // namespace penstock::inline v0
