#pragma once
// What a sound codec implements: the two steps of SoundDecoder for one kind of file.

#include <memory>
#include <span>
#include <string>
#include <utility>

#include "codecs/sound_decoder.hpp"

namespace penstock {

/// One per thread, owned by a SoundDecoder; keeps its memory from file to file. Not thread-safe.
class SoundFormatDecoder {
 public:
  SoundFormatDecoder() = default;
  SoundFormatDecoder(const SoundFormatDecoder&) = delete;
  SoundFormatDecoder& operator=(const SoundFormatDecoder&) = delete;
  virtual ~SoundFormatDecoder() = default;

  /// As SoundDecoder::open(), for a file that the codec recognises. The span must outlive the last decode().
  virtual Result<SoundInfo> open(ByteSpan file) = 0;
  /// As SoundDecoder::decode(); the caller has checked the run against the opened length; `count` is not 0.
  virtual Status decode(std::uint64_t start, std::uint64_t count, float* out, std::size_t stride) = 0;
};

struct SoundCodec {
  const char* name;  ///< as users see it
  bool (*recognises)(ByteSpan file) noexcept;
  std::unique_ptr<SoundFormatDecoder> (*make)();
};

inline constexpr std::size_t kSoundCodecs = 2;

/// In the order in which they are asked. Read-only, any thread.
std::span<const SoundCodec, kSoundCodecs> sound_codecs() noexcept;

/// Why a file that no codec recognises cannot be decoded: `unsupported` with the name of what it is, or
/// `corrupt` with its first bytes.
Error describe_unrecognised_sound(ByteSpan file);

namespace detail {

inline Error sound_error(ErrorKind kind, std::string message, std::string advice = {}) {
  Error error;
  error.kind = kind;
  error.message = std::move(message);
  error.advice = std::move(advice);
  error.place.stage = "decode";
  return error;
}

}  // namespace detail
}  // namespace penstock
