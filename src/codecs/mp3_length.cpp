#include "codecs/mp3_length.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace penstock {
namespace {

struct FrameHeader {
  std::size_t bytes = 0;
  std::uint64_t frames = 0;  ///< of sound
  std::size_t side_info = 0;
};

/// The header at the front; zero bytes if there is none of layer III.
FrameHeader header_at(ByteSpan file) noexcept {
  if (file.size() < 4 || file[0] != 0xFF || (file[1] & 0xE6) != 0xE2 || (file[1] & 0x18) == 0x08) {
    return {};
  }
  constexpr std::array<unsigned, 16> kFirst = {0,   32,  40,  48,  56,  64,  80,  96,
                                               112, 128, 160, 192, 224, 256, 320, 0};
  constexpr std::array<unsigned, 16> kSecond = {0,  8,  16, 24,  32,  40,  48,  56,
                                                64, 80, 96, 112, 128, 144, 160, 0};
  constexpr std::array<unsigned, 4> kRates = {44100, 48000, 32000, 0};
  const unsigned version = (file[1] >> 3) & 3;  // 3: MPEG 1, 2: MPEG 2, 0: MPEG 2.5
  const bool first = version == 3;
  const unsigned kilobits = (first ? kFirst : kSecond)[file[2] >> 4];
  const unsigned rate = kRates[(file[2] >> 2) & 3] >> (first ? 0 : version == 2 ? 1 : 2);
  if (kilobits == 0 || rate == 0) {
    return {};
  }
  const bool mono = (file[3] >> 6) == 3;
  return {.bytes = (first ? 144'000 : 72'000) * kilobits / rate + ((file[2] >> 1) & 1),
          .frames = first ? 1152U : 576U,
          .side_info = first ? (mono ? 17U : 32U) : (mono ? 9U : 17U)};
}

/// What comes after tags in front of the sound.
ByteSpan after_tags(ByteSpan file) noexcept {
  while (file.size() >= 10 && std::memcmp(file.data(), "ID3", 3) == 0) {
    const std::size_t size = static_cast<std::size_t>(file[6] & 127) << 21 |
                             static_cast<std::size_t>(file[7] & 127) << 14 |
                             static_cast<std::size_t>(file[8] & 127) << 7 | (file[9] & 127);
    const std::size_t footer = (file[5] & 0x10) != 0 ? 10 : 0;
    file = file.subspan(std::min(file.size(), 10 + size + footer));
  }
  return file;
}

bool says_length(ByteSpan file, const FrameHeader& header) noexcept {
  const auto has = [&file](std::size_t at, const char* id) {
    return file.size() >= at + 4 && std::memcmp(file.data() + at, id, 4) == 0;
  };
  return has(4 + header.side_info, "Xing") || has(4 + header.side_info, "Info") || has(4 + 32, "VBRI");
}

}  // namespace

std::optional<std::uint64_t> count_mp3_frames(ByteSpan file) noexcept {
  file = after_tags(file);
  FrameHeader header = header_at(file);
  if (header.bytes > 0 && says_length(file, header)) {
    return std::nullopt;
  }
  std::uint64_t frames = 0;
  for (; header.bytes > 0 && header.bytes <= file.size(); header = header_at(file)) {
    frames += header.frames;
    file = file.subspan(header.bytes);
  }
  return frames;
}

}  // namespace penstock
