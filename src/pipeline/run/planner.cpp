#include "pipeline/run/planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <system_error>

namespace penstock::inline v0 {

namespace {

constexpr double kMaxWaitSeconds = 1e8;  // what a clock can count

RankSlices slices_for(const LoaderOptions& options, int rank, int world) {
  return {static_cast<std::uint64_t>(options.batch_size),
          static_cast<std::uint64_t>(rank) * static_cast<std::uint64_t>(options.num_workers_pytorch) +
              static_cast<std::uint64_t>(options.worker_id),
          static_cast<std::uint64_t>(world) * static_cast<std::uint64_t>(options.num_workers_pytorch),
          options.drop_last, options.sampler.kind == Sampler::Kind::repeated};
}

std::size_t max_batch_rows(const OrderRule& rule, const LoaderOptions& options) {
  const auto rows = static_cast<std::uint64_t>(options.batch_size);
  return static_cast<std::size_t>(rule.is_given() ? rows : std::clamp<std::uint64_t>(rule.places(), 1, rows));
}

std::int64_t clock_nanoseconds(Clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

void count_padding(const BatchStorage& storage, ConsumerCounters& counters) {
  for (const Column& column : storage.columns) {
    if (column.lengths == nullptr) {
      continue;
    }
    std::size_t longest = column.ragged() ? 0 : column.spec.shape.back();
    for (std::size_t row = 0; column.ragged() && row < storage.rows; ++row) {
      longest = std::max(longest, column.rows[row].shape.back());
    }
    for (std::size_t row = 0; row < storage.rows; ++row) {
      counters.audio_frames.add(longest);
      counters.padded_frames.add(longest - std::min(longest, static_cast<std::size_t>(column.lengths[row])));
    }
  }
}

Error cancelled(std::string message, std::string advice) {
  return Error{.kind = ErrorKind::cancelled,
               .message = std::move(message),
               .advice = std::move(advice),
               .place = {.stage = "deliver"}};
}

}  // namespace

Planner::Planner(Dataset dataset, Plan plan, LoaderOptions options, std::shared_ptr<const OrderRule> rule,
                 const Planner* before)
    : dataset_(std::move(dataset)),
      shared_plan_(std::make_shared<const Plan>(std::move(plan))),
      options_(std::move(options)),
      walk_(std::move(rule),
            slices_for(options_, options_.shard_rank.value_or(0), options_.shard_world_size.value_or(1))),
      batch_rows_(max_batch_rows(walk_.rule(), options_)),
      workers_(max_workers(options_)),
      storages_(std::make_shared<BatchPool>(0)) {
  if (options_.auto_tune) {
    tuner_.emplace(workers_, options_.prefetch, plan_.raw_field().has_value());
  }
  if (before != nullptr) {
    resume_from(*before);
  }
  make_scheduler();
}

void Planner::resume_from(const Planner& before) {
  walk_.resume_from(before.walk_);
  ticket_ = before.ticket_;
  counters_.resume_from(before.counters_);
  bad_rows_.resume_from(before.bad_rows_);
  if (tuner_) {
    tuner_->resume_from(*before.tuner_);
  }
  const std::lock_guard lock(before.scheduler_mutex_);
  earlier_ = before.scheduler_ ? before.scheduler_->totals(before.earlier_) : before.earlier_;
}

Planner::~Planner() { close(); }

void Planner::close(bool keep_stages) noexcept {
  closed_ = true;
  end_workers(keep_stages);
  storages_->keep_at_most(0);
  pool_->set_keep_free(0);
}

int Planner::batches_ahead() const noexcept {
  if (workers_ == 0) {
    return 0;  // nobody works beside the consumer
  }
  return tuner_ ? tuner_->settings().prefetch : options_.prefetch;
}

Status Planner::set_shard(int rank, int world) {
  if (ticket_ > 0) {
    return Error{.kind = ErrorKind::invalid,
                 .message = "the rank cannot be changed after the first epoch has begun",
                 .advice = "create a new loader, and load this one's state into it",
                 .place = {.stage = "deliver"}};
  }
  walk_.set_slices(slices_for(options_, rank, world));
  return {};
}

Result<std::uint64_t> Planner::start_epoch(std::optional<std::vector<std::uint64_t>> order) {
  if (closed_) {
    return cancelled("the loader is closed", "open a new one");
  }
  bool repeats = false;
  if (order) {
    PENSTOCK_ASSIGN(repeats, check_order(*order, walk_.rule().rows()));
  }
  if (!scheduler_) {
    PENSTOCK_TRY(start_workers());
  }
  PENSTOCK_TRY(make_way(Parking::kForever));
  const Cursor start = walk_.start();
  if (!is_prefetched(start)) {
    planned_ = start;
  }
  walk_.begin(std::move(order), repeats);
  waiting_since_.reset();
  if (tuner_) {
    tuner_->interrupt();
  }
  if (batches_ahead() > 0) {
    fill_window();
  }
  return ++ticket_;
}

bool Planner::is_prefetched(const Cursor& start) const {
  return !walk_.rule().is_given() && !walk_.starts_with_gaps() && !window_.empty() &&
         window_.front()->at == start;
}

Result<bool> Planner::make_way(Clock::time_point deadline) {
  if (closed_) {
    return cancelled("the loader is closed", "open a new one");
  }
  if (!scheduler_ || is_prefetched(walk_.start())) {
    return true;
  }
  ++ticket_;  // an older iteration cannot continue with what is half done
  const Clock::time_point start = dropping_since_.value_or(Clock::now());
  const auto last = options_.timeout_seconds
                        ? start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(
                                      std::min(*options_.timeout_seconds, kMaxWaitSeconds)))
                        : Parking::kForever;
  if (scheduler_->cancel_all(std::min(deadline, last))) {
    dropping_since_.reset();
    drop_window();
    return true;
  }
  const Clock::time_point now = Clock::now();
  if (now < last) {
    dropping_since_ = start;
    return false;
  }
  dropping_since_.reset();  // who asks again waits as long again
  return no_answer(start, now);
}

Error Planner::no_answer(Clock::time_point start, Clock::time_point now) const {
  const std::chrono::duration<double> waited = now - start;
  return {.kind = ErrorKind::timeout,
          .message =
              fmt::format("no batch was ready within {:.1f} s: {}", waited.count(), scheduler_->occupation()),
          .advice = "check the source that does not answer, or raise timeout_seconds",
          .place = {.source = dataset_.description(), .stage = "deliver"}};
}

std::optional<std::size_t> Planner::complete_job() const noexcept {
  const std::size_t eligible = options_.loading_mode == LoadingMode::as_ready ? window_.size() : 1;
  for (std::size_t i = 0; i < eligible && window_[i]->at.epoch == walk_.epoch(); ++i) {
    if (window_[i]->complete()) {
      return i;
    }
  }
  return std::nullopt;
}

Result<Loader::Step> Planner::next(std::uint64_t ticket, Clock::time_point deadline) {
  using State = Loader::Step::State;
  if (closed_) {
    return cancelled("the loader is closed", "open a new one");
  }
  if (ticket != ticket_) {
    return cancelled("this iteration has ended: the loader has begun a newer one",
                     "iterate over one at a time");
  }
  walk_.requested();
  if (walk_.is_over()) {
    walk_.end();
    if (!options_.persistent_workers) {
      end_workers();
    }
    return Loader::Step{.state = State::finished, .batch = {}};
  }
  const Clock::time_point start = Clock::now();
  note_request();
  fill_window();
  std::optional<std::size_t> complete;
  scheduler_->wait_for([&] { return (complete = complete_job()).has_value(); }, deadline);
  const Clock::time_point end = Clock::now();
  counters_.wait.add(nanoseconds_between(start, end));
  if (!complete) {
    PENSTOCK_TRY(check_timeout(start, end));
    return Loader::Step{.state = State::waiting, .batch = {}};
  }
  waiting_since_.reset();
  if (std::optional<Error> interrupted = make_again_if_interrupted(*window_[*complete])) {
    return std::move(*interrupted);
  }
  spare_jobs_.reserve(spare_jobs_.size() + 1);
  std::unique_ptr<Job> job = std::move(window_[*complete]);
  window_.erase(window_.begin() + static_cast<std::ptrdiff_t>(*complete));
  walk_.pass(job->at);
  const bool repeats = job->repeats;
  BatchStorage* storage = std::exchange(job->storage, nullptr);
  job->order.reset();
  spare_jobs_.push_back(std::move(job));
  try {
    tune(end);
    if (batches_ahead() > 0) {
      fill_window();
    }
  } catch (const std::bad_alloc&) {
    // This batch is complete and must not be lost: the next request tries again, and says so.
  }
  counters_.last_delivery.store(clock_nanoseconds(end), std::memory_order_relaxed);
  if (counters_.batches.get() == 0) {
    counters_.first_batch.add(
        static_cast<std::uint64_t>(clock_nanoseconds(end) - counters_.first_request.load()));
  }
  PENSTOCK_ASSIGN(Batch batch, deliver(storage));
  counters_.repeated.add(repeats ? batch.rows() : 0);
  walk_.received();
  return Loader::Step{.state = State::ready, .batch = std::move(batch)};
}

bool Planner::is_ready(std::uint64_t ticket) {
  if (closed_ || ticket != ticket_ || walk_.is_over() || window_.empty()) {
    return false;
  }
  scheduler_->collect();
  const std::optional<std::size_t> complete = complete_job();
  if (!complete) {
    return false;
  }
  const BatchStorage& storage = *window_[*complete]->storage;
  return !storage.out_of_memory.load(std::memory_order_relaxed) &&
         std::all_of(storage.row_errors.begin(),
                     storage.row_errors.begin() + static_cast<std::ptrdiff_t>(storage.rows),
                     [](const auto& error) { return error == nullptr; });
}

Status Planner::check_timeout(Clock::time_point start, Clock::time_point now) {
  waiting_since_ = waiting_since_.value_or(start);
  const std::chrono::duration<double> waited = now - *waiting_since_;
  if (!options_.timeout_seconds || waited.count() < *options_.timeout_seconds) {
    return {};
  }
  const Clock::time_point since = *std::exchange(waiting_since_, {});  // who asks again waits as long again
  return no_answer(since, now);
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

Result<Batch> Planner::deliver(BatchStorage* storage) {
  Batch batch(storage);
  if (storage->out_of_memory.load(std::memory_order_relaxed)) {
    // Whatever on_error says: what is delivered must not depend on the machine.
    std::rethrow_exception(storage->lack_of_memory);
  }
  varying_bytes_ = std::max(varying_bytes_, plan_.varying_bytes(*storage));
  const std::size_t planned = storage->rows;
  PENSTOCK_TRY(bad_rows_.take(*storage));
  counters_.batches.add(1);
  counters_.short_batches.add(storage->rows < planned ? 1 : 0);
  counters_.empty_batches.add(storage->rows == 0 ? 1 : 0);
  counters_.samples.add(storage->rows);
  count_padding(*storage, counters_);
  return batch;
}

}  // namespace penstock::inline v0
