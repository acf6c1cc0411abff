#pragma once
// The image codecs penstock knows, and what else the content of a file can be.

#include <optional>

#include "codecs/codec_catalog.hpp"
#include "codecs/image_format_decoder.hpp"

namespace penstock::inline v0 {

struct ImageCodec : Codec<ImageFormatDecoder, DecodeLimits> {
  /// The size by the first bytes of a file that it recognises, without decoding: {0, 0} if they say none,
  /// nothing if the bytes that follow may say it. Null for records of stores.
  std::optional<ImageSize> (*size_in_header)(ByteSpan start) noexcept = nullptr;
};

/// As many as counters have room for.
inline constexpr std::size_t kMaxImageCodecs = 16;

/// Read-only, any thread.
const CodecCatalog<ImageCodec>& image_catalog() noexcept;
inline std::span<const ImageCodec> image_codecs() noexcept { return image_catalog().codecs; }

}  // namespace penstock::inline v0
