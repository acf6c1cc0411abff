#pragma once
// What an audio codec implements: the two steps of AudioDecoder for one kind of file.

#include <memory>
#include <span>

#include "codecs/audio_decoder.hpp"
#include "codecs/decode_error.hpp"

namespace penstock::inline v0 {

/// One per thread, owned by an AudioDecoder; keeps its memory from file to file. Not thread-safe.
class AudioFormatDecoder {
 public:
  AudioFormatDecoder() = default;
  AudioFormatDecoder(const AudioFormatDecoder&) = delete;
  AudioFormatDecoder& operator=(const AudioFormatDecoder&) = delete;
  virtual ~AudioFormatDecoder() = default;

  /// As AudioDecoder::open(), for a file that the codec recognises. The span must outlive the last decode().
  virtual Result<AudioInfo> open(ByteSpan file) = 0;
  /// As AudioDecoder::decode(); the caller has checked the run against the opened length; `count` is not 0.
  virtual Status decode(std::uint64_t start, std::uint64_t count, float* out, std::size_t stride) = 0;
};

struct AudioCodec {
  const char* name;  ///< as users see it
  bool (*recognises)(ByteSpan file) noexcept;
  std::unique_ptr<AudioFormatDecoder> (*make)();
};

/// As many as counters have room for.
inline constexpr std::size_t kMaxAudioCodecs = 16;

/// In the order in which they are asked. Read-only, any thread.
std::span<const AudioCodec> audio_codecs() noexcept;

/// Why a file that no codec recognises cannot be decoded: `unsupported` with the name of what it is, or
/// `corrupt` with its first bytes.
Error describe_unrecognised_audio(ByteSpan file);

}  // namespace penstock::inline v0
