#pragma once
// Rows of a PNG file as it stores them, to pixels.

#include <array>
#include <cstdint>

#include "codecs/image_decoder.hpp"

namespace penstock::inline v0::detail {

struct PngHeader {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  int bit_depth = 0;
  int color_type = 0;  ///< libspng's number
  bool interlaced = false;

  int channels() const noexcept;
};

/// Pixels are those of Pillow: of 16-bit colour the high bytes, of 16-bit gray in 8 bits all above 255 white,
/// places that the palette lacks black.
class PngRows {
 public:
  /// A file, the contents of its PLTE chunk and of its tRNS chunk; none if it has none.
  void start(const PngHeader& header, ByteSpan palette, ByteSpan transparency);

  /// `width` pixels from column `x` on. The layout is one that the file has (ImageTraits), or rgb.
  void convert(const std::uint8_t* raw, int x, int width, PixelLayout layout, std::uint8_t* out);

  /// Whether every pixel converted since start() was opaque; known of what was converted to rgb.
  bool all_opaque() const noexcept { return opaque_ == 255; }

 private:
  void convert_levels(const std::uint8_t* raw, int x, int width, PixelLayout layout, std::uint8_t* out);
  void convert_gray_16(const std::uint8_t* raw, int x, int width, PixelLayout layout,
                       std::uint8_t* out) const;
  void convert_colors(const std::uint8_t* raw, int x, int width, PixelLayout layout, std::uint8_t* out);

  PngHeader header_;
  std::array<std::array<std::uint8_t, 4>, 256> colors_{};  // of palette places or gray levels of up to 8 bits
  bool has_key_ = false;
  std::array<std::uint8_t, 3> key_{};  // the colour that is transparent
  std::uint8_t opaque_ = 255;          // all alpha values, and-ed
};

}  // namespace penstock::inline v0::detail
