#pragma once
// Audio at another sampling rate, by soxr: an optional part of the build. resample.cpp is compiled where it
// was found, else resample_absent.cpp, which says how to get it.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "penstock/result.hpp"

namespace penstock::inline v0 {

/// How many frames `frames` become: frames * to / from, rounded to the nearest.
std::uint64_t resampled_frames(std::uint64_t frames, int from, int to) noexcept;

/// `unsupported` when this build cannot resample.
Status can_resample();

/// One channel of `frames` samples at rate `from` to resampled_frames() samples at rate `to`, by soxr at its
/// quality HQ; before and after the recording there is silence. Pure; any thread may call. They must not
/// overlap.
Status resample(const float* in, std::uint64_t frames, int from, int to, float* out);

/// The next samples of a recording, which live until the next call; none: it is over.
using NextSamples = std::function<Result<std::span<const float>>()>;

/// The first `frames` samples of what the whole recording becomes, to the bit. Asks for no more of it than
/// they need; zeros follow where it is shorter.
Status resample_start(const NextSamples& next, int from, int to, float* out, std::uint64_t frames);

}  // namespace penstock::inline v0
