#pragma once
// Files through rows of waves and features to a writer, by all workers, and what it cost.

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "penstock/sound_build.hpp"
#include "store/sound_worker.hpp"

namespace penstock {

class SoundPipeline {
 public:
  struct Start {
    std::uint64_t first_file = 0;
    std::uint64_t first_row = 0;
  };
  /// Told in the order of the files, by one thread at a time, when the rows of a buffer are written: up to
  /// which row.
  using Written = std::function<Status(const SoundBuffer& buffer, std::uint64_t end_row)>;

  /// `made_up`: the bytes of every file, if not empty. All must outlive the pipeline.
  SoundPipeline(const SoundBuildSettings& settings, const SoundShape& shape, const SoundFiles& files,
                ByteSpan made_up);

  /// Counts, times and the bottleneck go to `report`, also when it fails.
  Status run(const Start& start, const WriteSound& write, const Written& written, SoundBuildReport& report);

 private:
  /// Files in a buffer, and all buffers. Takes less where memory is short.
  Result<std::size_t> take_memory(SoundBuildReport& report);
  /// An error once the user wants no more.
  Status tell_progress();
  Status fill_and_compute(SoundWorker& worker, SoundBuffer& buffer);

  const SoundBuildSettings& settings_;
  SoundTask task_;
  std::vector<SoundBuffer> buffers_;
  std::mutex telling_;
  std::uint64_t resumed_at_ = 0;
  std::uint64_t total_ = 0;  ///< files
  std::chrono::steady_clock::time_point start_;
  double told_ = 0;
  std::atomic<bool> cancelled_{false};
};

}  // namespace penstock
