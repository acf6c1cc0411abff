#pragma once
// The image codecs penstock knows, and what else the content of a file can be.

#include <memory>
#include <span>

#include "codecs/image_format_decoder.hpp"

namespace penstock::inline v0 {

struct ImageCodec {
  const char* name;  ///< as users see it
  bool (*recognises)(ByteSpan file) noexcept;
  std::unique_ptr<ImageFormatDecoder> (*make)(DecodeLimits limits);
};

/// As many as counters have room for.
inline constexpr std::size_t kMaxImageCodecs = 16;

/// In the order in which they are asked. Read-only, any thread.
std::span<const ImageCodec> image_codecs() noexcept;

/// Why a file that no codec recognises cannot be decoded: `unsupported` with the name of what it is,
/// or `corrupt` with its first bytes.
Error describe_unrecognised(ByteSpan file);

}  // namespace penstock::inline v0
