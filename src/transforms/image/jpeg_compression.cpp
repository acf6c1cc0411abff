// JPEG: written as a JPEG file of a drawn quality and read again.

#include <fmt/format.h>

#include <new>

#include "codecs/jpeg.hpp"
#include "codecs/jpeg_write.hpp"
#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

struct JpegParameters {
  transforms::Size quality = {};

  template <class V>
  void fields(V&& v) {
    v("quality", quality, "1 to 100, less is smaller and worse; one number, or (min, max)");
  }
};

struct DrawnQuality {
  int quality = 75;

  template <class V>
  void fields(V&& v) {
    v("quality", quality);
  }
};

/// Sides that libjpeg takes have been checked: what can still fail is memory.
void write_and_read(const PixelsEdit& edit, const ConstPixelRows& in, const PixelRows& out, Scratch&) {
  const auto file = write_jpeg(in.data, in.stride, in.size, in.channels, static_cast<int>(edit.numbers[0]));
  if (!file.ok()) {
    throw std::bad_alloc();
  }
  JpegDecoder decoder({.max_pixels = ~std::uint64_t{0}});
  const auto opened = decoder.open(*file);
  if (!opened.ok() || !decoder
                           .decode({0, 0, in.size.width, in.size.height},
                                   {.data = out.data,
                                    .stride = out.stride,
                                    .width = out.size.width,
                                    .height = out.size.height,
                                    .layout = in.channels == 1 ? PixelLayout::gray : PixelLayout::rgb})
                           .ok()) {
    throw std::bad_alloc();
  }
}

class Jpeg final : public ImageOperation<Jpeg, JpegParameters, DrawnQuality> {
 public:
  static constexpr const char* kName = "JPEG";
  static constexpr const char* kSummary =
      "Compresses images as JPEG with a random quality, 4:2:0, and decompresses them again.";
  using ImageOperation::ImageOperation;

  Status check() const override {
    const auto [low, high] = range();
    if (low < 1 || low > high || high > 100) {
      return wrong("quality",
                   fmt::format("must be between 1 and 100, or (min, max) of such numbers, got {}",
                               low == high ? fmt::to_string(low) : fmt::format("({}, {})", low, high)),
                   "");
    }
    return {};
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    if (in.channels == 4) {
      return Error{
          ErrorKind::invalid, "JPEG files have no transparency", "read the images with mode=\"RGB\"", {}};
    }
    return same_if_bytes(kName, in);
  }

  Status draw(const ImageSlots&, Draws& draws, DrawnQuality& drawn) const {
    const auto [low, high] = range();
    drawn.quality = low + static_cast<int>(draws.below(static_cast<std::uint64_t>(high - low) + 1));
    return {};
  }

  Status plan(const ImageSpec& in, const DrawnQuality& drawn, ImageEdits& edits) const {
    if (drawn.quality < 1 || drawn.quality > 100) {
      return detail::wrong_drawn(kName, "quality",
                                 fmt::format("must be between 1 and 100, got {}", drawn.quality));
    }
    if (in.size.width > kMaxJpegSide || in.size.height > kMaxJpegSide) {
      return Error{ErrorKind::invalid,
                   fmt::format("JPEG files have sides of at most {} pixels, not {} x {}", kMaxJpegSide,
                               in.size.width, in.size.height),
                   "put Resize or a crop before JPEG",
                   {}};
    }
    edits.push_back(PixelsEdit{.name = "jpeg",
                               .run = &write_and_read,
                               .in_place = true,
                               .numbers = {static_cast<double>(drawn.quality)}});
    return {};
  }

 private:
  struct Range {
    int low;
    int high;
  };
  Range range() const {
    const transforms::Size& given = p_.quality;
    return {given.height, given.width == 0 ? given.height : given.width};
  }
};

}  // namespace

OperationInfo jpeg_operation() { return operation_info<Jpeg>(); }

}  // namespace penstock::inline v0
