#pragma once
// What an audio build was asked for, in numbers that belong together.

#include <cstddef>
#include <cstdint>

#include "penstock/audio_build.hpp"
#include "store/hdf5_file.hpp"

namespace penstock::inline v0 {

/// Of one file's row. A plain value.
struct AudioShape {
  std::size_t longs = 0;
  std::size_t shorts = 0;   ///< in a long segment
  std::size_t samples = 0;  ///< in a short segment
  std::size_t mels = 0;
  std::size_t frames = 0;  ///< of a short segment
  bool half = true;

  std::size_t segments() const noexcept { return longs * shorts; }
  std::size_t wave_samples() const noexcept { return segments() * samples; }
  std::size_t segment_bytes() const noexcept { return mels * frames * (half ? 2 : 4); }  ///< of features
  std::size_t wave_bytes() const noexcept { return wave_samples() * sizeof(float); }
  std::size_t mel_bytes() const noexcept { return segments() * segment_bytes(); }
};

/// Checks all settings. `mel` comes back with the sample rate in it.
Result<AudioShape> shape_of(const AudioBuildSettings& settings);

/// The settings of the features as the build uses them.
MelSettings mel_of(const AudioBuildSettings& settings);

/// Everything that the bytes of a row depend on, in a fixed order. Yes and no are 1 and 0.
decltype(AudioFileContents::attributes) configuration_of(const AudioBuildSettings& settings);

/// Files in a buffer, by AudioBuildSettings::batch_files and `autosize_gpu_batch`, for that many threads on a
/// machine with that many bytes free.
std::size_t batch_files_of(const AudioBuildSettings& settings, const AudioShape& shape, unsigned workers,
                           std::uint64_t free_bytes, std::uint64_t files);

}  // namespace penstock::inline v0
