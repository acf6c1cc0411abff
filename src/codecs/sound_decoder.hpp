#pragma once
// A sound file to float32 samples, whole or a run of frames. What a WAV file says is read without a copy of
// its bytes; FLAC, Ogg (Vorbis, Opus) and MP3 go through libsndfile where the build has it.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "penstock/result.hpp"
#include "penstock/sample.hpp"

namespace penstock {

/// Most channels that a file may have.
inline constexpr int kMaxSoundChannels = 1024;
/// Highest sampling rate that a file may have, per second.
inline constexpr int kMaxSoundRate = 1 << 24;

/// A frame is one sample of every channel.
struct SoundInfo {
  std::uint64_t frames = 0;
  int channels = 0;
  int rate = 0;           ///< frames per second
  bool repaired = false;  ///< the file's own length was a placeholder: everything up to its end is taken

  bool operator==(const SoundInfo&) const = default;
};

/// One per thread: keeps its libraries' state and memory from file to file. Not thread-safe.
/// Errors carry stage "decode" and no place; the caller knows the sample.
class SoundDecoder {
 public:
  SoundDecoder();
  ~SoundDecoder();
  SoundDecoder(SoundDecoder&&) noexcept;
  SoundDecoder& operator=(SoundDecoder&&) noexcept;

  /// Recognises the content (never the name) and reads the header. The length is checked against the size of
  /// the file, so a lie about it cannot make anybody allocate without measure. `file` must stay valid until
  /// the last decode() of this sound.
  Result<SoundInfo> open(ByteSpan file);

  /// Writes `count` frames from frame `start` on, channel after channel: channel c to out + c * stride.
  /// Equal to the same frames of a full decode. The frames must lie inside the sound; runs may be asked for
  /// in any order, ascending ones are cheapest.
  Status decode(std::uint64_t start, std::uint64_t count, float* out, std::size_t stride);

  /// Place in sound_codecs() of the codec that the opened sound is for.
  std::size_t codec() const noexcept;

  /// Time spent in open() and decode() since construction.
  std::uint64_t nanoseconds() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Decodes all of a file, to see whether it is whole. One of a kind that cannot be decoded here passes, as a
/// sound of no frames.
Result<SoundInfo> check_sound(SoundDecoder& decoder, ByteSpan file);

}  // namespace penstock
