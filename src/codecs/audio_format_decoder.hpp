#pragma once
// What an audio codec implements: the two calls of AudioDecoder for one kind of file.

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

}  // namespace penstock::inline v0
