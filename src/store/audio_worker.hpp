#pragma once
// What one thread of an audio build does with its files.

#include <atomic>
#include <functional>
#include <optional>
#include <vector>

#include "audio/read_audio.hpp"
#include "core/scratch.hpp"
#include "penstock/audio_build.hpp"
#include "store/audio_fetch.hpp"
#include "store/audio_shape.hpp"

namespace penstock::inline v0 {

/// What all workers share. Read-only but for the counters.
struct AudioTask {
  const AudioBuildSettings* settings = nullptr;
  AudioShape shape;
  const AudioFiles* files = nullptr;
  ByteSpan synthetic;  ///< not empty: the bytes of every file

  std::atomic<std::uint64_t> bytes_read{0};
  std::atomic<std::uint64_t> bytes_written{0};
  std::atomic<std::uint64_t> files_done{0};
};

/// Consecutive files on their way: rows of waves, then of features. Used again and again.
struct AudioBuffer {
  Scratch waves;  ///< a row per file
  Scratch mels;
  std::vector<std::optional<Error>> bad;  ///< per row: why the file is left out
  std::uint64_t first_file = 0;
  std::size_t count = 0;         ///< files
  std::optional<Error> failure;  ///< of the build, not of a file
};

/// Writes rows of both kinds: `count` rows from `row` on.
using WriteAudio =
    std::function<Status(std::uint64_t row, std::size_t count, const void* waves, const void* mels)>;

/// One thread.
class AudioWorker {
 public:
  static Result<AudioWorker> make(AudioTask& task);

  /// Reads the buffer's files to rows of waves.
  Status fill(AudioBuffer& buffer);
  /// Makes features of them.
  Status compute(AudioBuffer& buffer);
  /// Writes the good rows, one after the other from `first_row` on. Returns how many.
  Result<std::uint64_t> write(AudioBuffer& buffer, std::uint64_t first_row, const WriteAudio& write);
  /// wait is the run's to count.
  AudioStageSeconds& seconds() noexcept { return seconds_; }

 private:
  AudioWorker(AudioTask& task, MelSpectrogram mel)
      : task_(&task), fetcher_(*task.files), mel_(std::move(mel)) {}

  /// Files whose features are no numbers are bad.
  void refuse_infinite(AudioBuffer& buffer) const;
  /// The wave of one file, padded or trimmed to a row.
  Status convert(ByteSpan file, float* row);

  AudioTask* task_;
  AudioFetcher fetcher_;
  MelSpectrogram mel_;
  AudioReader reader_;
  AudioStageSeconds seconds_;
};

}  // namespace penstock::inline v0
