#include "codecs/image_decoder.hpp"

#include <fmt/format.h>

#include <vector>

#include "codecs/catalog.hpp"
#include "codecs/picture_decoder.hpp"
#include "core/time_adder.hpp"

namespace penstock {

struct ImageDecoder::Impl {
  explicit Impl(DecodeLimits given) : limits(given), decoders(picture_codecs().size()) {}

  DecodeLimits limits;
  std::vector<std::unique_ptr<PictureDecoder>> decoders;  // by place in the catalogue, made when first needed
  PictureDecoder* current = nullptr;
  std::size_t codec = 0;  // of `current`
  ImageSize size;
  std::uint64_t nanoseconds = 0;
};

ImageDecoder::ImageDecoder(DecodeLimits limits) : impl_(std::make_unique<Impl>(limits)) {}
ImageDecoder::~ImageDecoder() = default;
ImageDecoder::ImageDecoder(ImageDecoder&&) noexcept = default;
ImageDecoder& ImageDecoder::operator=(ImageDecoder&&) noexcept = default;

Result<ImageSize> ImageDecoder::open(ByteSpan file, ByteSpan tables) {
  const TimeAdder timer(impl_->nanoseconds);
  impl_->current = nullptr;
  const auto codecs = picture_codecs();
  for (std::size_t i = 0; i < codecs.size(); ++i) {
    if (!codecs[i].recognises(file)) {
      continue;
    }
    auto& decoder = impl_->decoders[i];
    if (!decoder) {
      decoder = codecs[i].make(impl_->limits);
    }
    PENSTOCK_TRY(decoder->use_tables(tables));
    PENSTOCK_ASSIGN(impl_->size, decoder->open(file));
    impl_->current = decoder.get();
    impl_->codec = i;
    return impl_->size;
  }
  return describe_unrecognised(file);
}

Status ImageDecoder::decode(const Rect& box, const PixelView& out) {
  if (impl_->current == nullptr) {
    return detail::decode_error(ErrorKind::invalid, "no picture is open");
  }
  const ImageSize size = impl_->size;
  if (box.x < 0 || box.y < 0 || box.width <= 0 || box.height <= 0 || box.width > size.width - box.x ||
      box.height > size.height - box.y) {
    return detail::decode_error(
        ErrorKind::invalid, fmt::format("box {} x {} at ({}, {}) does not lie inside a picture of {} x {}",
                                        box.width, box.height, box.x, box.y, size.width, size.height));
  }
  const auto row_bytes = static_cast<std::size_t>(box.width) * static_cast<std::size_t>(out.layout);
  if (out.data == nullptr || out.width != box.width || out.height != box.height || out.stride < row_bytes) {
    return detail::decode_error(ErrorKind::invalid, "the output does not have the size of the box");
  }
  const TimeAdder timer(impl_->nanoseconds);
  return impl_->current->decode(box, out);
}

std::size_t ImageDecoder::codec() const noexcept { return impl_->codec; }

std::uint64_t ImageDecoder::nanoseconds() const noexcept { return impl_->nanoseconds; }

}  // namespace penstock
