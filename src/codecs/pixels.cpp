#include "codecs/pixels.hpp"

#include <array>
#include <bit>
#include <cstring>

namespace penstock {
namespace {

constexpr std::array<std::uint8_t, 4> kPixelsMagic = {'P', 'N', 'P', 'X'};

struct Header {
  std::array<std::uint8_t, 4> magic = kPixelsMagic;
  std::uint16_t version = 1;
  std::uint16_t channels = 3;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
};
static_assert(sizeof(Header) == kPixelsHeader && std::endian::native == std::endian::little);

/// Three bytes to four. `in` has a readable byte after its last pixel unless `last`.
void widen_row(const std::uint8_t* in, int width, bool last, std::uint8_t* out) noexcept {
  const int whole = last ? width - 1 : width;
  for (int x = 0; x < whole; ++x) {
    std::memcpy(out + std::size_t{4} * x, in + std::size_t{3} * x, 4);
  }
  if (last) {
    std::memcpy(out + std::size_t{4} * whole, in + std::size_t{3} * whole, 3);
  }
}

}  // namespace

std::vector<std::uint8_t> make_pixels_record(ImageSize size) {
  Header header;
  header.width = static_cast<std::uint32_t>(size.width);
  header.height = static_cast<std::uint32_t>(size.height);
  std::vector<std::uint8_t> record(sizeof header + std::size_t{3} * header.width * header.height);
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
  if (header.version != 1 || header.channels != 3) {
    return detail::decode_error(
        ErrorKind::unsupported,
        fmt::format("stored pixels of version {} with {} bytes each", header.version, header.channels),
        "use a newer penstock");
  }
  PENSTOCK_TRY(detail::check_size("pixels", header.width, header.height, limits_));
  if (record.size() - sizeof header != std::uint64_t{3} * header.width * header.height) {
    return detail::decode_error(ErrorKind::corrupt,
                                fmt::format("{} bytes are stored for {} x {} pixels",
                                            record.size() - sizeof header, header.width, header.height));
  }
  record_ = record;
  size_ = {static_cast<int>(header.width), static_cast<int>(header.height)};
  return size_;
}

Status PixelsDecoder::decode(const Rect& box, const PixelView& out) {
  const std::size_t stride = std::size_t{3} * size_.width;
  for (int y = 0; y < box.height; ++y) {
    const std::size_t begin = kPixelsHeader + stride * (box.y + y) + std::size_t{3} * box.x;
    const std::uint8_t* const in = record_.data() + begin;
    std::uint8_t* const row = out.data + out.stride * y;
    if (out.layout == PixelLayout::rgb) {
      std::memcpy(row, in, std::size_t{3} * box.width);
    } else {
      widen_row(in, box.width, begin + std::size_t{3} * box.width == record_.size(), row);
    }
  }
  return {};
}

}  // namespace penstock
