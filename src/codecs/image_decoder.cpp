#include "codecs/image_decoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "codecs/catalog.hpp"
#include "codecs/image_format_decoder.hpp"
#include "codecs/pixels.hpp"
#include "core/scratch.hpp"

namespace penstock::inline v0 {
namespace {

/// Pillow's "L".
std::uint8_t gray_of(const std::uint8_t* rgb) {
  return static_cast<std::uint8_t>((19595u * rgb[0] + 38470u * rgb[1] + 7471u * rgb[2] + 32768u) >> 16);
}

/// From gray to gray_16, or from RGB to gray, gray_16 or RGBA.
void convert_row(const std::uint8_t* in, PixelLayout from, int width, PixelLayout to, std::uint8_t* out) {
  for (int x = 0; x < width; ++x, in += pixel_bytes(from), out += pixel_bytes(to)) {
    if (to == PixelLayout::rgba) {
      std::copy_n(in, 3, out);
      out[3] = 255;
      continue;
    }
    const std::uint16_t gray = from == PixelLayout::gray ? *in : gray_of(in);
    if (to == PixelLayout::gray_16) {
      std::memcpy(out, &gray, sizeof gray);
    } else {
      *out = static_cast<std::uint8_t>(gray);
    }
  }
}

}  // namespace

struct ImageDecoder::Impl {
  explicit Impl(DecodeLimits given) : limits(given) {}

  DecodeLimits limits;
  DecoderSet<ImageCodec> decoders{image_catalog()};
  ImageFormatDecoder* current = nullptr;
  ByteSpan file;
  ImageSize size;
  Scratch pixels;  // on their way to another layout

  Status convert(const Rect& box, const PixelView& out);
};

/// Decodes to what the codec gives, and continues as Pillow does: by way of gray to 16 bits, of RGB to the
/// rest.
Status ImageDecoder::Impl::convert(const Rect& box, const PixelView& out) {
  if (out.layout == PixelLayout::index) {
    return detail::decode_error(ErrorKind::invalid, "the image has no indices: it is not a mask");
  }
  const bool gray = out.layout == PixelLayout::gray_16 && current->gives(PixelLayout::gray);
  const PixelLayout given = gray ? PixelLayout::gray : PixelLayout::rgb;
  const std::size_t stride = static_cast<std::size_t>(box.width) * pixel_bytes(given);
  PixelView view = out;
  view.data = pixels.reserve(stride * static_cast<std::size_t>(box.height));
  view.stride = stride;
  view.layout = given;
  view.margin = 0;
  PENSTOCK_TRY(current->decode(box, view));
  for (std::size_t y = 0; y < static_cast<std::size_t>(box.height); ++y) {
    convert_row(view.data + y * stride, given, box.width, out.layout, out.data + y * out.stride);
  }
  return {};
}

ImageDecoder::ImageDecoder(DecodeLimits limits) : impl_(std::make_unique<Impl>(limits)) {}
ImageDecoder::~ImageDecoder() = default;
ImageDecoder::ImageDecoder(ImageDecoder&&) noexcept = default;
ImageDecoder& ImageDecoder::operator=(ImageDecoder&&) noexcept = default;

Result<int> ImageFormatDecoder::orientation(ByteSpan) {
  return detail::decode_error(ErrorKind::unsupported,
                              "the pixels of the image are stored, but not what EXIF said of its orientation",
                              "omit ExifTranspose, or build the store with image='repack' or image='keep'");
}

Result<ImageSize> ImageDecoder::open(const EncodedImage& image) {
  impl_->current = nullptr;
  impl_->file = image.bytes;
  if (image.pixels) {
    ImageFormatDecoder& decoder = impl_->decoders.of(
        [](const ImageCodec& codec) { return codec.recognises == PixelsDecoder::recognises; }, impl_->limits);
    PENSTOCK_ASSIGN(impl_->size,
                    static_cast<PixelsDecoder&>(decoder).open_pixels(image.bytes, *image.pixels));
    impl_->current = &decoder;
    return impl_->size;
  }
  PENSTOCK_ASSIGN(ImageFormatDecoder* const decoder, impl_->decoders.find(image.bytes, impl_->limits));
  PENSTOCK_TRY(decoder->use_tables(image.tables));
  PENSTOCK_ASSIGN(impl_->size, decoder->open(image.bytes));
  impl_->current = decoder;
  return impl_->size;
}

Status ImageDecoder::decode(const Rect& box, const PixelView& out) {
  if (impl_->current == nullptr) {
    return detail::decode_error(ErrorKind::invalid, "no image is open");
  }
  const ImageSize size = impl_->size;
  if (box.x < 0 || box.y < 0 || box.width <= 0 || box.height <= 0 || box.width > size.width - box.x ||
      box.height > size.height - box.y) {
    return detail::decode_error(ErrorKind::invalid,
                                fmt::format("box {} x {} at ({}, {}) is not inside an image of {} x {}",
                                            box.width, box.height, box.x, box.y, size.width, size.height));
  }
  const std::size_t row_bytes = static_cast<std::size_t>(box.width) * pixel_bytes(out.layout);
  if (out.data == nullptr || out.width != box.width || out.height != box.height || out.stride < row_bytes) {
    return detail::decode_error(ErrorKind::invalid, "the output does not have the size of the box");
  }
  return impl_->current->gives(out.layout) ? impl_->current->decode(box, out) : impl_->convert(box, out);
}

const ImageTraits& ImageDecoder::traits() const noexcept {
  static constexpr ImageTraits kNone;
  return impl_->current != nullptr ? impl_->current->traits() : kNone;
}

Result<int> ImageDecoder::orientation() const {
  if (impl_->current == nullptr) {
    return detail::decode_error(ErrorKind::invalid, "no image is open");
  }
  return impl_->current->orientation(impl_->file);
}

Result<PixelLayout> ImageDecoder::layout_for(ImageMode mode) const {
  if (const std::optional<PixelLayout> layout = layout_of(mode)) {
    return *layout;
  }
  const ImageTraits& image = traits();
  if (mode == ImageMode::unchanged) {
    return image.unchanged;
  }
  if (image.has_indices) {
    return PixelLayout::index;
  }
  if (image.unchanged != PixelLayout::gray_16) {
    return detail::decode_error(
        ErrorKind::unsupported,
        fmt::format("an image {} is not a mask",
                    image.unchanged == PixelLayout::rgba ? "with an alpha channel" : "in colour"),
        "a mask is a gray or palette PNG; read others with penstock.Image");
  }
  if (mode == ImageMode::mask) {
    return detail::decode_error(ErrorKind::unsupported,
                                "the mask has values of 16 bits, which uint8 cannot hold",
                                "ask for dtype=\"int32\"");
  }
  return PixelLayout::gray_16;
}

std::size_t ImageDecoder::codec() const noexcept { return impl_->decoders.codec(); }

}  // namespace penstock::inline v0
