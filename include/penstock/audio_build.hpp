#pragma once
// Audio files, in folders or in any data set, to one HDF5 file of equal segments with their mel spectrograms.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "penstock/audio.hpp"
#include "penstock/result.hpp"

namespace penstock::inline v0 {

class SampleTable;

/// Given to the callback a few times a second. Counts of files include what an interrupted build had done.
struct AudioBuildProgress {
  std::uint64_t samples = 0;      ///< files done
  std::uint64_t total = 0;        ///< files
  std::uint64_t bytes_read = 0;   ///< in this run
  double seconds = 0;             ///< of this run
  double samples_per_second = 0;  ///< files, of this run
};

/// Computes the features of `count` short segments in place of penstock's own kernels: waves to out, which is
/// of float16 or float32 as the settings say. Called by several threads at once.
using AudioCompute = std::function<Status(const float* waves, std::size_t count, void* out)>;

struct AudioBuildSettings {
  int sample_rate = 4096;   ///< Hz; other rates are resampled
  double duration = 10.0;   ///< seconds; every file is padded with zeros or trimmed to exactly that
  int long_segment = 1024;  ///< samples; the duration must be a whole number of them
  int short_segment = 512;  ///< samples; a long segment must be a whole number of them
  MelSettings mel = {.db_mult = 20.0F};  ///< its sample_rate is not read
  bool half = true;                      ///< mel in float16, else float32
  /// Where labels stand: matched with the path below the source, or the key of a sample, if it holds a /,
  /// else with the last part of that.
  /// {label} and {split} are what it is for, * is anything; none goes past a /. Empty: folders are labels;
  /// below folders that are all called train, val, test or the like, which are splits.
  std::string label_pattern{};

  int num_mega_buffers =
      3;  ///< in the ring: one filling, one computing, one draining; 1 = one after the other
  int seg_microbatch_segments = 8192;  ///< short segments that are computed at once
  /// Files in a buffer. Absent, with `autosize_gpu_batch`: as many as a quarter of the free memory holds, and
  /// no more than lie in the caches of the cores (16 MiB with a `compute` of one's own); else 128.
  std::optional<int> batch_files{};
  bool autosize_gpu_batch = true;  ///< the name is that of the GPU builder that this one follows
  std::optional<int> workers{};    ///< threads; absent = the cores that this process may use

  bool skip_errors = true;  ///< leave out bad files, else fail at the first
  /// More bad files than this fail the build. Both absent: 10 files, or one in 20 if that is more.
  std::optional<std::uint64_t> max_errors{};
  std::optional<double> max_error_share{};  ///< of all files
  bool resume = true;                       ///< resume an interrupted build of the same files and settings
  /// Called by one thread at a time. False ends the build with `cancelled`; it can be resumed.
  std::function<bool(const AudioBuildProgress&)> progress{};
  AudioCompute compute{};      ///< absent = penstock's kernels
  std::string device = "cpu";  ///< where `compute` runs, by any other name: what it gives is another file
};

/// Time spent in each stage by all threads together.
struct AudioStageSeconds {
  double read = 0;     ///< opening files and reading small ones
  double convert = 0;  ///< samples to float32, mixed, resampled; large files are mapped and read here
  double compute = 0;  ///< features
  double write = 0;    ///< to the page cache
  double wait = 0;     ///< for work of another stage
};

struct AudioBuildReport {
  std::uint64_t files = 0;       ///< found
  std::uint64_t samples = 0;     ///< rows in the file
  std::uint64_t skipped = 0;     ///< bad files that were left out, resumed parts included
  std::uint64_t resumed_at = 0;  ///< files that an interrupted build had done
  bool was_complete = false;     ///< the file already existed, from the same files and settings
  std::uint64_t bytes_read = 0;  ///< in this run
  std::uint64_t bytes_written = 0;
  double seconds = 0;        ///< of this run, without the flush
  double flush_seconds = 0;  ///< until the file was on the disk
  int workers = 0;
  int batch_files = 0;  ///< in a buffer
  AudioStageSeconds stages;
  std::string bottleneck;             ///< in words
  std::vector<std::string> warnings;  ///< of the source: what the user should know about it, a line each
  std::vector<Error> errors;          ///< of files left out, the first 1,000
};

/// Writes recordings to the HDF5 file `destination`, which appears when it is complete. The bytes depend on
/// the recordings and the settings, never on workers, memory or interruptions. A file that is there already
/// is `invalid`, unless it was made from the same recordings and settings. `source` is a folder of audio
/// files, whose rows are sorted by path; or whatever Dataset opens (tars, a store) that has a field of audio:
/// rows in the order of the samples, labels by the pattern on their keys, else from the field `label`, else
/// from folders in the keys.
Result<AudioBuildReport> build_audio(const std::string& source, const std::string& destination,
                                     const AudioBuildSettings& settings = {});
/// The same for a table that is open; `description` is what the user called it.
Result<AudioBuildReport> build_audio(const SampleTable& source, const std::string& description,
                                     const std::string& destination, const AudioBuildSettings& settings = {});

}  // namespace penstock::inline v0
