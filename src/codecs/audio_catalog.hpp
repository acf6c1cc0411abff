#pragma once
// The audio codecs penstock knows, and what else the content of a file can be.

#include "codecs/audio_format_decoder.hpp"
#include "codecs/codec_catalog.hpp"

namespace penstock::inline v0 {

using AudioCodec = Codec<AudioFormatDecoder>;

/// As many as counters have room for.
inline constexpr std::size_t kMaxAudioCodecs = 16;

/// Read-only, any thread.
const CodecCatalog<AudioCodec>& audio_catalog() noexcept;
inline std::span<const AudioCodec> audio_codecs() noexcept { return audio_catalog().codecs; }

}  // namespace penstock::inline v0
