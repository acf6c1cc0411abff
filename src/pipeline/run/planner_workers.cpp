// The planner's workers: how many there are, what they may use, and how they end.

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "pipeline/run/planner.hpp"

namespace penstock::inline v0 {
namespace {

constexpr std::chrono::seconds kEndPatience{5};
constexpr std::size_t kSpareStorages =
    2;  // held by the consumer: the batch in use, and the one it has just asked for

}  // namespace

Error workers_refused(const std::system_error& refused) {
  return {.kind = ErrorKind::io,
          .message = fmt::format("the system refused to start the workers: {}", refused.what()),
          .advice = "lower num_workers or raise the limit on threads",
          .place = {.stage = "open"}};
}

void Planner::make_scheduler() {
  keep_memory();
  const std::size_t max_batches = tuner_ ? static_cast<std::size_t>(tuner_->max_prefetch()) : window_size();
  auto scheduler = Scheduler::start(shared_plan_, dataset_.table(), options_, workers_,
                                    max_batches * runs_per_batch(), pool_);
  if (tuner_) {
    scheduler->set_active_workers(tuner_->settings().workers);
  }
  const std::lock_guard lock(scheduler_mutex_);
  scheduler_ = std::move(scheduler);
}

std::size_t Planner::runs_per_batch() const noexcept {
  const std::size_t run_rows = plan_.rows_per_item(batch_rows_, workers_);
  return (batch_rows_ + run_rows - 1) / run_rows;
}

/// As much memory stays for re-use as the window and the consumer need.
void Planner::keep_memory() {
  const std::size_t batches = window_size() + kSpareStorages;
  storages_->keep_at_most(batches);
  pool_->set_keep_free(batches * plan_.varying_pieces(batch_rows_, runs_per_batch()));
}

void Planner::tune(Clock::time_point now) {
  if (tuner_ && tuner_->note(now, counters_.wait.get())) {
    scheduler_->set_active_workers(tuner_->settings().workers);
    keep_memory();
  }
}

void Planner::end_workers(bool keep_stages) noexcept {
  std::shared_ptr<Scheduler> ending;
  {
    const std::lock_guard lock(scheduler_mutex_);
    if (!scheduler_) {
      return;
    }
    last_stats_ = stats_of(*scheduler_);
    earlier_ = scheduler_->totals(earlier_);
    ending = std::move(scheduler_);
  }
  if (!keep_stages) {
    plan_.stop_stages();  // first: a worker may be waiting for one
  }
  if (!ending->end(window_, kEndPatience)) {
    const std::string occupation = ending->occupation();
    const std::lock_guard lock(scheduler_mutex_);
    left_behind_ = fmt::format(
        "workers did not end within {} s and were left behind, with the memory they write to: {}; they end "
        "when the source answers",
        kEndPatience.count(), occupation);
  }
  drop_window();
}

std::string Planner::left_behind() const {
  const std::lock_guard lock(scheduler_mutex_);
  return left_behind_;
}

Status Planner::start_workers() {
  PENSTOCK_TRY(plan_.start_stages(workers_));
  try {
    make_scheduler();
    return {};
  } catch (const std::system_error& refused) {
    return workers_refused(refused);
  }
}

}  // namespace penstock::inline v0
