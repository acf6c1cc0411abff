#pragma once
// What one thread of a sound build does with its files.

#include <atomic>
#include <functional>
#include <optional>
#include <vector>

#include "audio/read_sound.hpp"
#include "core/scratch.hpp"
#include "penstock/sound_build.hpp"
#include "store/sound_fetch.hpp"
#include "store/sound_shape.hpp"

namespace penstock {

/// What all workers share. Read-only but for the counters.
struct SoundTask {
  const SoundBuildSettings* settings = nullptr;
  SoundShape shape;
  const SoundFiles* files = nullptr;
  ByteSpan made_up;  ///< not empty: the bytes of every file

  std::atomic<std::uint64_t> bytes_read{0};
  std::atomic<std::uint64_t> bytes_written{0};
  std::atomic<std::uint64_t> files_done{0};
};

/// Consecutive files on their way: rows of waves, then of features. Used again and again.
struct SoundBuffer {
  Scratch waves;  ///< a row per file
  Scratch mels;
  std::vector<std::optional<Error>> bad;  ///< per row: why the file is left out
  std::uint64_t first_file = 0;
  std::size_t count = 0;         ///< files
  std::optional<Error> failure;  ///< of the build, not of a file
};

/// Writes rows of both kinds: `count` rows from `row` on.
using WriteSound =
    std::function<Status(std::uint64_t row, std::size_t count, const void* waves, const void* mels)>;

/// One thread.
class SoundWorker {
 public:
  static Result<SoundWorker> make(SoundTask& task);

  /// Reads the buffer's files to rows of waves.
  Status fill(SoundBuffer& buffer);
  /// Makes features of them.
  Status compute(SoundBuffer& buffer);
  /// Writes the good rows, one after the other from `first_row` on. Returns how many.
  Result<std::uint64_t> write(SoundBuffer& buffer, std::uint64_t first_row, const WriteSound& write);
  /// wait is the run's to count.
  SoundStageSeconds& seconds() noexcept { return seconds_; }

 private:
  SoundWorker(SoundTask& task, MelSpectrogram mel)
      : task_(&task), fetcher_(*task.files), mel_(std::move(mel)) {}

  /// Files whose features are no numbers are bad.
  void refuse_infinite(SoundBuffer& buffer) const;
  /// The wave of one file, padded or trimmed to a row.
  Status convert(ByteSpan file, float* row);

  SoundTask* task_;
  SoundFetcher fetcher_;
  MelSpectrogram mel_;
  SoundReader reader_;
  SoundStageSeconds seconds_;
};

}  // namespace penstock
