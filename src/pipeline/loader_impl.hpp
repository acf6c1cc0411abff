#pragma once
// What a Loader is made of.

#include <sys/types.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/turn_lock.hpp"
#include "penstock/loader.hpp"
#include "pipeline/cache/cached_store.hpp"
#include "pipeline/order/loader_state.hpp"
#include "pipeline/plan/list_fields.hpp"
#include "pipeline/run/planner.hpp"

namespace penstock::inline v0 {

/// The order of the rows that are made of a data set; the seed is known.
Result<std::shared_ptr<const OrderRule>> rule_for(const Dataset& dataset, const RowPlanPtr& plan,
                                                  const LoaderOptions& options);

/// The planner, what lets several threads meet it, and the cache that may give it another data set.
class Loader::Impl {
 public:
  /// `seed`: that of the options, or drawn where they have none.
  Impl(Dataset dataset, Plan plan, FieldTransforms transforms, std::vector<View> views, LoaderOptions options,
       RowRecipe rows, std::uint64_t seed, std::shared_ptr<const OrderRule> rule);
  ~Impl();

  /// Stays valid while it is held; a newer one may take its place between epochs.
  std::shared_ptr<Planner> planner() const {
    const std::lock_guard lock(replacing_);
    return planner_;
  }
  /// None for a fork: who builds it stayed with the parent, and its lock may be held forever.
  CachedStore* cache() const noexcept { return inherited() ? nullptr : cache_.get(); }

  /// Begins the next epoch: from the cache, once that is complete. `iterating` is held.
  Result<std::uint64_t> start_epoch(std::optional<std::vector<std::uint64_t>> order);
  /// The epoch has come to its end. `iterating` is held.
  void epoch_ended() { epoch_took_ = epoch_took_.value_or(Clock::now() - epoch_begun_); }
  /// Until when the next epoch waits for the cache: nothing if it does not. `iterating` is held.
  std::optional<Clock::time_point> cache_deadline();

  std::uint64_t seed() const noexcept { return *planner_->options().seed; }
  /// The order of that seed.
  Result<std::shared_ptr<const OrderRule>> rule_of(std::uint64_t seed) const;
  RunIdentity identity(const OrderRule& rule) const;
  /// Of the run as it is.
  RunIdentity identity() const { return identity(*rule_); }
  std::vector<Problem> list_problems() const { return penstock::list_problems(dataset, transforms_); }
  ShardIdentity shard() const;
  /// Continues in an order that may have another seed than was drawn. `iterating` is held.
  Status take_rule(std::shared_ptr<const OrderRule> rule);

  /// Whether this process is a fork of the one that opened the loader.
  bool inherited() const noexcept { return ::getpid() != owner_; }
  Status check_owner() const;

  const Dataset dataset;  ///< the source, whatever is read
  const LoaderOptions options;
  TurnLock iterating;  ///< held while planning, waiting and delivering

 private:
  Status read_from_cache();
  Status replace_planner(const Dataset& source, const LoaderOptions& changed);

  const pid_t owner_ = ::getpid();
  std::shared_ptr<const OrderRule> rule_;
  mutable std::mutex replacing_;
  std::shared_ptr<Planner> planner_;
  const FieldTransforms transforms_;
  const std::vector<View> views_;
  const RowRecipe rows_;
  std::shared_ptr<CachedStore> cache_;
  Clock::time_point epoch_begun_;
  std::optional<Clock::duration> epoch_took_;  // the last one, if it came to its end
  std::optional<Clock::time_point> cache_deadline_;
  bool from_cache_ = false;
};

}  // namespace penstock::inline v0
