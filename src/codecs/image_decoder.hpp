#pragma once
// An image file to pixels, whole or a rectangle; equal to Pillow's convert() bit for bit.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "codecs/encoded_image.hpp"
#include "core/pixel_layout.hpp"
#include "penstock/field_reading.hpp"
#include "penstock/result.hpp"
#include "penstock/sample.hpp"

namespace penstock::inline v0 {

/// The layout that a mode gives every image; none where it depends on the image.
constexpr std::optional<PixelLayout> layout_of(ImageMode mode) noexcept {
  switch (mode) {
    case ImageMode::rgb:
      return PixelLayout::rgb;
    case ImageMode::gray:
      return PixelLayout::gray;
    case ImageMode::gray_16:
      return PixelLayout::gray_16;
    case ImageMode::rgba:
      return PixelLayout::rgba;
    default:
      return std::nullopt;
  }
}

/// What convert("RGB") loses of an image.
enum class RgbLoss : std::uint8_t {
  none,
  depth,    ///< values of 16 bits are cut off at 255
  palette,  ///< places in a palette become colours
  alpha,    ///< pixels are not all opaque
  palette_and_alpha
};

/// What an opened image holds.
struct ImageTraits {
  PixelLayout unchanged = PixelLayout::rgb;  ///< nothing that Pillow reads is lost in this layout
  bool has_alpha = false;                    ///< an alpha channel, or transparent colours
  bool has_indices = false;                  ///< can be read as PixelLayout::index
  RgbLoss loss = RgbLoss::none;  ///< in PixelLayout::rgb; of alpha known only after decode(), for its box

  bool operator==(const ImageTraits&) const = default;
};

/// Rows of pixels in somebody else's memory. Up to 64 bytes after the last row may be overwritten.
struct PixelView {
  std::uint8_t* data = nullptr;
  std::size_t stride = 0;  ///< bytes from row to row
  int width = 0;
  int height = 0;
  PixelLayout layout = PixelLayout::rgb;  ///< index: only of images that have indices
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

/// One per thread: keeps its libraries' state and memory from image to image. Not thread-safe.
/// Errors carry stage "decode" and no place; the caller knows the sample.
class ImageDecoder {
 public:
  explicit ImageDecoder(DecodeLimits limits = {});
  ~ImageDecoder();
  ImageDecoder(ImageDecoder&&) noexcept;
  ImageDecoder& operator=(ImageDecoder&&) noexcept;

  /// Recognises the content (never the name), reads the header, checks the limits.
  Result<ImageSize> open(const EncodedImage& image);
  Result<ImageSize> open(ByteSpan file, ByteSpan tables = {}) {
    return open(EncodedImage{.bytes = file, .tables = tables});
  }

  /// Writes the pixels of `box` (inside the opened image, not empty) to `out`, whose size is the box's.
  /// Equal to the same rectangle of a full decode. May be called again for another box.
  Status decode(const Rect& box, const PixelView& out);

  /// Of the opened image.
  const ImageTraits& traits() const noexcept;

  /// EXIF's orientation of the opened image, 1 to 8: how it is to be turned before it is looked at, which
  /// nothing here does. 1 where the file says nothing; `unsupported` for records that keep the pixels of
  /// files alone.
  Result<int> orientation() const;

  /// The layout for a mode of the opened image; `invalid` where it cannot be had.
  Result<PixelLayout> layout_for(ImageMode mode) const;

  /// Place in image_codecs() of the codec that the opened image is for.
  std::size_t codec() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock::inline v0
