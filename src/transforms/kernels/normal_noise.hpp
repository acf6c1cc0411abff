#pragma once
// Normal noise with an address: each number is a function of where its draws come from and of its place.
// Results are equal on every CPU target. Pure functions; any thread may call.

#include <cstddef>
#include <cstdint>

#include "core/cpu.hpp"
#include "core/rng.hpp"

namespace penstock::inline v0 {

/// Numbers that one block of draws makes.
inline constexpr std::size_t kNormalsPerBlock = 4;

/// `count` numbers with mean 0 and deviation 1 (Box and Muller in float32, none beyond 5.9), from the `first`
/// block after `start` on. `out` has room for a multiple of 64.
void normal_noise(const Draws::State& start, std::uint32_t first, std::size_t count, float* out);

/// What is added to bytes: noise * scale + shift, cut down to whole numbers.
struct ByteNoise {
  float shift = 0;
  float scale = 0;
  bool clip = true;  ///< at 0 and 255; else modulo 256
};

/// Bytes that a fourth channel has stay as they are. Up to 64 bytes after `count` may be read, also of the
/// noise.
void add_noise(const std::uint8_t* in, std::size_t count, bool keeps_fourth, const float* noise,
               const ByteNoise& how, std::uint8_t* out);

/// The target for which the kernels that run were compiled, for tests.
CpuTarget noise_target();

}  // namespace penstock::inline v0
