#include "codecs/pixels.hpp"

#include <array>
#include <bit>
#include <cstring>

namespace penstock::inline v0 {
namespace {

constexpr std::size_t kChannels = pixel_bytes(PixelLayout::rgb);
constexpr std::array<std::uint8_t, 4> kPixelsMagic = {'P', 'N', 'P', 'X'};

struct Header {
  std::array<std::uint8_t, 4> magic = kPixelsMagic;
  std::uint16_t version = 1;
  std::uint16_t channels = kChannels;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
};
static_assert(sizeof(Header) == kPixelsHeader && std::endian::native == std::endian::little);

}  // namespace

std::vector<std::uint8_t> make_pixels_record(ImageSize size) {
  Header header;
  header.width = static_cast<std::uint32_t>(size.width);
  header.height = static_cast<std::uint32_t>(size.height);
  std::vector<std::uint8_t> record(sizeof header + kChannels * header.width * header.height);
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
  if (header.version != 1 || header.channels != kChannels) {
    return detail::decode_error(
        ErrorKind::unsupported,
        fmt::format("stored pixels of version {} with {} bytes each", header.version, header.channels),
        "use a newer version of penstock");
  }
  PENSTOCK_TRY(detail::check_size("pixels", header.width, header.height, limits_));
  if (record.size() - sizeof header != std::uint64_t{kChannels} * header.width * header.height) {
    return detail::decode_error(ErrorKind::corrupt,
                                fmt::format("{} bytes are stored for {} x {} pixels",
                                            record.size() - sizeof header, header.width, header.height));
  }
  record_ = record;
  size_ = {static_cast<int>(header.width), static_cast<int>(header.height)};
  return size_;
}

Status PixelsDecoder::decode(const Rect& box, const PixelView& out) {
  const std::size_t stride = kChannels * static_cast<std::size_t>(size_.width);
  for (int y = 0; y < box.height; ++y) {
    const std::size_t begin = kPixelsHeader + stride * static_cast<std::size_t>(box.y + y) +
                              kChannels * static_cast<std::size_t>(box.x);
    std::memcpy(out.data + out.stride * static_cast<std::size_t>(y), record_.data() + begin,
                kChannels * static_cast<std::size_t>(box.width));
  }
  return {};
}

}  // namespace penstock::inline v0
