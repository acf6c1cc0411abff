// The planner's window: the batches that are under way, how many there may be, and what each begins with.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/out_of_memory.hpp"
#include "pipeline/run/planner.hpp"

namespace penstock::inline v0 {
namespace {

// as_ready: that many steps from one that has not come; the state has a bit for each, and stays below 1 kB.
constexpr std::size_t kMaxStepsAhead = 1024;

/// Before rows are filled.
void clear_rows(BatchStorage& storage) {
  std::fill(storage.row_errors.begin(), storage.row_errors.end(), nullptr);
  storage.out_of_memory.store(false, std::memory_order_relaxed);
  storage.lack_of_memory = nullptr;
  storage.row_replaced.assign(storage.row_errors.size(), 0);
}

/// Names the column that takes most of it.
OutOfMemory lack_of_batch(const Plan& plan, std::size_t rows) {
  const auto bytes = [](const ColumnPlan& column) { return column.row_bytes(); };
  const auto largest = std::ranges::max_element(plan.columns(), {}, bytes);
  return {largest == plan.columns().end() ? fmt::format("a batch of {} rows", rows)
                                          : fmt::format("a batch of {} rows of '{}', {}", rows,
                                                        largest->info.name, largest->spec.to_string()),
          plan.fixed_bytes(rows), "use a smaller batch_size or smaller images"};
}

}  // namespace

std::size_t Planner::window_size() const noexcept {
  const auto size = static_cast<std::size_t>(std::max(batches_ahead(), 1));
  return options_.loading_mode == LoadingMode::as_ready ? std::min(size, kMaxStepsAhead) : size;
}

/// Bytes of a batch: what is known beforehand, and the most that was seen of what varies.
std::size_t Planner::batch_bytes() const noexcept { return plan_.fixed_bytes(batch_rows_) + varying_bytes_; }

bool Planner::has_room() const noexcept {
  if (window_.empty() || !options_.collate_buffer_size) {
    return true;
  }
  if (plan_.varies() && varying_bytes_ == 0) {
    return false;  // nothing is known yet
  }
  return (window_.size() + 1) * batch_bytes() <= *options_.collate_buffer_size;
}

void Planner::fill_window() {
  while (window_.size() < window_size() && has_room()) {
    if (!walk_.has_step(planned_)) {  // of an epoch that was resumed at its end, or has no samples
      if (walk_.rule().is_given() || steps() == 0) {
        return;
      }
      planned_ = {planned_.epoch + 1, 0, 0};
    }
    if ((walk_.rule().is_given() || !options_.persistent_workers) && planned_.epoch != walk_.epoch()) {
      return;  // its order is not known yet, or the workers end before
    }
    if (options_.loading_mode == LoadingMode::as_ready && !window_.empty() &&
        window_.front()->at.epoch == planned_.epoch &&
        planned_.step - window_.front()->at.step >= kMaxStepsAhead) {
      return;
    }
    if (!walk_.was_delivered(planned_)) {
      plan_batch(planned_);
    }
    planned_ = walk_.after(planned_);
    counters_.undelivered_bytes.store(
        std::max<std::uint64_t>(counters_.undelivered_bytes.load(std::memory_order_relaxed),
                                window_.size() * batch_bytes()),
        std::memory_order_relaxed);
  }
}

void Planner::plan_batch(const Cursor& at) {
  const std::shared_ptr<const EpochOrder>& order = walk_.order_of(at.epoch);
  const StepSlice slice = walk_.slices().at(at.position, order->places());
  std::unique_ptr<Job> job;
  if (spare_jobs_.empty()) {
    job = std::make_unique<Job>();
  } else {
    job = std::move(spare_jobs_.back());
    spare_jobs_.pop_back();
  }
  job->storage = make_storage(at, slice.rows);
  job->order = order;
  job->at = at;
  job->first_place = slice.first;
  job->stride = slice.stride;
  job->repeats = slice.repeated;
  job->runs_out = 0;
  window_.push_back(std::move(job));
  scheduler_->submit(*window_.back(), plan_.rows_per_item(batch_rows_, workers_));
}

/// The error of a row whose work was interrupted, which is not a fault of its sample: the batch is made
/// again.
std::optional<Error> Planner::make_again_if_interrupted(Job& job) {
  BatchStorage& storage = *job.storage;
  const auto end = storage.row_errors.begin() + static_cast<std::ptrdiff_t>(storage.rows);
  const auto found = std::find_if(storage.row_errors.begin(), end, [](const auto& error) {
    return error != nullptr && error->kind == ErrorKind::cancelled;
  });
  if (found == end) {
    return std::nullopt;
  }
  Error error = **found;
  clear_rows(storage);
  scheduler_->submit(job, plan_.rows_per_item(batch_rows_, workers_));
  return error;
}

BatchStorage* Planner::make_storage(const Cursor& at, std::size_t rows) {
  const std::size_t capacity = batch_rows_;
  Batch owner(storages_->acquire());  // gives it back if memory runs out below
  BatchStorage* storage = owner.storage();
  storage->epoch = at.epoch;
  storage->step = at.step;
  storage->rows = rows;
  storage->table = dataset_.table();
  if (!storage->fixed) {
    try {
      storage->fixed = whole_batches_.acquire(plan_.fixed_bytes(capacity));
    } catch (const std::bad_alloc&) {
      throw lack_of_batch(plan_, capacity);
    }
    plan_.lay_out(*storage, capacity);
  }
  clear_rows(*storage);
  storage->retain();
  return storage;
}

void Planner::drop_window() noexcept {
  for (std::unique_ptr<Job>& job : window_) {
    job->storage->release();
  }
  window_.clear();
}

}  // namespace penstock::inline v0
