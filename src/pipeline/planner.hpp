#pragma once
// Decides which batch is worked on next, keeps a window of them under way and delivers them in order.

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/buffer_pool.hpp"
#include "penstock/dataset.hpp"
#include "penstock/loader.hpp"
#include "pipeline/batch_storage.hpp"
#include "pipeline/consumer_counters.hpp"
#include "pipeline/plan.hpp"
#include "pipeline/scheduler.hpp"

namespace penstock {

/// Runs on the consumer's thread, one call at a time; stats(), errors() and the const accessors may be called
/// by any thread at any time. There is no thread of its own: the window is filled before the consumer waits
/// and again when it leaves with a batch, so the workers always have what they may do.
class Planner {
 public:
  /// Starts the workers. Throws std::system_error if the system refuses threads. Epochs, tickets, counters
  /// and errors go on where those of `before` are.
  Planner(Dataset dataset, Plan plan, LoaderOptions options, const Planner* before = nullptr);
  ~Planner();

  const Dataset& dataset() const noexcept { return dataset_; }
  const LoaderOptions& options() const noexcept { return options_; }
  std::uint64_t steps() const noexcept { return steps_; }

  void set_epoch(std::uint64_t epoch) noexcept { next_epoch_ = epoch; }
  Result<std::uint64_t> start_epoch();
  Result<Loader::Step> next(std::uint64_t ticket, Clock::time_point deadline);
  void close() noexcept;
  bool closed() const noexcept { return scheduler_ == nullptr; }

  LoaderStats stats() const;
  std::vector<Error> errors() const;
  std::string describe() const;

 private:
  struct Cursor {
    std::uint64_t epoch = 0;
    std::uint64_t step = 0;
    bool operator==(const Cursor&) const = default;
  };

  std::size_t window_size() const noexcept;
  std::size_t rows_of(std::uint64_t step) const noexcept;
  void fill_window();
  void plan_batch(const Cursor& at);
  BatchStorage* make_storage(const Cursor& at);
  void drop_window() noexcept;
  Result<Batch> deliver(BatchStorage* storage);
  void note_error(Error error);
  void leave_out_bad_rows(BatchStorage& storage);
  void note_request();
  void go_on_from(const Planner& before);
  std::uint64_t buffer_bytes() const;
  LoaderStats stats_of(const Scheduler& scheduler) const;

  const Dataset dataset_;
  const Plan plan_;
  const LoaderOptions options_;
  const std::uint64_t steps_;
  const std::size_t
      batch_rows_;  // rows of the largest batch there is: batch_size, or all samples if they are fewer
  const int workers_;
  BufferPool whole_batches_{0};  // keeps none: storages keep theirs
  BufferPool pool_;               // what varies in size
  std::shared_ptr<BatchPool> storages_;

  std::deque<std::unique_ptr<Job>> window_;  // under way, oldest first
  std::vector<std::unique_ptr<Job>> spare_jobs_;
  std::shared_ptr<const EpochOrder> order_;  // of the epoch planned last
  Cursor planned_;                           // the batch to be planned next
  Cursor wanted_;                            // the batch to be delivered next
  std::uint64_t next_epoch_ = 0;
  std::uint64_t ticket_ = 0;

  ConsumerCounters counters_;
  WorkerTotals earlier_;  // of the planner before
  mutable std::mutex errors_mutex_;
  std::vector<Error> errors_;
  mutable std::mutex scheduler_mutex_;  // held to replace the scheduler, or to look at it from other threads
  std::unique_ptr<Scheduler> scheduler_;  // null when closed
  LoaderStats last_stats_;                // of a closed loader
};

}  // namespace penstock
