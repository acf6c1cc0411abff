#pragma once
// What an image codec implements: the two calls of ImageDecoder for one kind of file.

#include <fmt/format.h>

#include "codecs/decode_error.hpp"
#include "codecs/image_decoder.hpp"

namespace penstock::inline v0 {

/// One per thread, owned by an ImageDecoder; keeps its library's state from image to image. Not
/// thread-safe.
class ImageFormatDecoder {
 public:
  ImageFormatDecoder() = default;
  ImageFormatDecoder(const ImageFormatDecoder&) = delete;
  ImageFormatDecoder& operator=(const ImageFormatDecoder&) = delete;
  virtual ~ImageFormatDecoder() = default;

  /// The code tables of the files that follow, for a codec whose files share them.
  virtual Status use_tables(ByteSpan) { return {}; }
  /// As ImageDecoder::open(), for a file that the codec recognises. The span must outlive the last decode().
  virtual Result<ImageSize> open(ByteSpan file) = 0;
  /// As ImageDecoder::decode(); the caller has checked the box and the view against the opened size. Takes
  /// rgb, and of the other layouts those that gives() says.
  virtual Status decode(const Rect& box, const PixelView& out) = 0;

  /// As ImageDecoder::orientation(), of the file that is open. Without override: `unsupported`.
  virtual Result<int> orientation(ByteSpan file);

  /// Of the opened image; decode() may learn more of what is lost.
  const ImageTraits& traits() const noexcept { return traits_; }

  bool gives(PixelLayout layout) const noexcept {
    return layout == PixelLayout::rgb || (layout == PixelLayout::index && traits_.has_indices) ||
           (layout == PixelLayout::rgba ? traits_.has_alpha : layout == traits_.unchanged);
  }

 protected:
  ImageTraits traits_;
};

namespace detail {

/// What a header says; {0, 0} if it is no size: zero, or above 2^31 - 1.
inline ImageSize header_size(std::uint32_t width, std::uint32_t height) noexcept {
  constexpr std::uint32_t kMax = 0x7FFFFFFF;
  return width == 0 || height == 0 || width > kMax || height > kMax
             ? ImageSize{}
             : ImageSize{static_cast<int>(width), static_cast<int>(height)};
}

/// Refuses an image with more pixels than the limit, or none.
inline Status check_size(const char* codec, std::uint64_t width, std::uint64_t height,
                         const DecodeLimits& limits) {
  if (width == 0 || height == 0 || width > 0x7FFFFFFF || height > 0x7FFFFFFF) {
    return decode_error(ErrorKind::corrupt,
                        fmt::format("{} header gives a size of {} x {}", codec, width, height));
  }
  if (width * height > limits.max_pixels) {
    return decode_error(ErrorKind::unsupported,
                        fmt::format("{} of {} x {} = {} pixels is over the limit, max_pixels={}", codec,
                                    width, height, width * height, limits.max_pixels),
                        "raise max_pixels if you trust the image");
  }
  return {};
}

}  // namespace detail
}  // namespace penstock::inline v0
