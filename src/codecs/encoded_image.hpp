#pragma once
// An image as it lies somewhere: what a decoder opens.

#include <optional>

#include "core/pixel_layout.hpp"
#include "penstock/sample.hpp"

namespace penstock::inline v0 {

/// What pixels are that have no header: rows one after the other, without padding.
struct PixelsSpec {
  ImageSize size{};
  PixelLayout layout = PixelLayout::rgb;

  bool operator==(const PixelsSpec&) const = default;
};

/// `bytes` must stay valid until the last decode() of the image, `tables` until the last decode() of an image
/// opened with them.
struct EncodedImage {
  ByteSpan bytes;
  ByteSpan tables{};                   ///< those that repacked images share
  std::optional<PixelsSpec> pixels{};  ///< the bytes are pixels without a header
};

}  // namespace penstock::inline v0
