#pragma once
// How long an MP3 file is that does not say so itself, from the headers of its frames.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "penstock/result.hpp"
#include "penstock/sample.hpp"

namespace penstock::inline v0 {

struct Mp3Length {
  std::uint64_t frames = 0;   ///< of MPEG
  std::uint64_t samples = 0;  ///< per channel
  std::size_t end = 0;        ///< the byte after the last frame
};

/// The largest that a frame can be, in bytes.
inline constexpr std::uint64_t kMaxMp3Frame = 1441;

/// Nothing for a file that says its length itself (in a Xing, Info or VBRI header), and for one whose frames
/// cannot be told from their headers. `corrupt` if frames or tags do not follow each other up to the end,
/// fewer zeros than the smallest frame has bytes aside: a cut between two frames cannot be seen.
Result<std::optional<Mp3Length>> count_mp3_frames(ByteSpan file);

}  // namespace penstock::inline v0
