#pragma once
// What one thread of a sound build does with its files.

#include <atomic>
#include <memory>

#include "audio/read_sound.hpp"
#include "core/scratch.hpp"
#include "penstock/sound_build.hpp"
#include "store/sound_fetch.hpp"
#include "store/sound_ring.hpp"
#include "store/sound_shape.hpp"

namespace penstock {

/// What all workers share. Read-only but for the counters.
struct SoundTask {
  const SoundBuildSettings* settings = nullptr;
  SoundShape shape;
  const SoundFiles* files = nullptr;
  ByteSpan made_up;  ///< not empty: the bytes of every file
  /// Writes rows of both kinds: `count` rows from `row` on. Called by several threads at once.
  std::function<Status(std::uint64_t row, std::size_t count, const void* waves, const void* mels)> write;

  std::atomic<std::uint64_t> bytes_read{0};
  std::atomic<std::uint64_t> bytes_written{0};
  std::atomic<std::uint64_t> files_done{0};
};

/// One thread.
class SoundWorker {
 public:
  static Result<SoundWorker> make(SoundTask& task);

  Status work(const SoundPart& part);
  /// wait is the ring's to count.
  SoundStageSeconds& seconds() noexcept { return seconds_; }

 private:
  SoundWorker(SoundTask& task, MelSpectrogram mel)
      : task_(&task), fetcher_(*task.files), mel_(std::move(mel)) {}

  Status fill(const SoundPart& part);
  Status compute(const SoundPart& part);
  /// Files whose features are no numbers are bad.
  void refuse_infinite(const SoundPart& part) const;
  Status drain(const SoundPart& part);
  /// The wave of one file, padded or trimmed to a row.
  Status convert(ByteSpan file, float* row);

  SoundTask* task_;
  SoundFetcher fetcher_;
  MelSpectrogram mel_;
  SoundReader reader_;
  SoundStageSeconds seconds_;
};

}  // namespace penstock
