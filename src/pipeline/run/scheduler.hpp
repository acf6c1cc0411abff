#pragma once
// The threads: runs of rows go out to the workers through one queue and come back as tokens through one ring
// each.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/parking.hpp"
#include "core/spmc_queue.hpp"
#include "core/spsc_ring.hpp"
#include "pipeline/fill/counters.hpp"
#include "pipeline/order/epoch_walk.hpp"
#include "pipeline/run/row_worker.hpp"

namespace penstock::inline v0 {

/// A batch on its way: what the planner knows about it. Its address must not change until it has come home.
struct Job {
  BatchStorage* storage = nullptr;
  std::shared_ptr<const EpochOrder> order;
  Cursor at;
  std::uint64_t first_place = 0;  ///< of its rows
  std::uint64_t stride = 1;       ///< StepSlice::stride
  bool repeats = false;           ///< its row was delivered before, by another rank
  std::size_t runs_out = 0;       ///< runs not yet come back

  bool complete() const noexcept { return runs_out == 0; }
};

/// All members are for the planner's thread (one at a time), except totals().
/// Without workers the planner's thread does the work, when it waits. Workers own it together with the
/// planner: one that a source holds up forever has all that it needs, however long that is.
class Scheduler : public std::enable_shared_from_this<Scheduler> {
 public:
  /// `max_runs`: the largest number of runs ever out at once. Throws std::system_error if the system refuses
  /// threads.
  static std::shared_ptr<Scheduler> start(std::shared_ptr<const Plan> plan,
                                          std::shared_ptr<const SampleTable> table,
                                          const LoaderOptions& options, int workers, std::size_t max_runs,
                                          std::shared_ptr<BufferPool> pool);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// Ends the workers; each finishes the run it is at. True when all have ended, and nobody writes to the
  /// memory of `jobs` any more; then they are as before. Those that have not ended within `patience` are left
  /// behind, and all jobs with them.
  bool end(std::deque<std::unique_ptr<Job>>& jobs, std::chrono::milliseconds patience);

  /// Hands out the rows of the job in runs of at most `rows_per_run`.
  void submit(Job& job, std::size_t rows_per_run);
  /// Waits until done() says so, which it may when a run has come home, or the deadline has passed. False:
  /// not done.
  template <class Done>
  bool wait_for(Done done, Clock::time_point deadline);
  /// Takes in the tokens that are there, without waiting.
  void collect() noexcept;
  /// Makes the workers drop what has not been started and waits until everything is home. False: the deadline
  /// has passed first.
  bool cancel_all(Clock::time_point deadline);

  /// Workers that may work. The rest sleep, and use no more than a thread's place.
  int workers() const noexcept { return std::min(static_cast<int>(threads_.size()), active_.load()); }
  /// From now on that many workers may work; a run that another is at comes home anyway.
  void set_active_workers(int workers) noexcept;
  /// Runs handed out and not yet taken by a worker.
  std::size_t runs_waiting() const noexcept { return queue_.size(); }
  /// Runs handed out and not yet come back.
  std::size_t runs_out() const noexcept { return runs_out_; }
  /// What the workers are at, human-readable: "2 of 3 workers read (longest: sample 17, for 12.3 s)".
  std::string occupation() const;
  /// What its workers have counted, added to `earlier`. Any thread, while the scheduler lives.
  WorkerTotals totals(WorkerTotals earlier) const;

 private:
  double cpu_seconds() const;
  struct Item {
    Job* job = nullptr;
    RowRun run;
    std::uint64_t generation = 0;
  };
  using Token = Job*;

  Scheduler(std::shared_ptr<const Plan> plan, std::shared_ptr<const SampleTable> table,
            const LoaderOptions& options, int workers, std::size_t max_runs,
            std::shared_ptr<BufferPool> pool);
  void work(std::size_t worker);
  bool may_work(std::size_t worker) const noexcept {
    return static_cast<int>(worker) < active_.load(std::memory_order_acquire);
  }
  /// A run has been filled: what is to be done with a whole batch is done after its last one.
  void filled(const RowRun& run) noexcept;
  void request_stop() noexcept;
  bool work_here();

  const std::shared_ptr<const Plan> plan_;
  const std::shared_ptr<const SampleTable> table_;
  const LoaderOptions options_;
  const std::shared_ptr<BufferPool> pool_;
  SpmcQueue<Item> queue_;
  std::vector<std::unique_ptr<SpscRing<Token>>> tokens_;
  std::vector<std::unique_ptr<WorkerCounters>> counters_;  // one per worker; without, one for the planner
  std::unique_ptr<RowWorker> own_worker_;                  // without threads
  std::atomic<double> own_cpu_seconds_{0};                 // of own_worker_, which the consumer's thread runs
  std::size_t runs_out_ = 0;
  std::atomic<int> active_;  // workers with a smaller number may work
  Parking may_work_;         // where the others sleep
  Parking work_there_;
  Parking work_done_;
  std::atomic<std::uint64_t> generation_{0};
  std::atomic<bool> stop_{false};
  std::atomic<std::size_t> running_{0};  // threads
  Parking thread_ended_;
  std::vector<std::thread> threads_;
  std::deque<std::unique_ptr<Job>> left_behind_;  // workers that did not end may still write to their memory
};

template <class Done>
bool Scheduler::wait_for(Done done, Clock::time_point deadline) {
  if (own_worker_) {
    while (!done() && work_here() && Clock::now() < deadline) {
    }
    return done();
  }
  return wait_until(
      work_done_,
      [this, &done] {
        collect();
        return done();
      },
      deadline);
}

}  // namespace penstock::inline v0
