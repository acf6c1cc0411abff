#pragma once
// What one thread of an audio build does with its files.

#include <atomic>
#include <memory>

#include "audio/read_audio.hpp"
#include "core/scratch.hpp"
#include "penstock/audio_build.hpp"
#include "store/audio_fetch.hpp"
#include "store/audio_ring.hpp"
#include "store/audio_shape.hpp"

namespace penstock::inline v0 {

/// What all workers share. Read-only but for the counters.
struct AudioTask {
  const AudioBuildSettings* settings = nullptr;
  AudioShape shape;
  const AudioFiles* files = nullptr;
  ByteSpan synthetic;  ///< not empty: the bytes of every file
  /// Writes rows of both kinds: `count` rows from `row` on. Called by several threads at once.
  std::function<Status(std::uint64_t row, std::size_t count, const void* waves, const void* mels)> write;

  std::atomic<std::uint64_t> bytes_read{0};
  std::atomic<std::uint64_t> bytes_written{0};
  std::atomic<std::uint64_t> files_done{0};
};

/// One thread.
class AudioWorker {
 public:
  static Result<AudioWorker> make(AudioTask& task);

  Status work(const AudioPart& part);
  /// wait is the ring's to count.
  AudioStageSeconds& seconds() noexcept { return seconds_; }

 private:
  AudioWorker(AudioTask& task, MelSpectrogram mel)
      : task_(&task), fetcher_(*task.files), mel_(std::move(mel)) {}

  Status fill(const AudioPart& part);
  Status compute(const AudioPart& part);
  /// Files whose features are no numbers are bad.
  void refuse_infinite(const AudioPart& part) const;
  Status drain(const AudioPart& part);
  /// The wave of one file, padded or trimmed to a row.
  Status convert(ByteSpan file, float* row);

  AudioTask* task_;
  AudioFetcher fetcher_;
  MelSpectrogram mel_;
  AudioReader reader_;
  AudioStageSeconds seconds_;
};

}  // namespace penstock::inline v0
