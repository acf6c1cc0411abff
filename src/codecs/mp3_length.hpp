#pragma once
// How long an MP3 file is, from the headers of its frames.

#include <cstdint>
#include <optional>

#include "penstock/sample.hpp"

namespace penstock {

/// Sound frames up to the first thing that is no MP3 frame. Nothing for a file that says its length itself
/// (in a Xing, Info or VBRI header).
std::optional<std::uint64_t> count_mp3_frames(ByteSpan file) noexcept;

}  // namespace penstock
