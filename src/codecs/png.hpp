#pragma once
// PNG files by libspng.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "codecs/picture_decoder.hpp"
#include "core/scratch.hpp"

struct spng_ctx;

namespace penstock {

namespace detail {

/// What libspng reads: the file without its ancillary chunks (texts, times, profiles, frames of an
/// animation), none of which touches the pixels, and which can unpack to a thousand times their size.
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

/// Every colour type, bit depth and interlacing; of an animation the picture that plain PNG readers see.
/// Pixels are those of Pillow's convert("RGB"): alpha and tRNS are dropped, 16-bit colour and gray with alpha
/// keep the high byte, 16-bit gray is cut at 255, palette places that the file does not define are black.
///
/// `corrupt` when the file ends before its picture data does (seen by open()), or when a checksum, the
/// compressed stream or a header field is wrong in what the box needs: all up to its last row, or the whole
/// file if interlaced or DecodeLimits::check_whole_file.
class PngDecoder final : public PictureDecoder {
 public:
  explicit PngDecoder(DecodeLimits limits) : limits_(limits) {}

  static bool recognises(ByteSpan file) noexcept;

  Result<ImageSize> open(ByteSpan file) override;
  Status decode(const Rect& box, const PixelView& out) override;

 private:
  struct Header {
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    int bit_depth = 0;
    int color_type = 0;
    bool interlaced = false;
  };

  Status check_memory() const;
  Status decode_interlaced(spng_ctx* context, std::size_t size, const Rect& box, const PixelView& out);
  Status decode_rows(spng_ctx* context, std::size_t row_size, const Rect& box, const PixelView& out);
  void convert_row(const std::uint8_t* raw, const Rect& box, std::uint8_t* out, std::size_t step) const;
  void fill_gray_levels();

  DecodeLimits limits_;
  ByteSpan file_;
  Header header_;
  std::array<std::array<std::uint8_t, 3>, 256> colors_{};  // of palette places or gray levels of up to 8 bits
  Scratch rows_;
};

}  // namespace penstock
