#pragma once
// A picture file to 8-bit RGB pixels, whole or a rectangle; equal to Pillow's convert("RGB") bit for bit.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "penstock/result.hpp"
#include "penstock/sample.hpp"

namespace penstock {

/// Bytes per pixel: R, G, B, or R, G, B and one byte of padding (undefined value), which suits vector code.
enum class PixelLayout : std::uint8_t { rgb = 3, rgbx = 4 };

/// Rows of pixels in somebody else's memory. Up to 64 bytes after the last row may be overwritten.
struct PixelView {
  std::uint8_t* data = nullptr;
  std::size_t stride = 0;  ///< bytes from row to row
  int width = 0;
  int height = 0;
  PixelLayout layout = PixelLayout::rgb;
  int margin = 0;  ///< pixels before and after every row that may be overwritten: saves decoders a copy
};

struct DecodeLimits {
  std::uint64_t max_pixels =
      178'956'970;  ///< width * height; more is `unsupported`, before anything is allocated
  /// decode() refuses every file that a whole decode refuses, whatever the box. Costs the entropy decoding of
  /// what lies outside the box. Repacked and raw records of stores have a checksum instead, which covers all
  /// of them.
  bool check_whole_file = false;

  /// Bytes that a decoder may take beside its output, for coefficients or rows: four a pixel, and room for
  /// small images. What needs more is `unsupported`.
  std::uint64_t max_memory() const noexcept {
    constexpr std::uint64_t kRoom = std::uint64_t{64} << 20;
    constexpr std::uint64_t kAll = ~std::uint64_t{0};
    return max_pixels > (kAll - kRoom) / 4 ? kAll : max_pixels * 4 + kRoom;
  }
};

/// One per thread: keeps its libraries' state and memory from picture to picture. Not thread-safe.
/// Errors carry stage "decode" and no place; the caller knows the sample.
class ImageDecoder {
 public:
  explicit ImageDecoder(DecodeLimits limits = {});
  ~ImageDecoder();
  ImageDecoder(ImageDecoder&&) noexcept;
  ImageDecoder& operator=(ImageDecoder&&) noexcept;

  /// Recognises the content (never the name), reads the header, checks the limits.
  /// `file` must stay valid until the last decode() of this picture, `tables` (those that repacked pictures
  /// share) until the last decode() of a picture opened with them.
  Result<ImageSize> open(ByteSpan file, ByteSpan tables = {});

  /// Writes the pixels of `box` (inside the opened picture, not empty) to `out`, whose size is the box's.
  /// Equal to the same rectangle of a full decode. May be called again for another box.
  Status decode(const Rect& box, const PixelView& out);

  /// Place in picture_codecs() of the codec that the opened picture is for.
  std::size_t codec() const noexcept;

  /// Time spent in open() and decode() since construction.
  std::uint64_t nanoseconds() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock
