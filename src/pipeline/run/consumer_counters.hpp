#pragma once
// What the planner counts on the consumer's thread, and what stats() makes of all counters.

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "penstock/stats.hpp"
#include "pipeline/fill/counters.hpp"
#include "pipeline/plan/plan.hpp"

namespace penstock::inline v0 {

/// Written by the thread that iterates, read by any.
struct ConsumerCounters {
  Counter batches;
  Counter samples;
  Counter errors;
  Counter empty_batches;  ///< no row was left
  Counter short_batches;  ///< rows were left out, empty ones included
  Counter repeated;       ///< rows that another rank delivered too
  Counter wait;           ///< ns spent waiting for a batch
  Counter first_batch;    ///< ns from the first request to the first delivery
  Counter audio_frames;   ///< of batches of recordings, padding included
  Counter padded_frames;  ///< of them
  Counter requests;
  Counter queue_fill;                               ///< sum over requests, in thousandths
  Counter batches_ready;                            ///< sum over requests
  std::atomic<std::uint64_t> undelivered_bytes{0};  ///< the most there were
  std::atomic<std::int64_t> first_request{0};       ///< steady clock, ns; 0 = none yet
  std::atomic<std::int64_t> last_delivery{0};

  /// Continues where another stopped. Before the first use.
  void resume_from(const ConsumerCounters& before) noexcept {
    batches.add(before.batches.get());
    samples.add(before.samples.get());
    errors.add(before.errors.get());
    empty_batches.add(before.empty_batches.get());
    short_batches.add(before.short_batches.get());
    repeated.add(before.repeated.get());
    wait.add(before.wait.get());
    first_batch.add(before.first_batch.get());
    audio_frames.add(before.audio_frames.get());
    padded_frames.add(before.padded_frames.get());
    requests.add(before.requests.get());
    queue_fill.add(before.queue_fill.get());
    batches_ready.add(before.batches_ready.get());
    undelivered_bytes.store(before.undelivered_bytes.load(std::memory_order_relaxed),
                            std::memory_order_relaxed);
    first_request.store(before.first_request.load(std::memory_order_relaxed), std::memory_order_relaxed);
    last_delivery.store(before.last_delivery.load(std::memory_order_relaxed), std::memory_order_relaxed);
  }
};

/// Which side limits the rate, and what would help, of stats that are complete but for that. `steps`: batches
/// of an epoch.
std::string verdict_of(const LoaderStats& stats, std::uint64_t steps);

/// `steps`: batches of an epoch.
LoaderStats make_stats(const ConsumerCounters& consumer, const WorkerTotals& totals, int workers,
                       std::optional<LoaderStats::AutoTune> auto_tune, std::uint64_t buffer_bytes,
                       const Plan& plan, std::uint64_t steps);

}  // namespace penstock::inline v0
