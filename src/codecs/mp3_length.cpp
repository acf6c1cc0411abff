#include "codecs/mp3_length.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "codecs/audio_format_decoder.hpp"

namespace penstock::inline v0 {
namespace {

constexpr std::size_t kHeaderBytes = 4;
constexpr std::uint8_t kHasFrameCount = 1;  // in the flags of a Xing or Info header

struct FrameHeader {
  std::size_t bytes = 0;
  std::uint64_t samples = 0;  ///< per channel
  std::size_t side_info = 0;
  std::size_t smallest = 0;  ///< bytes of the smallest frame of this version and rate
};

/// The header at the front; zero bytes if there is none of layer III.
FrameHeader header_at(ByteSpan file) noexcept {
  if (file.size() < kHeaderBytes || file[0] != 0xFF || (file[1] & 0xE6) != 0xE2 || (file[1] & 0x18) == 0x08) {
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
  const unsigned per_kilobit = first ? 144'000 : 72'000;
  return {.bytes = per_kilobit * kilobits / rate + ((file[2] >> 1) & 1),
          .samples = first ? 1152U : 576U,
          .side_info = first ? (mono ? 17U : 32U) : (mono ? 9U : 17U),
          .smallest = per_kilobit * (first ? kFirst : kSecond)[1] / rate};
}

bool has(ByteSpan file, std::size_t at, std::string_view id) noexcept {
  return file.size() >= at + id.size() && std::memcmp(file.data() + at, id.data(), id.size()) == 0;
}

std::size_t size_of_id3(ByteSpan file) noexcept {
  const std::size_t size = static_cast<std::size_t>(file[6] & 127) << 21 |
                           static_cast<std::size_t>(file[7] & 127) << 14 |
                           static_cast<std::size_t>(file[8] & 127) << 7 | (file[9] & 127);
  const std::size_t footer = (file[5] & 0x10) != 0 ? 10 : 0;
  return std::min(file.size(), 10 + size + footer);
}

ByteSpan after_zeros(ByteSpan file) noexcept {
  const auto other = std::find_if(file.begin(), file.end(), [](std::uint8_t byte) { return byte != 0; });
  return file.subspan(static_cast<std::size_t>(other - file.begin()));
}

/// What comes after tags in front of the audio, and the zeros that some writers leave behind them.
ByteSpan after_tags(ByteSpan file) noexcept {
  while (file.size() >= 10 && has(file, 0, "ID3")) {
    file = file.subspan(size_of_id3(file));
  }
  return after_zeros(file);
}

/// Whether nothing or a tag (ID3, APE, Lyrics3) follows the last frame, perhaps after zeros that are too few
/// to have been a frame.
bool may_follow(ByteSpan rest, std::size_t smallest_frame) noexcept {
  constexpr std::array<std::string_view, 5> kTags = {"TAG", "APETAGEX", "LYRICSBEGIN", "ID3", "3DI"};
  const ByteSpan end = after_zeros(rest);
  const std::size_t zeros = rest.size() - end.size();
  return (zeros == 0 || zeros < smallest_frame) &&
         (end.empty() ||
          std::any_of(kTags.begin(), kTags.end(), [&](std::string_view tag) { return has(end, 0, tag); }));
}

/// Whether the first frame holds no audio.
bool has_info(ByteSpan file, const FrameHeader& header) noexcept {
  const std::size_t at = kHeaderBytes + header.side_info;
  return has(file, at, "Xing") || has(file, at, "Info");
}

bool says_length(ByteSpan file, const FrameHeader& header) noexcept {
  const std::size_t flags = kHeaderBytes + header.side_info + 7;  // the last byte of them
  return has(file, kHeaderBytes + 32, "VBRI") ||
         (has_info(file, header) && file.size() > flags && (file[flags] & kHasFrameCount) != 0);
}

}  // namespace

Result<std::optional<Mp3Length>> count_mp3_frames(ByteSpan file) {
  ByteSpan rest = after_tags(file);
  FrameHeader header = header_at(rest);
  if (header.bytes == 0 || says_length(rest, header)) {
    return std::optional<Mp3Length>();
  }
  if (has_info(rest, header)) {  // which says everything but the length
    rest = rest.subspan(std::min(rest.size(), header.bytes));
    header = header_at(rest);
  }
  Mp3Length length;
  std::size_t smallest = 0;
  for (; header.bytes > 0 && header.bytes <= rest.size(); header = header_at(rest)) {
    ++length.frames;
    length.samples += header.samples;
    smallest = header.smallest;
    rest = rest.subspan(header.bytes);
  }
  length.end = file.size() - rest.size();
  if (!may_follow(rest, smallest)) {
    return detail::decode_error(
        ErrorKind::corrupt,
        header.bytes > 0
            ? fmt::format("MP3 is truncated: its last frame, at byte {}, is incomplete", length.end)
            : fmt::format("MP3 is damaged: there is no frame at byte {}", length.end));
  }
  return std::optional(length);
}

}  // namespace penstock::inline v0
