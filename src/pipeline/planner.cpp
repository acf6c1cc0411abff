#include "pipeline/planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "core/usable_cores.hpp"

namespace penstock {

namespace {

constexpr std::size_t kErrorsKept = 1000;
constexpr std::size_t kSpareStorages =
    2;  // held by the consumer: the batch in use, and the one it has just asked for

std::uint64_t count_steps(std::uint64_t samples, const LoaderOptions& options) {
  const auto rows = static_cast<std::uint64_t>(options.batch_size);
  return options.drop_last ? samples / rows : (samples + rows - 1) / rows;
}

std::int64_t clock_nanoseconds(Clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

Error cancelled(std::string message, std::string advice) {
  return Error{.kind = ErrorKind::cancelled,
               .message = std::move(message),
               .advice = std::move(advice),
               .place = {.stage = "deliver"}};
}

}  // namespace

Planner::Planner(Dataset dataset, Plan plan, LoaderOptions options, const Planner* before)
    : dataset_(std::move(dataset)),
      plan_(std::move(plan)),
      options_(std::move(options)),
      steps_(count_steps(dataset_.size(), options_)),
      batch_rows_(static_cast<std::size_t>(
          std::clamp<std::uint64_t>(dataset_.size(), 1, static_cast<std::uint64_t>(options_.batch_size)))),
      workers_(options_.num_workers.value_or(static_cast<int>(usable_cores()))),
      storages_(std::make_shared<BatchPool>(window_size() + kSpareStorages)) {
  const std::size_t run_rows = plan_.rows_per_item(batch_rows_, workers_);
  const std::size_t runs_per_batch = (batch_rows_ + run_rows - 1) / run_rows;
  // What varies in size: one piece per run, or per picture of a list.
  const bool lists =
      std::any_of(plan_.columns().begin(), plan_.columns().end(),
                  [](const ColumnPlan& column) { return column.shape == Column::Shape::picture_list; });
  pool_.set_keep_free((window_size() + kSpareStorages) * (lists ? batch_rows_ : runs_per_batch));
  scheduler_ = std::make_unique<Scheduler>(plan_, dataset_.table(), options_, workers_,
                                           window_size() * runs_per_batch, pool_);
  if (before != nullptr) {
    go_on_from(*before);
  }
}

void Planner::go_on_from(const Planner& before) {
  next_epoch_ = before.next_epoch_;
  ticket_ = before.ticket_;
  counters_.go_on_from(before.counters_);
  errors_ = before.errors();
  const std::lock_guard lock(before.scheduler_mutex_);
  earlier_ = before.scheduler_ ? before.scheduler_->totals(before.earlier_) : before.earlier_;
}

Planner::~Planner() { close(); }

void Planner::close() noexcept {
  std::unique_ptr<Scheduler> ending;
  {
    const std::lock_guard lock(scheduler_mutex_);
    if (!scheduler_) {
      return;
    }
    last_stats_ = stats_of(*scheduler_);
    ending = std::move(scheduler_);
  }
  ending.reset();  // joins the workers: nobody writes to the window's memory after this
  drop_window();
  storages_->keep_at_most(0);
  pool_.set_keep_free(0);
}

std::size_t Planner::window_size() const noexcept {
  // Without workers nothing is done ahead.
  return workers_ == 0 ? 1 : static_cast<std::size_t>(std::max(options_.prefetch, 1));
}

std::size_t Planner::rows_of(std::uint64_t step) const noexcept {
  const auto rows = static_cast<std::uint64_t>(options_.batch_size);
  return static_cast<std::size_t>(std::min(rows, dataset_.size() - step * rows));
}

Result<std::uint64_t> Planner::start_epoch() {
  if (!scheduler_) {
    return cancelled("the loader is closed", "open a new one");
  }
  const Cursor start{.epoch = next_epoch_, .step = 0};
  const bool prefetched =
      !window_.empty() && window_.front()->epoch == start.epoch && window_.front()->step == 0;
  if (!prefetched) {
    scheduler_->cancel_all();
    drop_window();
    planned_ = start;
  }
  wanted_ = start;
  next_epoch_ = start.epoch + 1;
  if (options_.prefetch > 0 && workers_ > 0) {
    fill_window();
  }
  return ++ticket_;
}

Result<Loader::Step> Planner::next(std::uint64_t ticket, Clock::time_point deadline) {
  using State = Loader::Step::State;
  if (!scheduler_) {
    return cancelled("the loader is closed", "open a new one");
  }
  if (ticket != ticket_) {
    return cancelled("this iteration has ended: the loader has begun a newer one",
                     "iterate over one at a time");
  }
  if (wanted_.step == steps_) {
    return Loader::Step{.state = State::finished, .batch = {}};
  }
  const Clock::time_point start = Clock::now();
  note_request();
  fill_window();
  const bool complete = scheduler_->wait_for(*window_.front(), deadline);
  const Clock::time_point end = Clock::now();
  counters_.wait.add(nanoseconds_between(start, end));
  if (!complete) {
    return Loader::Step{.state = State::waiting, .batch = {}};
  }
  spare_jobs_.reserve(spare_jobs_.size() + 1);
  std::unique_ptr<Job> job = std::move(window_.front());
  window_.pop_front();
  BatchStorage* storage = std::exchange(job->storage, nullptr);
  job->order.reset();
  spare_jobs_.push_back(std::move(job));
  ++wanted_.step;
  if (options_.prefetch > 0 && workers_ > 0) {
    try {
      fill_window();
    } catch (const std::bad_alloc&) {
      // This batch is complete and must not be lost: the next request tries again, and says so.
    }
  }
  counters_.last_delivery.store(clock_nanoseconds(end), std::memory_order_relaxed);
  if (counters_.batches.get() == 0) {
    counters_.first_batch.add(
        static_cast<std::uint64_t>(clock_nanoseconds(end) - counters_.first_request.load()));
  }
  PENSTOCK_ASSIGN(Batch batch, deliver(storage));
  return Loader::Step{.state = State::ready, .batch = std::move(batch)};
}

void Planner::note_request() {
  if (counters_.first_request.load(std::memory_order_relaxed) == 0) {
    counters_.first_request.store(clock_nanoseconds(Clock::now()), std::memory_order_relaxed);
  }
  scheduler_->collect();
  const std::size_t out = scheduler_->runs_out();
  counters_.requests.add(1);
  counters_.queue_fill.add(out == 0 ? 0 : 1000 * std::min(scheduler_->runs_waiting(), out) / out);
  counters_.batches_ready.add(static_cast<std::uint64_t>(
      std::count_if(window_.begin(), window_.end(), [](const auto& job) { return job->complete(); })));
}

void Planner::fill_window() {
  while (steps_ > 0 && window_.size() < window_size()) {
    plan_batch(planned_);
    if (++planned_.step == steps_) {
      planned_ = {.epoch = planned_.epoch + 1, .step = 0};
    }
  }
}

void Planner::plan_batch(const Cursor& at) {
  if (!order_ || order_->epoch() != at.epoch) {
    order_ = std::make_shared<const EpochOrder>(dataset_.size(), options_.shuffle, options_.seed, at.epoch);
  }
  std::unique_ptr<Job> job;
  if (spare_jobs_.empty()) {
    job = std::make_unique<Job>();
  } else {
    job = std::move(spare_jobs_.back());
    spare_jobs_.pop_back();
  }
  job->storage = make_storage(at);
  job->order = order_;
  job->epoch = at.epoch;
  job->step = at.step;
  job->runs_out = 0;
  window_.push_back(std::move(job));
  scheduler_->submit(*window_.back(), at.step * static_cast<std::uint64_t>(options_.batch_size),
                     plan_.rows_per_item(batch_rows_, workers_));
}

BatchStorage* Planner::make_storage(const Cursor& at) {
  const std::size_t capacity = batch_rows_;
  Batch owner(storages_->acquire());  // gives it back if memory runs out below
  BatchStorage* storage = owner.storage();
  storage->epoch = at.epoch;
  storage->step = at.step;
  storage->rows = rows_of(at.step);
  storage->table = dataset_.table();
  if (!storage->fixed) {
    storage->fixed = whole_batches_.acquire(plan_.fixed_bytes(capacity));
    plan_.lay_out(storage->fixed.data(), capacity, storage->columns, storage->index, storage->raw);
    storage->has_raw = plan_.raw_field().has_value();
    storage->row_errors.resize(capacity);
    storage->row_memory.resize(std::max<std::size_t>(1, capacity * storage->columns.size()));
  }
  std::fill(storage->row_errors.begin(), storage->row_errors.end(), nullptr);
  storage->out_of_memory.store(false, std::memory_order_relaxed);
  storage->row_replaced.assign(capacity, 0);
  storage->retain();
  return storage;
}

void Planner::drop_window() noexcept {
  for (std::unique_ptr<Job>& job : window_) {
    job->storage->release();
  }
  window_.clear();
}

void Planner::note_error(Error error) {
  counters_.errors.add(1);
  const std::lock_guard lock(errors_mutex_);
  if (errors_.size() < kErrorsKept) {
    errors_.push_back(std::move(error));
  }
}

Result<Batch> Planner::deliver(BatchStorage* storage) {
  Batch batch(storage);
  if (storage->out_of_memory.load(std::memory_order_relaxed)) {
    throw std::bad_alloc();  // whatever on_error says: what is delivered must not depend on the machine
  }
  bool bad_rows = false;
  for (std::size_t row = 0; row < storage->rows; ++row) {
    if (!storage->row_errors[row]) {
      continue;
    }
    Error error = *storage->row_errors[row];
    const bool lost = storage->row_replaced[row] == 0;
    if (lost && options_.on_error != OnError::skip) {
      counters_.errors.add(static_cast<std::uint64_t>(
          std::count_if(storage->row_errors.begin() + static_cast<std::ptrdiff_t>(row),
                        storage->row_errors.begin() + static_cast<std::ptrdiff_t>(storage->rows),
                        [](const auto& bad) { return bad != nullptr; })));
      if (error.advice.empty()) {
        error.advice = "pass on_error='skip' or on_error='replace' to go on without it";
      }
      return error;
    }
    bad_rows = bad_rows || lost;
    note_error(std::move(error));
  }
  if (bad_rows) {
    leave_out_bad_rows(*storage);
  }
  counters_.batches.add(1);
  counters_.samples.add(storage->rows);
  return batch;
}

void Planner::leave_out_bad_rows(BatchStorage& storage) {
  const std::size_t width = storage.columns.size();
  std::size_t kept = 0;
  for (std::size_t row = 0; row < storage.rows; ++row) {
    if (storage.row_errors[row]) {
      continue;
    }
    if (kept != row) {
      for (std::size_t c = 0; c < width; ++c) {
        Column& column = storage.columns[c];
        switch (column.shape) {
          case Column::Shape::pictures: {
            const std::size_t bytes = plan_.columns()[c].row_bytes;
            auto* data = static_cast<std::uint8_t*>(column.data);
            std::memcpy(data + kept * bytes, data + row * bytes, bytes);
            break;
          }
          case Column::Shape::integers:
            column.integers[kept] = column.integers[row];
            break;
          case Column::Shape::picture_list:
            column.pictures[kept] = column.pictures[row];
            break;
          case Column::Shape::blobs:
            column.blobs[kept] = column.blobs[row];
            break;
        }
        if (!storage.has_raw) {
          storage.row_memory[kept * width + c] = std::move(storage.row_memory[row * width + c]);
        }
      }
      storage.index[kept] = storage.index[row];
      if (storage.has_raw) {
        for (std::int64_t* values :
             {storage.raw.offsets, storage.raw.sizes, storage.raw.heights, storage.raw.widths}) {
          values[kept] = values[row];
        }
      }
    }
    ++kept;
  }
  storage.rows = kept;
}

std::uint64_t Planner::buffer_bytes() const {
  return whole_batches_.stats().bytes_allocated() + pool_.stats().bytes_allocated();
}

LoaderStats Planner::stats_of(const Scheduler& scheduler) const {
  return make_stats(counters_, scheduler.totals(earlier_), scheduler.workers(), buffer_bytes(),
                    options_.decode);
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

std::vector<Error> Planner::errors() const {
  const std::lock_guard lock(errors_mutex_);
  return errors_;
}

std::string Planner::describe() const {
  const std::string order =
      options_.shuffle ? fmt::format("shuffled by (seed {}, epoch)", options_.seed) : "in order";
  return fmt::format("{}: {} samples, {}\n{} steps of {} rows, {} workers, {} batches ahead\n{}",
                     dataset_.description(), dataset_.size(), order, steps_, options_.batch_size, workers_,
                     workers_ == 0 ? 0 : options_.prefetch, plan_.describe());
}

}  // namespace penstock
