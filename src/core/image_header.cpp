#include "core/image_header.hpp"

#include <cstring>
#include <string_view>

namespace penstock::inline v0 {
namespace {

using namespace std::string_view_literals;

std::uint32_t big16(const std::uint8_t* p) noexcept { return (std::uint32_t{p[0]} << 8) | p[1]; }
std::uint32_t big32(const std::uint8_t* p) noexcept { return (big16(p) << 16) | big16(p + 2); }
std::uint32_t little16(const std::uint8_t* p) noexcept { return (std::uint32_t{p[1]} << 8) | p[0]; }
std::uint32_t little24(const std::uint8_t* p) noexcept { return (std::uint32_t{p[2]} << 16) | little16(p); }
std::uint32_t little32(const std::uint8_t* p) noexcept { return (little16(p + 2) << 16) | little16(p); }

bool holds(ByteSpan bytes, std::size_t at, std::string_view text) noexcept {
  return bytes.size() >= at + text.size() && std::memcmp(bytes.data() + at, text.data(), text.size()) == 0;
}

ImageSize checked(std::uint32_t width, std::uint32_t height) noexcept {
  constexpr std::uint32_t kMax = 0x7FFFFFFF;
  if (width == 0 || height == 0 || width > kMax || height > kMax) {
    return {};
  }
  return {static_cast<int>(width), static_cast<int>(height)};
}

bool is_frame_header(std::uint8_t marker) noexcept {
  return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}

bool stands_alone(std::uint8_t marker) noexcept {
  return marker == 0x01 || (marker >= 0xD0 && marker <= 0xD7);
}

ImageSize jpeg_size(ByteSpan bytes) noexcept {
  std::size_t at = 2;
  while (true) {
    // As libjpeg: bytes between segments are skipped up to the next 0xFF that starts a marker.
    while (at + 1 < bytes.size() && !(bytes[at] == 0xFF && bytes[at + 1] != 0xFF && bytes[at + 1] != 0x00)) {
      ++at;
    }
    if (at + 4 > bytes.size()) {
      return {};
    }
    const std::uint8_t marker = bytes[at + 1];
    at += 2;
    if (stands_alone(marker)) {
      continue;
    }
    if (marker == 0xD8 || marker == 0xD9 || marker == 0xDA) {  // SOI, EOI, SOS: no frame header will follow
      return {};
    }
    const std::size_t length = big16(bytes.data() + at);
    if (is_frame_header(marker)) {  // length, precision, height, width
      return bytes.size() - at < 7 || length < 7
                 ? ImageSize{}
                 : checked(big16(bytes.data() + at + 5), big16(bytes.data() + at + 3));
    }
    if (length < 2 || length > bytes.size() - at) {
      return {};
    }
    at += length;
  }
}

ImageSize webp_size(ByteSpan bytes) noexcept {
  const std::uint8_t* const body = bytes.data() + 20;  // after RIFF, WEBP and the head of the first chunk
  if (holds(bytes, 12, "VP8X"sv) && bytes.size() >= 30) {
    return checked(little24(body + 4) + 1, little24(body + 7) + 1);
  }
  if (holds(bytes, 12, "VP8L"sv) && bytes.size() >= 25 && body[0] == 0x2F) {
    const std::uint32_t bits = little32(body + 1);
    return checked((bits & 0x3FFF) + 1, ((bits >> 14) & 0x3FFF) + 1);
  }
  if (holds(bytes, 12, "VP8 "sv) && bytes.size() >= 30 && (body[0] & 1) == 0 &&
      holds(bytes, 23, "\x9D\x01\x2A"sv)) {
    return checked(little16(body + 6) & 0x3FFF, little16(body + 8) & 0x3FFF);
  }
  return {};
}

}  // namespace

ImageSize image_size(ByteSpan bytes) noexcept {
  if (holds(bytes, 0, "\xFF\xD8\xFF"sv)) {
    return jpeg_size(bytes);
  }
  if (holds(bytes, 0, "\x89PNG\r\n\x1A\n"sv)) {
    return holds(bytes, 12, "IHDR"sv) && bytes.size() >= 24
               ? checked(big32(bytes.data() + 16), big32(bytes.data() + 20))
               : ImageSize{};
  }
  if (holds(bytes, 0, "RIFF"sv) && holds(bytes, 8, "WEBP"sv)) {
    return webp_size(bytes);
  }
  return {};
}

}  // namespace penstock::inline v0
