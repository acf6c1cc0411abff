#pragma once
// Files through the ring of buffers, by all workers, and what it cost.

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>

#include "penstock/sound_build.hpp"
#include "store/sound_worker.hpp"

namespace penstock {

class SoundPipeline {
 public:
  struct Start {
    std::uint64_t first_file = 0;
    std::uint64_t first_row = 0;
  };
  using Write = decltype(SoundTask::write);

  /// `made_up`: the bytes of every file, if not empty. All must outlive the pipeline.
  SoundPipeline(const SoundBuildSettings& settings, const SoundShape& shape, const SoundFiles& files,
                ByteSpan made_up);

  /// Counts, times and the bottleneck go to `report`, also when it fails.
  Status run(const Start& start, Write write, const SoundRing::Finished& finished, SoundBuildReport& report);

 private:
  Result<std::unique_ptr<SoundRing>> make_ring(const Start& start, unsigned workers,
                                               SoundBuildReport& report) const;
  void tell_progress(SoundRing& ring, std::uint64_t resumed_at);

  const SoundBuildSettings& settings_;
  std::uint64_t total_ = 0;  ///< files
  SoundTask task_;
  std::mutex telling_;
  std::chrono::steady_clock::time_point start_;
  double told_ = 0;
};

}  // namespace penstock
