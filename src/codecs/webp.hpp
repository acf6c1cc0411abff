#pragma once
// WebP files by libwebp.

#include <array>
#include <optional>

#include "codecs/codec_catalog.hpp"
#include "codecs/exif.hpp"
#include "codecs/image_format_decoder.hpp"
#include "core/scratch.hpp"

namespace penstock::inline v0 {

/// Lossy and lossless, with or without alpha; of an animation the first frame on a canvas of zeros. Pixels
/// are those of Pillow's convert("RGB") and convert("RGBA"). What alpha there is counts as lost in RGB,
/// unseen.
///
/// `corrupt` when a part of the file is missing or malformed (seen by open()), or when the image data that
/// the box needs is damaged: what lies below the box goes unseen, unless DecodeLimits::check_whole_file.
class WebpDecoder final : public ImageFormatDecoder {
 public:
  explicit WebpDecoder(DecodeLimits limits) : limits_(limits) {}

  static constexpr std::array kExtensions = {FileExtension{"webp"}};
  static bool recognises(ByteSpan file) noexcept;
  /// As ImageCodec::size_in_header.
  static std::optional<ImageSize> size_in_header(ByteSpan start) noexcept;

  Result<ImageSize> open(ByteSpan file) override;
  Status decode(const Rect& box, const PixelView& out) override;
  Result<int> orientation(ByteSpan file) override { return detail::webp_orientation(file); }

 private:
  Status decode_frame(const Rect& box, const PixelView& out);

  DecodeLimits limits_;
  ByteSpan frame_;  // the bytes of the first frame, inside the file
  Rect place_;      // of the first frame on the canvas
  bool lossy_ = false;
  Scratch margin_rows_;
};

}  // namespace penstock::inline v0
