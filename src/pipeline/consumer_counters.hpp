#pragma once
// What the planner counts on the consumer's thread, and what stats() makes of all counters.

#include <atomic>
#include <cstdint>

#include "penstock/stats.hpp"
#include "pipeline/counters.hpp"
#include "pipeline/scheduler.hpp"

namespace penstock {

/// Written by the thread that iterates, read by any.
struct ConsumerCounters {
  Counter batches;
  Counter samples;
  Counter errors;
  Counter wait;         ///< ns spent waiting for a batch
  Counter first_batch;  ///< ns from the first request to the first delivery
  Counter requests;
  Counter queue_fill;                          ///< sum over requests, in thousandths
  Counter batches_ready;                       ///< sum over requests
  std::atomic<std::int64_t> first_request{0};  ///< steady clock, ns; 0 = none yet
  std::atomic<std::int64_t> last_delivery{0};
};

LoaderStats make_stats(const ConsumerCounters& consumer, const Scheduler& scheduler,
                       std::uint64_t buffer_bytes, bool decodes);

}  // namespace penstock
