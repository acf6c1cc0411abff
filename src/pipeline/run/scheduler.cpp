#include "pipeline/run/scheduler.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "core/block_signals.hpp"

namespace penstock::inline v0 {
namespace {

double thread_cpu_seconds(clockid_t clock) noexcept {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

std::size_t ring_size(std::size_t limit) { return std::bit_ceil(std::max<std::size_t>(limit + 1, 2)); }

void name_thread(std::thread& thread, std::size_t worker) {
#if defined(__linux__)
  pthread_setname_np(thread.native_handle(), ("penstock-" + std::to_string(worker)).c_str());
#else
  (void)thread, (void)worker;
#endif
}

}  // namespace

Scheduler::Scheduler(std::shared_ptr<const Plan> plan, std::shared_ptr<const SampleTable> table,
                     const LoaderOptions& options, int workers, std::size_t max_runs,
                     std::shared_ptr<BufferPool> pool)
    : plan_(std::move(plan)),
      table_(std::move(table)),
      options_(options),
      pool_(std::move(pool)),
      queue_(ring_size(max_runs)),
      active_(workers) {
  const std::size_t threads = static_cast<std::size_t>(workers);
  for (std::size_t i = 0; i < std::max<std::size_t>(threads, 1); ++i) {
    counters_.push_back(std::make_unique<WorkerCounters>());
  }
  if (threads == 0) {
    own_worker_ = std::make_unique<RowWorker>(*plan_, *table_, options_, *pool_, *counters_[0]);
  }
  for (std::size_t i = 0; i < threads; ++i) {
    tokens_.push_back(std::make_unique<SpscRing<Token>>(ring_size(max_runs)));
  }
  threads_.reserve(threads);
}

std::shared_ptr<Scheduler> Scheduler::start(std::shared_ptr<const Plan> plan,
                                            std::shared_ptr<const SampleTable> table,
                                            const LoaderOptions& options, int workers, std::size_t max_runs,
                                            std::shared_ptr<BufferPool> pool) {
  std::shared_ptr<Scheduler> made(
      new Scheduler(std::move(plan), std::move(table), options, workers, max_runs, std::move(pool)));
  try {
    for (std::size_t i = 0; i < static_cast<std::size_t>(workers); ++i) {
      made->running_.fetch_add(1, std::memory_order_relaxed);
      made->threads_.emplace_back([self = made, i]() mutable {
        self->work(i);
        self->running_.fetch_sub(1, std::memory_order_release);
        self->thread_ended_.wake_all();
        self.reset();
      });
      // Here and not there: whoever has opened a loader can find its threads.
      name_thread(made->threads_.back(), i);
    }
  } catch (const std::system_error&) {  // the system refuses another thread
    made->request_stop();
    for (std::thread& thread : made->threads_) {
      thread.join();  // they have no work yet
    }
    made->threads_.clear();
    throw;
  }
  return made;
}

Scheduler::~Scheduler() {
  for (const std::unique_ptr<Job>& job : left_behind_) {
    job->storage->release();
  }
}

void Scheduler::request_stop() noexcept {
  generation_.fetch_add(1, std::memory_order_relaxed);
  stop_.store(true, std::memory_order_release);
  may_work_.wake_all();
  work_there_.wake_all();
}

bool Scheduler::end(std::deque<std::unique_ptr<Job>>& jobs, std::chrono::milliseconds patience) {
  request_stop();
  const bool ended = wait_until(
      thread_ended_, [this] { return running_.load(std::memory_order_acquire) == 0; },
      Clock::now() + patience);
  for (std::thread& thread : threads_) {
    if (ended) {
      thread.join();
    } else {
      thread.detach();
    }
  }
  threads_.clear();
  if (!ended) {
    left_behind_.swap(jobs);
  }
  return ended;
}

void Scheduler::submit(Job& job, std::size_t rows_per_run) {
  const std::size_t rows = job.storage->rows;
  job.storage->runs_left.store(static_cast<std::uint32_t>((rows + rows_per_run - 1) / rows_per_run),
                               std::memory_order_relaxed);
  for (std::size_t first = 0; first < rows; first += rows_per_run) {
    Item item{.job = &job,
              .run = {.storage = job.storage,
                      .order = job.order.get(),
                      .first_place = job.first_place,
                      .stride = job.stride,
                      .first = static_cast<std::uint32_t>(first),
                      .count = static_cast<std::uint32_t>(std::min(rows_per_run, rows - first))},
              .generation = generation_.load(std::memory_order_relaxed)};
    ++job.runs_out;
    ++runs_out_;
    // The queue holds more than can be out at once; a slot may still be in the hands of a worker that is just
    // taking its element, which is a matter of nanoseconds.
    while (!queue_.try_push(std::move(item))) {
      detail::spin_pause();
    }
  }
  work_there_.wake_all();
}

void Scheduler::filled(const RowRun& run) noexcept {
  // Whoever fills the last rows sees what the others have written.
  if (run.storage->runs_left.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    plan_->finish_batch(*run.storage, options_.generator_seed.value_or(*options_.seed), run.first_place,
                        *pool_);
  }
}

void Scheduler::collect() noexcept {
  for (const auto& ring : tokens_) {
    while (std::optional<Token> token = ring->try_pop()) {
      --(*token)->runs_out;
      --runs_out_;
    }
  }
}

bool Scheduler::work_here() {
  std::optional<Item> item = queue_.try_pop();
  if (!item) {
    return false;
  }
  if (item->generation == generation_.load(std::memory_order_relaxed)) {
    const double before = thread_cpu_seconds(CLOCK_THREAD_CPUTIME_ID);
    own_worker_->fill(item->run);
    filled(item->run);
    own_cpu_seconds_.store(own_cpu_seconds_.load() + thread_cpu_seconds(CLOCK_THREAD_CPUTIME_ID) - before);
  }
  --item->job->runs_out;
  --runs_out_;
  return true;
}

bool Scheduler::cancel_all(Clock::time_point deadline) {
  generation_.fetch_add(1, std::memory_order_relaxed);
  if (own_worker_) {
    while (work_here()) {
    }
    return true;
  }
  return wait_until(
      work_done_,
      [this] {
        collect();
        return runs_out_ == 0;
      },
      deadline);
}

void Scheduler::set_active_workers(int workers) noexcept {
  active_.store(workers, std::memory_order_release);
  may_work_.wake_all();
  work_there_.wake_all();  // those that may no longer work go to sleep elsewhere
}

void Scheduler::work(std::size_t number) {
  block_signals();
  WorkerCounters& counters = *counters_[number];
  std::optional<RowWorker> worker;  // one that never works needs no decoders
  SpscRing<Token>& tokens = *tokens_[number];
  const auto ends = [this] { return stop_.load(std::memory_order_acquire); };
  while (!ends()) {
    if (!may_work(number)) {
      wait_until(may_work_, [&] { return may_work(number) || ends(); });
      continue;
    }
    std::optional<Item> item = queue_.try_pop();
    if (!item) {
      const Clock::time_point start = Clock::now();
      wait_until(work_there_, [&] {
        item = may_work(number) ? queue_.try_pop() : std::nullopt;
        return item.has_value() || !may_work(number) || ends();
      });
      counters.wait.add(nanoseconds_between(start, Clock::now()));
    }
    if (!item) {
      continue;
    }
    if (item->generation == generation_.load(std::memory_order_relaxed)) {
      try {
        if (!worker) {
          worker.emplace(*plan_, *table_, options_, *pool_, counters);
        }
        worker->fill(item->run);
      } catch (...) {
        fail_rows(item->run, std::current_exception());
      }
      filled(item->run);
    }
    // Never full: as many places as runs that can be out.
    tokens.try_push(item->job);
    work_done_.wake_one();
  }
}

std::string Scheduler::occupation() const {
  struct Group {
    const char* words;
    bool (*holds)(WorkStage stage);
  };
  static constexpr std::array<Group, 4> kGroups = {
      {{"read", [](WorkStage stage) { return stage == WorkStage::read; }},
       {"decode and transform",
        [](WorkStage stage) {
          return stage == WorkStage::decode || stage == WorkStage::transform || stage == WorkStage::assemble;
        }},
       {"wait for Python", [](WorkStage stage) { return stage == WorkStage::foreign; }},
       {"wait for work", [](WorkStage stage) { return stage == WorkStage::idle; }}}};
  // They work on meanwhile: each is asked once, so that it is counted once.
  std::vector<WorkStage> stages;
  for (const auto& worker : counters_) {
    stages.push_back(worker->stage.load(std::memory_order_relaxed));
  }
  std::string text;
  for (const auto& [words, holds] : kGroups) {
    std::size_t count = 0;
    const WorkerCounters* longest = nullptr;
    for (std::size_t i = 0; i < stages.size(); ++i) {
      const WorkerCounters* const worker = counters_[i].get();
      if (holds(stages[i])) {
        ++count;
        longest = longest == nullptr || worker->since.load() < longest->since.load() ? worker : longest;
      }
    }
    if (count == 0) {
      continue;
    }
    text += fmt::format("{}{} of {} workers {}", text.empty() ? "" : "; ", count, counters_.size(), words);
    if (!holds(WorkStage::idle)) {
      const std::chrono::duration<double> busy =
          Clock::now().time_since_epoch() - Clock::duration(longest->since.load());
      const char* const name = longest->running.load();
      text += fmt::format(" (longest: {}sample {}, for {:.1f} s)",
                          name != nullptr ? fmt::format("{} of ", name) : "", longest->sample.load(),
                          busy.count());
    }
  }
  return text;
}

WorkerTotals Scheduler::totals(WorkerTotals earlier) const {
  for (const auto& worker : counters_) {
    earlier.add(*worker);
  }
  earlier.cpu_seconds += cpu_seconds();
  return earlier;
}

double Scheduler::cpu_seconds() const {
  double seconds = own_cpu_seconds_.load();
  for (const std::thread& thread : threads_) {
    clockid_t clock;
    if (pthread_getcpuclockid(const_cast<std::thread&>(thread).native_handle(), &clock) == 0) {
      seconds += thread_cpu_seconds(clock);
    }
  }
  return seconds;
}

}  // namespace penstock::inline v0
