#pragma once
// The picture codecs penstock knows, and what else the content of a file can be.

#include <memory>
#include <span>

#include "codecs/picture_decoder.hpp"

namespace penstock {

struct PictureCodec {
  const char* name;  ///< as users see it
  bool (*recognises)(ByteSpan file) noexcept;
  std::unique_ptr<PictureDecoder> (*make)(DecodeLimits limits);
};

inline constexpr std::size_t kPictureCodecs = 5;

/// In the order in which they are asked. Read-only, any thread.
std::span<const PictureCodec, kPictureCodecs> picture_codecs() noexcept;

/// Why a file that no codec recognises cannot be decoded: `unsupported` with the name of what it is,
/// or `corrupt` with its first bytes.
Error describe_unrecognised(ByteSpan file);

}  // namespace penstock
