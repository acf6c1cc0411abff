#pragma once
// Decides which batch is worked on next, keeps a window of them under way and delivers them in order.

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "core/buffer_pool.hpp"
#include "penstock/dataset.hpp"
#include "penstock/loader.hpp"
#include "pipeline/fill/batch_storage.hpp"
#include "pipeline/order/epoch_walk.hpp"
#include "pipeline/plan/plan.hpp"
#include "pipeline/run/auto_tuner.hpp"
#include "pipeline/run/bad_rows.hpp"
#include "pipeline/run/consumer_counters.hpp"
#include "pipeline/run/scheduler.hpp"

namespace penstock::inline v0 {

/// What to say when the system refuses threads.
Error workers_refused(const std::system_error& refused);

/// Runs on the consumer's thread, one call at a time; stats(), errors() and the const accessors may be called
/// by any thread at any time. There is no thread of its own: the window is filled before the consumer waits
/// and again when it leaves with a batch, so the workers always have what they may do.
class Planner {
 public:
  /// Starts the workers. Throws std::system_error if the system refuses threads. Epochs, tickets, counters
  /// and errors continue where those of `before` are.
  Planner(Dataset dataset, Plan plan, LoaderOptions options, std::shared_ptr<const OrderRule> rule,
          const Planner* before = nullptr);
  ~Planner();

  const Dataset& dataset() const noexcept { return dataset_; }
  const LoaderOptions& options() const noexcept { return options_; }
  /// Of a whole epoch.
  std::uint64_t steps() const noexcept { return walk_.slices().steps(0, walk_.rule().places()); }
  /// Where the consumer is.
  const EpochWalk& walk() const noexcept { return walk_; }
  void set_epoch(std::uint64_t epoch) noexcept { walk_.set_epoch(epoch); }
  void resume(Progress from) { walk_.resume(std::move(from)); }
  void skip(std::uint64_t steps) { walk_.skip(steps); }
  /// Which part is this process's; before the first epoch.
  Status set_shard(int rank, int world);

  /// Drops what is under way and not wanted by the epoch that start_epoch() begins. False: at the deadline
  /// workers are still at it. An error once that has lasted for timeout_seconds.
  Result<bool> make_way(Clock::time_point deadline);
  /// `order`: of the epoch, where the sampler has it given.
  Result<std::uint64_t> start_epoch(std::optional<std::vector<std::uint64_t>> order = {});
  Result<Loader::Step> next(std::uint64_t ticket, Clock::time_point deadline);
  /// Whether next() would give a batch at once, and no error.
  bool is_ready(std::uint64_t ticket);
  /// `keep_stages`: the user's stages continue, for another planner.
  void close(bool keep_stages = false) noexcept;
  bool closed() const noexcept { return closed_; }

  LoaderStats stats() const;
  std::vector<Error> errors() const { return bad_rows_.errors(); }
  std::string report_problem() const { return bad_rows_.report_problem(); }
  /// Which workers did not end when they should have, human-readable; empty if all did.
  std::string left_behind() const;
  std::string describe() const;
  /// Of every batch.
  std::vector<FieldInfo> columns() const;
  std::vector<std::pair<std::string, std::string>> remarks() const { return plan_.remarks(); }

 private:
  void make_scheduler();
  Status start_workers();
  void end_workers(bool keep_stages = false) noexcept;
  std::size_t window_size() const noexcept;
  int batches_ahead() const noexcept;
  std::size_t runs_per_batch() const noexcept;
  void keep_memory();
  void tune(Clock::time_point now);
  std::size_t batch_bytes() const noexcept;
  bool has_room() const noexcept;
  void fill_window();
  void plan_batch(const Cursor& at);
  std::optional<Error> make_again_if_interrupted(Job& job);
  BatchStorage* make_storage(const Cursor& at, std::size_t rows);
  std::optional<std::size_t> complete_job() const noexcept;
  void drop_window() noexcept;
  Result<Batch> deliver(BatchStorage* storage);
  void note_request();
  bool is_prefetched(const Cursor& start) const;
  Error no_answer(Clock::time_point start, Clock::time_point now) const;
  Status check_timeout(Clock::time_point start, Clock::time_point now);
  void resume_from(const Planner& before);
  std::uint64_t buffer_bytes() const;
  LoaderStats stats_of(const Scheduler& scheduler) const;

  const Dataset dataset_;
  const std::shared_ptr<const Plan> shared_plan_;
  const Plan& plan_ = *shared_plan_;
  const LoaderOptions options_;
  EpochWalk walk_;
  const std::size_t
      batch_rows_;     // rows of the largest batch there is: batch_size, or all places if they are fewer
  const int workers_;  // the most there may be
  std::optional<AutoTuner> tuner_;  // with auto_tune
  BufferPool whole_batches_{0};     // keeps none: storages keep theirs
  const std::shared_ptr<BufferPool> pool_ = std::make_shared<BufferPool>();  // what varies in size
  std::shared_ptr<BatchPool> storages_;

  std::deque<std::unique_ptr<Job>> window_;  // under way, oldest first
  std::vector<std::unique_ptr<Job>> spare_jobs_;
  Cursor planned_;                                   // the step to be planned next
  std::optional<Clock::time_point> waiting_since_;   // the consumer has asked, and got nothing
  std::optional<Clock::time_point> dropping_since_;  // workers are at what is not wanted any more
  std::uint64_t ticket_ = 0;

  ConsumerCounters counters_;
  std::size_t varying_bytes_ = 0;  // the most that a batch had
  WorkerTotals earlier_;           // of schedulers before
  BadRows bad_rows_{options_, counters_};
  mutable std::mutex scheduler_mutex_;  // held to replace the scheduler, or to look at it from other threads
  std::shared_ptr<Scheduler> scheduler_;  // null when closed, or between epochs
  std::string left_behind_;               // workers that did not end, human-readable
  bool closed_ = false;
  LoaderStats last_stats_;  // of a closed loader
};

}  // namespace penstock::inline v0
