#pragma once
// A ring of large buffers through which files go in three stages: filled, computed, drained.

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/scratch.hpp"
#include "penstock/result.hpp"

namespace penstock::inline v0 {

enum class AudioStage : std::uint8_t { fill, compute, drain };

/// A batch of files on its way. What is in `rows` belongs to whoever works on that row.
struct AudioBuffer {
  Scratch waves;  ///< a row per file
  Scratch mels;
  std::vector<std::optional<Error>> bad;  ///< per row: why the file is left out; not when draining
  std::uint64_t batch = 0;
  std::uint64_t first_file = 0;
  std::size_t count = 0;                 ///< files
  std::uint64_t first_row = 0;           ///< of the output; known when draining
  std::vector<std::size_t> good_before;  ///< per row: good rows before it; made when all are computed

 private:
  friend class AudioRing;
  AudioStage stage_ = AudioStage::fill;
  bool idle_ = true;
  std::size_t given_ = 0;  ///< parts of the stage that were given out
  std::size_t done_ = 0;
};

/// Rows [begin, end) of a buffer in one stage.
struct AudioPart {
  AudioBuffer* buffer = nullptr;
  AudioStage stage = AudioStage::fill;
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct AudioRingPlan {
  std::uint64_t first_file = 0;
  std::uint64_t files = 0;      ///< up to here
  std::uint64_t first_row = 0;  ///< of the output
  std::size_t batch = 1;        ///< files in a buffer
  std::size_t buffers = 3;
  std::size_t wave_bytes = 0;  ///< of a row
  std::size_t mel_bytes = 0;
  std::size_t part[3] = {1, 1, 1};  ///< rows that one thread takes, by stage
};

/// Any number of threads work() at once. A batch has a stage to itself; different batches are in different
/// stages at the same time. One thread drains at a time: writes to one file wait for each other in the
/// kernel, and who would wait there can fill or compute. The memory is taken at construction.
class AudioRing {
 public:
  /// Throws std::bad_alloc.
  explicit AudioRing(const AudioRingPlan& plan);

  /// Does one part of the work; called without a lock.
  using Work = std::function<Status(const AudioPart&)>;
  /// Told in the order of the batches, by one thread at a time, when all rows of a batch are drained.
  using Finished = std::function<Status(const AudioBuffer&)>;

  /// Works until everything is done or something failed, which all callers are then told. Seconds spent
  /// waiting go to `waited`.
  Status work(const Work& work, const Finished& finished, double& waited);

  /// Lets work() end with `error`.
  void stop(Error error);

 private:
  std::optional<AudioPart> next_part();
  std::optional<AudioPart> part_of(AudioBuffer& buffer, AudioStage stage);
  void begin_batch(AudioBuffer& buffer);
  Status end_part(const AudioPart& part, const Finished& finished, std::unique_lock<std::mutex>& lock);
  void advance(AudioBuffer& buffer);
  Status commit(const Finished& finished, std::unique_lock<std::mutex>& lock);
  bool all_done() const;

  AudioRingPlan plan_;
  std::vector<std::unique_ptr<AudioBuffer>> buffers_;
  std::mutex mutex_;
  std::condition_variable moved_;
  std::uint64_t next_file_;
  std::uint64_t next_batch_ = 0;
  std::uint64_t next_numbered_ = 0;  ///< batch whose rows get their numbers next
  std::uint64_t next_row_;
  std::uint64_t next_committed_ = 0;
  bool committing_ = false;
  bool draining_ = false;  ///< a thread has a part to drain
  std::optional<Error> failure_;
};

}  // namespace penstock::inline v0
