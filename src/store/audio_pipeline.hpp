#pragma once
// Files through rows of waves and features to a writer, by all workers, and what it cost.

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "penstock/audio_build.hpp"
#include "store/audio_worker.hpp"

namespace penstock::inline v0 {

class AudioPipeline {
 public:
  struct Start {
    std::uint64_t first_file = 0;
    std::uint64_t first_row = 0;
  };
  /// Told in the order of the files, by one thread at a time, when the rows of a buffer are written: up to
  /// which row.
  using Written = std::function<Status(const AudioBuffer& buffer, std::uint64_t end_row)>;

  /// `synthetic`: the bytes of every file, if not empty. All must outlive the pipeline.
  AudioPipeline(const AudioBuildSettings& settings, const AudioShape& shape, const AudioFiles& files,
                ByteSpan synthetic);

  /// Counts, times and the bottleneck go to `report`, also when it fails.
  Status run(const Start& start, const WriteAudio& write, const Written& written, AudioBuildReport& report);

 private:
  /// Files in a buffer, and all buffers. Takes less where memory is short.
  Result<std::size_t> take_memory(AudioBuildReport& report);
  /// An error once the user wants no more.
  Status report_progress();
  Status fill_and_compute(AudioWorker& worker, AudioBuffer& buffer);

  const AudioBuildSettings& settings_;
  AudioTask task_;
  std::vector<AudioBuffer> buffers_;
  std::mutex telling_;
  std::uint64_t resumed_at_ = 0;
  std::uint64_t total_ = 0;  ///< files
  std::chrono::steady_clock::time_point start_;
  double told_ = 0;
  std::atomic<bool> cancelled_{false};
};

/// The same pipeline with `files` made-up files in memory in place of a source, and nothing written.
Result<AudioBuildReport> try_audio_pipeline(std::uint64_t files, const AudioBuildSettings& settings = {});

}  // namespace penstock::inline v0
