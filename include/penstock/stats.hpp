#pragma once
// Where the time goes.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "penstock/sample.hpp"

namespace penstock::inline v0 {

/// Totals since the loader was opened. Times are seconds; worker times are summed over the workers.
struct LoaderStats {
  struct Stage {
    std::string name;    ///< read, decode, transform
    double seconds = 0;  ///< spent by all workers
    double share = 0;    ///< of the workers' busy time
  };

  struct Decoded {
    std::string codec;        ///< JPEG, PNG, WebP, repacked, pixels; WAV, or FLAC, Ogg or MP3
    std::uint64_t count = 0;  ///< images or recordings
  };

  /// What LoaderOptions::auto_tune measured and decided.
  struct AutoTune {
    struct Step {
      int workers = 0;
      int prefetch = 0;
      double batches_per_second = 0;   ///< with that many workers and batches ahead
      double consumer_wait_share = 0;  ///< of the time, waiting for a batch
      std::string decision;            ///< what came of it, human-readable
    };
    std::vector<Step> steps;
    bool settled = false;
    int workers = 0;  ///< now
    int prefetch = 0;
    int max_workers = 0;  ///< as num_workers and cpu_budget allow
  };

  std::uint64_t batches = 0;        ///< delivered
  std::uint64_t samples = 0;        ///< rows delivered
  std::uint64_t bytes = 0;          ///< stored bytes read
  std::uint64_t errors = 0;         ///< samples that failed
  std::uint64_t empty_batches = 0;  ///< delivered without a row: on_error skip left out all
  std::uint64_t short_batches = 0;  ///< delivered with fewer rows than planned, empty ones included
  std::uint64_t repeated = 0;  ///< rows that another rank delivered too: fewer samples than ranks were left
  double padding = 0;          ///< share of the frames of delivered recordings that only pad
  double seconds = 0;  ///< from the first request to the last delivery, breaks between epochs included
  double samples_per_second = 0;
  double first_batch_seconds = 0;  ///< from the first request to the first delivery

  std::vector<Stage> stages;
  std::vector<Decoded> decoded;  ///< what the workers decoded, batches under way included
  double worker_busy_seconds = 0;
  double worker_wait_seconds = 0;    ///< workers had nothing to do: the consumer was slower
  double consumer_wait_seconds = 0;  ///< the consumer waited for a batch: the workers were slower
  double cpu_seconds = 0;            ///< CPU time of the worker threads
  double cpu_seconds_per_batch = 0;

  double queue_fill =
      0;  ///< mean share of the planned runs that no worker had taken yet, seen at each request
  double batches_ready = 0;        ///< mean number of complete batches waiting, seen at each request
  std::uint64_t buffer_bytes = 0;  ///< batch memory held by the loader and its consumers

  std::uint64_t undelivered_bytes = 0;  ///< of batches prepared and not yet delivered, at their maximum
  int workers = 0;                      ///< that may work now
  std::optional<AutoTune> auto_tune;    ///< with that option
  std::uint64_t seed = 0;               ///< of order and augmentation, drawn or given
  std::uint64_t rank = 0;               ///< this loader's part of each epoch ...
  std::uint64_t world = 1;              ///< ... of so many
  MemoryFormat memory_format =
      MemoryFormat::channels_first;  ///< of images, also where the option is automatic
  std::string simd_target;
  std::string cache;    ///< state of the store of LoaderOptions::cache, human-readable; empty without one
  std::string verdict;  ///< one sentence: what limits the rate
};

}  // namespace penstock::inline v0
