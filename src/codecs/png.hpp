#pragma once
// PNG files by libspng.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "codecs/codec_catalog.hpp"
#include "codecs/exif.hpp"
#include "codecs/image_format_decoder.hpp"
#include "codecs/png_rows.hpp"
#include "core/scratch.hpp"

struct spng_ctx;

namespace penstock::inline v0 {

namespace detail {

/// What libspng reads: the file without its ancillary chunks (texts, times, profiles, frames of an
/// animation), which are not needed for the data, and which can unpack to a thousand times their size.
class CriticalChunks {
 public:
  explicit CriticalChunks(ByteSpan file) noexcept
      : file_(file), chunk_end_(std::min(file.size(), kSignatureBytes)) {}

  /// As libspng calls it, with a CriticalChunks as `user`.
  static int read(spng_ctx* context, void* user, void* out, std::size_t count);

 private:
  static constexpr std::size_t kSignatureBytes = 8;

  void next_chunk() noexcept;

  ByteSpan file_;
  std::size_t at_ = 0;
  std::size_t chunk_end_;
  bool in_data_ = false;
};

}  // namespace detail

/// Every colour type, bit depth and interlacing; of an animation the image that plain PNG readers see.
/// Pixels are those of Pillow's convert(): detail::PngRows.
///
/// `corrupt` when the file ends before its image data does (seen by open()), or when a checksum, the
/// compressed stream or a header field is wrong in what the box needs: all up to its last row, or the whole
/// file if interlaced or DecodeLimits::check_whole_file.
class PngDecoder final : public ImageFormatDecoder {
 public:
  explicit PngDecoder(DecodeLimits limits) : limits_(limits) {}

  static constexpr std::array kExtensions = {FileExtension{"png"}};
  static bool recognises(ByteSpan file) noexcept;
  /// As ImageCodec::size_in_header.
  static std::optional<ImageSize> size_in_header(ByteSpan start) noexcept;

  Result<ImageSize> open(ByteSpan file) override;
  Status decode(const Rect& box, const PixelView& out) override;
  Result<int> orientation(ByteSpan file) override { return detail::png_orientation(file); }

 private:
  Status check_memory() const;
  void set_traits();
  Status decode_pixels(spng_ctx* context, std::size_t size, const Rect& box, const PixelView& out);
  Status decode_interlaced(spng_ctx* context, std::size_t size, const Rect& box, const PixelView& out);
  Status decode_rows(spng_ctx* context, std::size_t row_size, const Rect& box, const PixelView& out);

  DecodeLimits limits_;
  ByteSpan file_;
  ByteSpan transparency_;  // the tRNS chunk, in the file
  detail::PngHeader header_;
  detail::PngRows pixels_;
  Scratch rows_;
};

}  // namespace penstock::inline v0
