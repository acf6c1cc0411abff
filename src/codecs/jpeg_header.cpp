#include "codecs/jpeg.hpp"

namespace penstock::inline v0 {
namespace {

std::uint32_t big16(const std::uint8_t* p) noexcept { return (std::uint32_t{p[0]} << 8) | p[1]; }

bool is_frame_header(std::uint8_t marker) noexcept {
  return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}

bool stands_alone(std::uint8_t marker) noexcept {
  return marker == 0x01 || (marker >= 0xD0 && marker <= 0xD7);
}

}  // namespace

std::optional<ImageSize> JpegDecoder::size_in_header(ByteSpan start) noexcept {
  std::size_t at = 2;
  while (true) {
    // As libjpeg: bytes between segments are skipped up to the next 0xFF that starts a marker.
    while (at + 1 < start.size() && !(start[at] == 0xFF && start[at + 1] != 0xFF && start[at + 1] != 0x00)) {
      ++at;
    }
    if (at + 4 > start.size()) {
      return std::nullopt;
    }
    const std::uint8_t marker = start[at + 1];
    at += 2;
    if (stands_alone(marker)) {
      continue;
    }
    if (marker == 0xD8 || marker == 0xD9 || marker == 0xDA) {  // SOI, EOI, SOS: no frame header will follow
      return ImageSize{};
    }
    const std::size_t length = big16(start.data() + at);
    if (length < (is_frame_header(marker) ? 7 : 2)) {
      return ImageSize{};
    }
    if (is_frame_header(marker)) {  // length, precision, height, width
      return start.size() - at < 7 ? std::nullopt
                                   : std::optional(detail::header_size(big16(start.data() + at + 5),
                                                                       big16(start.data() + at + 3)));
    }
    if (length > start.size() - at) {
      return std::nullopt;
    }
    at += length;
  }
}

}  // namespace penstock::inline v0
