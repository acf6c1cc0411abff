#include "codecs/ogg_pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "codecs/audio_format_decoder.hpp"

namespace penstock::inline v0 {
namespace {

constexpr std::size_t kHeader = 27;
constexpr std::size_t kSumAt = 22;
/// Of a page in which no packet ends.
constexpr std::uint64_t kNoPosition = ~std::uint64_t{0};

/// The polynomial 0x04C11DB7, highest bit first, as no instruction has it.
constexpr std::array<std::uint32_t, 256> kSumTable = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t sum = i << 24;
    for (int bit = 0; bit < 8; ++bit) {
      sum = (sum << 1) ^ ((sum & 0x80000000U) != 0 ? 0x04C11DB7U : 0U);
    }
    table[i] = sum;
  }
  return table;
}();

std::uint32_t add_to_sum(std::uint32_t sum, ByteSpan bytes) noexcept {
  for (const std::uint8_t byte : bytes) {
    sum = (sum << 8) ^ kSumTable[(sum >> 24) ^ byte];
  }
  return sum;
}

std::uint64_t number(const std::uint8_t* bytes, int size) noexcept {
  std::uint64_t value = 0;
  for (int i = size; i-- > 0;) {
    value = value << 8 | bytes[i];
  }
  return value;
}

struct Page {
  ByteSpan bytes;  ///< all of it, header included
  bool last = false;
  std::uint64_t position = 0;  ///< frames up to its end
  std::uint64_t stream = 0;
  ByteSpan pieces;   ///< their sizes; one below 255 ends a packet
  ByteSpan content;  ///< the pieces
};

bool begins_page(ByteSpan file) noexcept {
  return file.size() >= 4 && std::memcmp(file.data(), "OggS", 4) == 0;
}

/// The page at the front, if all of it is there.
std::optional<Page> page_at(ByteSpan file) noexcept {
  if (file.size() < kHeader || !begins_page(file) || file.size() < kHeader + file[26]) {
    return std::nullopt;
  }
  std::size_t size = kHeader + file[26];
  for (const std::uint8_t piece : file.subspan(kHeader, file[26])) {
    size += piece;
  }
  if (size > file.size()) {
    return std::nullopt;
  }
  return Page{.bytes = file.first(size),
              .last = (file[5] & 4) != 0,
              .position = number(file.data() + 6, 8),
              .stream = number(file.data() + 14, 4),
              .pieces = file.subspan(kHeader, file[26]),
              .content = file.first(size).subspan(kHeader + file[26])};
}

bool is_whole(const Page& page) noexcept {
  constexpr std::array<std::uint8_t, 4> kNone{};  // the sum itself counts as zeros
  std::uint32_t sum = add_to_sum(0, page.bytes.first(kSumAt));
  sum = add_to_sum(sum, kNone);
  sum = add_to_sum(sum, page.bytes.subspan(kSumAt + 4));
  return sum == number(page.bytes.data() + kSumAt, 4);
}

Error bad_checksum(std::uint64_t at) {
  return detail::decode_error(
      ErrorKind::corrupt, fmt::format("Ogg is damaged: the checksum of the page at byte {} is wrong", at));
}

bool begins_vorbis(const Page& page) noexcept {
  constexpr std::string_view kFirstHeader = "\x01vorbis";
  return page.content.size() >= kFirstHeader.size() &&
         std::memcmp(page.content.data(), kFirstHeader.data(), kFirstHeader.size()) == 0;
}

}  // namespace

Status OggPages::pass_headers() {
  constexpr std::ptrdiff_t kVorbisHeaders = 3;
  const std::optional<Page> first = page_at(file_);
  if (!first || !begins_vorbis(*first)) {
    return {};
  }
  for (std::ptrdiff_t packets = 0; packets < kVorbisHeaders;) {
    const std::optional<Page> page = page_at(file_.subspan(static_cast<std::size_t>(at_)));
    if (!page) {
      return detail::decode_error(
          ErrorKind::corrupt,
          fmt::format("Ogg is truncated or damaged: its headers are incomplete at byte {}", at_));
    }
    if (!is_whole(*page)) {
      return bad_checksum(at_);
    }
    if (page->stream == first->stream) {
      packets += std::count_if(page->pieces.begin(), page->pieces.end(),
                               [](std::uint8_t piece) { return piece < 255; });
    }
    at_ += page->bytes.size();
  }
  return {};
}

Status OggPages::check(std::uint64_t begin, std::uint64_t end) {
  while (!over_ && at_ < std::min<std::uint64_t>(end, file_.size())) {
    const ByteSpan rest = file_.subspan(static_cast<std::size_t>(at_));
    const std::optional<Page> page = page_at(rest);
    if (!page) {
      over_ = true;
      return begins_page(rest) || rest.size() < kHeader
                 ? Status()
                 : Status(detail::decode_error(
                       ErrorKind::corrupt, fmt::format("Ogg is damaged: there is no page at byte {}", at_)));
    }
    before_audio_ = before_audio_ && (page->position == 0 || page->position == kNoPosition);
    if ((before_audio_ || at_ + page->bytes.size() > begin) && !is_whole(*page)) {
      return bad_checksum(at_);
    }
    at_ += page->bytes.size();
    over_ = page->last;
  }
  return {};
}

OggEnd read_ogg_end(ByteSpan file) noexcept {
  const ByteSpan tail = file.last(std::min(file.size(), static_cast<std::size_t>(4 * kMaxOggPage)));
  OggEnd end;
  std::optional<Page> last;
  for (std::size_t at = tail.size(); at-- > 0;) {
    const std::optional<Page> page = begins_page(tail.subspan(at)) ? page_at(tail.subspan(at)) : std::nullopt;
    if (!page || page->position == kNoPosition || !is_whole(*page)) {
      continue;
    }
    if (!last) {
      last = page;
      end.marked = page->last;
    } else if (page->stream == last->stream && page->position <= last->position) {
      end.last_page_frames = last->position - page->position;
      break;
    }
  }
  return end;
}

}  // namespace penstock::inline v0
