// What a planner tells about itself: stats() and the plan in words.

#include <fmt/format.h>

#include <optional>
#include <string>

#include "core/printable.hpp"
#include "pipeline/run/planner.hpp"

namespace penstock::inline v0 {

std::uint64_t Planner::buffer_bytes() const {
  return whole_batches_.stats().bytes_allocated() + pool_->stats().bytes_allocated();
}

LoaderStats Planner::stats_of(const Scheduler& scheduler) const {
  LoaderStats stats =
      make_stats(counters_, scheduler.totals(earlier_), scheduler.workers(),
                 tuner_ ? std::optional(tuner_->report()) : std::nullopt, buffer_bytes(), plan_, steps());
  stats.memory_format = plan_.memory_format();
  stats.seed = *options_.seed;
  stats.rank = walk_.slices().rank();
  stats.world = walk_.slices().world();
  return stats;
}

LoaderStats Planner::stats() const {
  const std::lock_guard lock(scheduler_mutex_);
  if (scheduler_) {
    return stats_of(*scheduler_);
  }
  LoaderStats stats = last_stats_;
  stats.buffer_bytes = buffer_bytes();  // of batches that are still held
  return stats;
}

std::vector<FieldInfo> Planner::columns() const {
  std::vector<FieldInfo> columns;
  for (const ColumnPlan& column : plan_.columns()) {
    columns.push_back(column.info);
  }
  return columns;
}

std::string Planner::describe() const {
  const RankSlices& slices = walk_.slices();
  const std::string rank =
      slices.world() == 1 ? "" : fmt::format(", rank {} of {}", slices.rank(), slices.world());
  return fmt::format("{}: {} samples, {}{}\n{} steps of {} rows, {} workers, {} batches ahead\n{}",
                     printable_path(dataset_.description()), dataset_.size(), walk_.rule().describe(), rank,
                     steps(), options_.batch_size,
                     tuner_ ? fmt::format("up to {}", workers_) : fmt::format("{}", workers_),
                     tuner_ ? tuner_->report().prefetch : batches_ahead(), plan_.describe());
}

}  // namespace penstock::inline v0
