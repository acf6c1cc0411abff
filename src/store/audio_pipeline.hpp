#pragma once
// Files through the ring of buffers, by all workers, and what it cost.

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>

#include "penstock/audio_build.hpp"
#include "store/audio_worker.hpp"

namespace penstock::inline v0 {

class AudioPipeline {
 public:
  struct Start {
    std::uint64_t first_file = 0;
    std::uint64_t first_row = 0;
  };
  using Write = decltype(AudioTask::write);

  /// `synthetic`: the bytes of every file, if not empty. All must outlive the pipeline.
  AudioPipeline(const AudioBuildSettings& settings, const AudioShape& shape, const AudioFiles& files,
                ByteSpan synthetic);

  /// Counts, times and the bottleneck go to `report`, also when it fails.
  Status run(const Start& start, Write write, const AudioRing::Finished& finished, AudioBuildReport& report);

 private:
  Result<std::unique_ptr<AudioRing>> make_ring(const Start& start, unsigned workers,
                                               AudioBuildReport& report) const;
  void report_progress(AudioRing& ring, std::uint64_t resumed_at);

  const AudioBuildSettings& settings_;
  std::uint64_t total_ = 0;  ///< files
  AudioTask task_;
  std::mutex telling_;
  std::chrono::steady_clock::time_point start_;
  double told_ = 0;
};

}  // namespace penstock::inline v0
