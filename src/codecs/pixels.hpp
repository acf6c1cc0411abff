#pragma once
// Images stored as their pixels. To the byte: docs/formats/store.md.

#include <cstdint>
#include <vector>

#include "codecs/encoded_image.hpp"
#include "codecs/image_format_decoder.hpp"

namespace penstock::inline v0 {

/// Bytes before the first pixel.
inline constexpr std::size_t kPixelsHeader = 16;

/// A record for an image of this size, its pixels still to be written: rows in this layout after the header.
std::vector<std::uint8_t> make_pixels_record(ImageSize size, PixelLayout layout = PixelLayout::rgb);

/// Any rectangle by copying rows, or to RGB as Pillow converts them.
class PixelsDecoder final : public ImageFormatDecoder {
 public:
  explicit PixelsDecoder(DecodeLimits limits) : limits_(limits) {}

  static bool recognises(ByteSpan record) noexcept;

  Result<ImageSize> open(ByteSpan record) override;
  /// The same of rows without a header before them.
  Result<ImageSize> open_pixels(ByteSpan pixels, const PixelsSpec& spec);
  Status decode(const Rect& box, const PixelView& out) override;

 private:
  /// Returns the alpha values and-ed.
  static std::uint8_t to_rgb(const std::uint8_t* in, PixelLayout layout, int width, std::uint8_t* out);

  DecodeLimits limits_;
  ByteSpan pixels_;
  PixelsSpec spec_;
};

}  // namespace penstock::inline v0
