#include "codecs/pixels.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace penstock::inline v0 {
namespace {

constexpr std::array<std::uint8_t, 4> kPixelsMagic = {'P', 'N', 'P', 'X'};

/// RGB has had version 1 from the start; readers of that alone refuse what has version 2.
constexpr std::uint16_t kRgbVersion = 1;
constexpr std::uint16_t kLayoutVersion = 2;

struct Header {
  std::array<std::uint8_t, 4> magic = kPixelsMagic;
  std::uint16_t version = kRgbVersion;
  std::uint8_t pixel_size = 0;  ///< bytes
  std::uint8_t is_mask = 0;     ///< 1: values as the file stores them
  std::uint32_t width = 0;
  std::uint32_t height = 0;
};
static_assert(sizeof(Header) == kPixelsHeader && std::endian::native == std::endian::little);

Result<PixelLayout> layout_of(const Header& header) {
  if (header.version == kRgbVersion && header.pixel_size == 3 && header.is_mask == 0) {
    return PixelLayout::rgb;
  }
  for (const PixelLayout layout :
       {PixelLayout::gray, PixelLayout::gray_16, PixelLayout::rgba, PixelLayout::index}) {
    if (header.version == kLayoutVersion && header.pixel_size == pixel_bytes(layout) &&
        (header.is_mask != 0) == (layout == PixelLayout::index) && header.is_mask <= 1) {
      return layout;
    }
  }
  return detail::decode_error(
      ErrorKind::unsupported,
      fmt::format("stored pixels of version {} with {} bytes each", header.version, header.pixel_size),
      "use a newer version of penstock");
}

ImageTraits traits_of(PixelLayout layout) {
  return {.unchanged = layout == PixelLayout::index ? PixelLayout::gray : layout,
          .has_alpha = layout == PixelLayout::rgba,
          .has_indices = layout == PixelLayout::index,
          .loss = layout == PixelLayout::gray_16 ? RgbLoss::depth : RgbLoss::none};
}

}  // namespace

std::vector<std::uint8_t> make_pixels_record(ImageSize size, PixelLayout layout) {
  Header header;
  header.version = layout == PixelLayout::rgb ? kRgbVersion : kLayoutVersion;
  header.pixel_size = static_cast<std::uint8_t>(pixel_bytes(layout));
  header.is_mask = layout == PixelLayout::index ? 1 : 0;
  header.width = static_cast<std::uint32_t>(size.width);
  header.height = static_cast<std::uint32_t>(size.height);
  std::vector<std::uint8_t> record(sizeof header + pixel_bytes(layout) * header.width * header.height);
  std::memcpy(record.data(), &header, sizeof header);
  return record;
}

bool PixelsDecoder::recognises(ByteSpan record) noexcept {
  return record.size() >= kPixelsMagic.size() &&
         std::memcmp(record.data(), kPixelsMagic.data(), kPixelsMagic.size()) == 0;
}

Result<ImageSize> PixelsDecoder::open(ByteSpan record) {
  Header header;
  if (record.size() < sizeof header) {
    return detail::decode_error(ErrorKind::corrupt, "the header of the stored pixels ends early");
  }
  std::memcpy(&header, record.data(), sizeof header);
  PENSTOCK_ASSIGN(const PixelLayout layout, layout_of(header));
  PENSTOCK_TRY(detail::check_size("pixels", header.width, header.height, limits_));  // so that they fit
  return open_pixels(
      record.subspan(sizeof header),
      {.size = {static_cast<int>(header.width), static_cast<int>(header.height)}, .layout = layout});
}

Result<ImageSize> PixelsDecoder::open_pixels(ByteSpan pixels, const PixelsSpec& spec) {
  const auto width = static_cast<std::uint64_t>(std::max(spec.size.width, 0));
  const auto height = static_cast<std::uint64_t>(std::max(spec.size.height, 0));
  PENSTOCK_TRY(detail::check_size("pixels", width, height, limits_));
  if (pixels.size() != pixel_bytes(spec.layout) * width * height) {
    return detail::decode_error(ErrorKind::corrupt, fmt::format("{} bytes are stored for {} x {} pixels",
                                                                pixels.size(), width, height));
  }
  pixels_ = pixels;
  spec_ = spec;
  traits_ = traits_of(spec.layout);
  return spec.size;
}

Status PixelsDecoder::decode(const Rect& box, const PixelView& out) {
  const PixelLayout layout = spec_.layout;
  const std::size_t pixel = pixel_bytes(layout);
  const std::size_t stride = pixel * static_cast<std::size_t>(spec_.size.width);
  // Gray values and those of a mask are the same bytes.
  const bool as_stored = out.layout == layout || out.layout == traits_.unchanged;
  std::uint8_t opaque = 255;
  for (int y = 0; y < box.height; ++y) {
    const std::uint8_t* const from = pixels_.data() + stride * static_cast<std::size_t>(box.y + y) +
                                     pixel * static_cast<std::size_t>(box.x);
    std::uint8_t* const to = out.data + out.stride * static_cast<std::size_t>(y);
    if (as_stored) {
      std::memcpy(to, from, pixel * static_cast<std::size_t>(box.width));
    } else {
      opaque &= to_rgb(from, layout, box.width, to);
    }
  }
  if (opaque != 255) {
    traits_.loss = RgbLoss::alpha;
  }
  return {};
}

std::uint8_t PixelsDecoder::to_rgb(const std::uint8_t* in, PixelLayout layout, int width, std::uint8_t* out) {
  std::uint8_t opaque = 255;
  for (int x = 0; x < width; ++x, in += pixel_bytes(layout), out += 3) {
    if (layout == PixelLayout::rgba) {
      std::memcpy(out, in, 3);
      opaque &= in[3];
    } else {
      std::memset(out, layout == PixelLayout::gray_16 && in[1] != 0 ? 255 : in[0], 3);
    }
  }
  return opaque;
}

}  // namespace penstock::inline v0
