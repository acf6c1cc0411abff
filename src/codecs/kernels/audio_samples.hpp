#pragma once
// Stored samples to float32, and frames to channels. Results are equal on every CPU target. Pure functions;
// any thread may call.

#include <cstddef>
#include <cstdint>

#include "core/cpu.hpp"

namespace penstock::inline v0 {

/// How a sample lies in a file, little-endian.
enum class SampleFormat : std::uint8_t { uint8, int16, int24, int32, float32, float64, a_law, mu_law };

std::size_t bytes_of(SampleFormat format) noexcept;

/// `count` samples at `in` (any alignment) to `out`; integers are scaled to [-1, 1). They must not overlap;
/// nothing outside of them is touched.
void samples_to_float(SampleFormat format, const std::uint8_t* in, std::size_t count, float* out);

/// Channel c of `frames` interleaved frames to out + c * stride.
void split_channels(const float* in, std::size_t frames, std::size_t channels, float* out,
                    std::size_t stride);

/// The mean of `channels` channels, of which channel c lies at in + c * stride: their sum in order, divided
/// by their number, in float32. `out` may be `in`.
void mix_channels(const float* in, std::size_t frames, std::size_t channels, std::size_t stride, float* out);

/// Whether all are numbers between -limit and limit, which is finite.
bool all_within(const float* values, std::size_t count, float limit);

/// The target for which the kernels that run were compiled, for tests.
CpuTarget audio_samples_target();

}  // namespace penstock::inline v0
