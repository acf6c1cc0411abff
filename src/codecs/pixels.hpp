#pragma once
// Images stored as their pixels. To the byte: docs/formats/store.md.

#include <cstdint>
#include <vector>

#include "codecs/image_format_decoder.hpp"

namespace penstock::inline v0 {

/// Bytes before the first pixel.
inline constexpr std::size_t kPixelsHeader = 16;

/// A record for an image of this size, its pixels still to be written: rows of R, G, B after the header.
std::vector<std::uint8_t> make_pixels_record(ImageSize size);

/// Any rectangle by copying rows.
class PixelsDecoder final : public ImageFormatDecoder {
 public:
  explicit PixelsDecoder(DecodeLimits limits) : limits_(limits) {}

  static bool recognises(ByteSpan record) noexcept;

  Result<ImageSize> open(ByteSpan record) override;
  Status decode(const Rect& box, const PixelView& out) override;

 private:
  DecodeLimits limits_;
  ByteSpan record_;
  ImageSize size_;
};

}  // namespace penstock::inline v0
