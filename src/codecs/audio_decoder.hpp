#pragma once
// An audio file to float32 samples, whole or a run of frames. What a WAV file says is read without a copy of
// its bytes; FLAC, Ogg (Vorbis, Opus) and MP3 go through libsndfile where the build has it.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "penstock/result.hpp"
#include "penstock/sample.hpp"

namespace penstock::inline v0 {

/// Most channels that a file may have.
inline constexpr int kMaxAudioChannels = 1024;
/// Highest sampling rate that a file may have, per second.
inline constexpr int kMaxAudioRate = 1 << 24;

/// A frame is one sample of every channel.
struct AudioInfo {
  std::uint64_t frames = 0;
  int channels = 0;
  int rate = 0;           ///< frames per second
  bool repaired = false;  ///< the file's own length was a placeholder: everything up to its end is taken

  bool operator==(const AudioInfo&) const = default;
};

/// One per thread: keeps its libraries' state and memory from file to file. Not thread-safe.
/// Errors carry stage "decode" and no place; the caller knows the sample.
class AudioDecoder {
 public:
  AudioDecoder();
  ~AudioDecoder();
  AudioDecoder(AudioDecoder&&) noexcept;
  AudioDecoder& operator=(AudioDecoder&&) noexcept;

  /// Recognises the content (never the name) and reads the header. The length is checked against the size of
  /// the file, so a lie about it cannot make anybody allocate without measure. `file` must stay valid until
  /// the last decode() of this recording.
  Result<AudioInfo> open(ByteSpan file);

  /// Writes `count` frames from frame `start` on, channel after channel: channel c to out + c * stride.
  /// Equal to the same frames of a full decode. The frames must lie inside the recording; runs may be asked
  /// for in any order, ascending ones are cheapest.
  Status decode(std::uint64_t start, std::uint64_t count, float* out, std::size_t stride);

  /// Place in audio_codecs() of the codec that the opened recording is for.
  std::size_t codec() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Decodes all of a file, to see whether it is whole. One of a kind that cannot be decoded here passes, as a
/// recording of no frames.
Result<AudioInfo> check_audio(AudioDecoder& decoder, ByteSpan file);

}  // namespace penstock::inline v0
