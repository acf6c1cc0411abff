#pragma once
// Sound at another sampling rate, by soxr: an optional part of the build. resample.cpp is compiled where it
// was found, else resample_absent.cpp, which says how to get it.

#include <cstddef>
#include <cstdint>

#include "penstock/result.hpp"

namespace penstock {

/// How many frames `frames` become: frames * to / from, rounded to the nearest.
std::uint64_t resampled_frames(std::uint64_t frames, int from, int to) noexcept;

/// `unsupported` when this build cannot resample.
Status can_resample();

/// One channel of `frames` samples at rate `from` to resampled_frames() samples at rate `to`, by soxr at its
/// quality HQ; before and after the sound there is silence. Pure; any thread may call. They must not overlap.
Status resample(const float* in, std::uint64_t frames, int from, int to, float* out);

}  // namespace penstock
