#pragma once
// JPEG files by libjpeg-turbo: only the rows and columns that a box needs, equal to a full decode.

#include <array>
#include <memory>
#include <optional>

#include "codecs/codec_catalog.hpp"
#include "codecs/exif.hpp"
#include "codecs/image_format_decoder.hpp"

namespace penstock::inline v0 {

/// Sequential and progressive, Huffman and arithmetic coding, 8 bits, gray, YCbCr, RGB, CMYK and YCCK, any
/// sampling that libjpeg takes; the rest is `unsupported`. Pixels are those of Pillow's convert("RGB"), of
/// gray files also of convert("L"); CMYK counts as inverted.
///
/// `corrupt`, never pixels, when:
/// - open(): the header is damaged, or no end-of-image marker follows the first scan (a truncated file);
/// - decode(): a bad code, an early marker, a missing restart marker or the end of the file is met in the
/// part of the
///   scan that the box needs: for one-scan files the rows from the top to the box's last, else the whole
///   file;
/// - decode(): scans are missing: a component has none, or progressive ones stop short of full precision.
/// So damage below a box goes unseen, unless DecodeLimits::check_whole_file, and the outcome depends on
/// nothing but the file and the box. What libjpeg warns about without losing data (odd JFIF or Adobe fields,
/// stray bytes between segments) is let pass.
class JpegDecoder final : public ImageFormatDecoder {
 public:
  explicit JpegDecoder(DecodeLimits limits);
  ~JpegDecoder() override;

  static constexpr std::array kExtensions = {FileExtension{"jpg"}, FileExtension{"jpeg"}};
  static bool recognises(ByteSpan file) noexcept;
  /// As ImageCodec::size_in_header. Markers are walked by their lengths: only pages that hold one are
  /// touched.
  static std::optional<ImageSize> size_in_header(ByteSpan start) noexcept;

  Result<ImageSize> open(ByteSpan file) override;
  Status decode(const Rect& box, const PixelView& out) override;
  Result<int> orientation(ByteSpan file) override { return detail::jpeg_orientation(file); }

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock::inline v0
