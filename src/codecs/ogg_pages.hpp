#pragma once
// The pages of an Ogg file, each of which has a checksum: libsndfile leaves damaged ones out without a word.

#include <cstdint>
#include <optional>

#include "penstock/result.hpp"
#include "penstock/sample.hpp"

namespace penstock::inline v0 {

/// A header with 255 pieces of 255 bytes.
inline constexpr std::uint64_t kMaxOggPage = 27 + 255 + 255 * 255;

/// Goes through the pages of a file from its start. Not thread-safe; the file must stay valid.
class OggPages {
 public:
  explicit OggPages(ByteSpan file) noexcept : file_(file) {}

  /// Before check(): passes over the headers of a Vorbis stream, `corrupt` if they are not whole: each time
  /// libsndfile fails to read them it loses memory. Other streams are left to check().
  Status pass_headers();

  /// Continues up to byte `end`. Pages with bytes between `begin` and `end`, and those before the first
  /// recording, must be whole: `corrupt` if one is not. A last page that is cut off is none; what follows the
  /// page that is marked as the last is not looked at.
  Status check(std::uint64_t begin, std::uint64_t end);

 private:
  ByteSpan file_;
  std::uint64_t at_ = 0;
  bool before_audio_ = true;
  bool over_ = false;
};

/// What the end of an Ogg file says.
struct OggEnd {
  bool marked = false;  ///< the last whole page is marked as the last of its stream
  /// Of the last page, in frames; nothing where the page before it is too far away or is not there.
  std::optional<std::uint64_t> last_page_frames = std::nullopt;
};

OggEnd read_ogg_end(ByteSpan file) noexcept;

}  // namespace penstock::inline v0
