#pragma once
// A part of an audio file at the rate and with the channels that are wanted.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "codecs/audio_decoder.hpp"
#include "core/scratch.hpp"
#include "penstock/result.hpp"
#include "penstock/sample.hpp"

namespace penstock::inline v0 {

struct AudioRequest {
  double start = 0.0;  ///< seconds; the frame that is heard at that time is the first
  std::optional<double> duration = std::nullopt;  ///< seconds; nothing or more than there is: up to the end
  std::optional<int> sample_rate = std::nullopt;  ///< frames per second; nothing: that of the file
  bool mono = true;  ///< the mean of the channels, in float32, before it is resampled
  /// With mono: at the end of the duration the resampler hears the audio that follows, as if all from the
  /// start on had been resampled and then cut.
  bool resample_past_end = false;
};

/// More samples than this are refused: 4 GiB, over three hours of stereo at 48 kHz.
inline constexpr std::uint64_t kMaxClipSamples = std::uint64_t{1} << 30;

/// What a read will give.
struct ClipInfo {
  std::uint64_t frames = 0;
  int channels = 0;
  int rate = 0;
  AudioInfo file;  ///< what the file has
};

/// One per thread: keeps its memory from file to file. Not thread-safe. Errors have no place but their stage.
class AudioReader {
 public:
  /// Recognises the content, reads the header and works out what the request gives. A start past the end, or
  /// impossible values, are `invalid`. `file` must stay valid until the last read().
  Result<ClipInfo> open(ByteSpan file, const AudioRequest& request);

  /// Writes the frames that open() promised, channel after channel: channel c to out + c * stride.
  /// Only what is asked for is decoded where the codec allows it. The slice is taken first and resampled
  /// then: at its edges the resampler hears silence, not the audio around it (but for resample_past_end).
  Status read(float* out, std::size_t stride);

 private:
  /// Frames of the file.
  Status read_mono(std::uint64_t first, std::uint64_t count, float* out);
  Status read_past_end(float* out);

  AudioDecoder decoder_;
  ClipInfo clip_;
  std::uint64_t first_ = 0;  // frame of the file
  std::uint64_t count_ = 0;  // frames of the file
  bool past_end_ = false;    // the resampler hears what follows them
  Scratch channels_;
  Scratch slice_;
};

/// Samples in memory of their own: channel c begins at samples.get() + c * frames.
struct Audio {
  std::unique_ptr<float[]> samples;
  std::uint64_t frames = 0;
  int channels = 0;
  int rate = 0;
};

Result<Audio> read_audio(ByteSpan file, const AudioRequest& request);
/// The file is mapped, and the system told what of it is read. Errors name it.
Result<Audio> read_audio(const std::string& path, const AudioRequest& request);

/// The frame of a recording at `rate` that is heard at `seconds` (not negative, finite): rounding errors of a
/// millionth of a frame aside, the last that begins at or before it.
std::uint64_t frame_at(double seconds, int rate) noexcept;

}  // namespace penstock::inline v0
