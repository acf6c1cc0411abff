#pragma once
// Waves to mel spectrograms in one pass: as many frames at once as a vector has lanes, one frame per lane.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "audio/fft_plan.hpp"
#include "audio/mel_bank.hpp"
#include "core/cpu.hpp"

namespace penstock::inline v0 {

/// What the settings come to. Immutable.
struct MelTables {
  FftPlan fft;
  std::vector<float> window;
  MelBank bank;
  std::size_t hop = 0;
  bool center = false;
  AudioPadding padding = AudioPadding::constant;
  double power = 1;
  std::optional<float> db_mult;
};

/// `count` waves of `samples` samples, one after the other, each with `frames` frames.
struct WaveBatch {
  const float* waves = nullptr;
  std::size_t count = 0;
  std::size_t samples = 0;
  std::size_t frames = 0;
};

/// Values below count as this before the logarithm.
inline constexpr float kMelFloor = 1e-10F;

/// Floats of scratch memory that run_mel() needs, for any target.
std::size_t mel_scratch_size(const MelTables& tables);

/// To out[count][n_mels][frames]. The results of all targets are equal bit for bit (powers other than 1 and 2
/// as far as the C library's pow is).
void run_mel(const MelTables& tables, const WaveBatch& batch, float* scratch, float* out);
/// The same rounded to half precision.
void run_mel(const MelTables& tables, const WaveBatch& batch, float* scratch, std::uint16_t* out);

/// out[i] = factor * log10(max(in[i], floor)), floor a normal number above 0; out may be in. NaN stays NaN.
void scaled_log10(const float* in, std::size_t count, float floor, float factor, float* out);

/// The target that the calls above use.
CpuTarget mel_target();

/// IEEE half precision, rounded to nearest even.
inline std::uint16_t half_of(float value) {
  const auto all = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = all >> 16 & 0x8000;
  const std::uint32_t bits = all & 0x7fffffff;
  if (bits >= 0x47800000) {  // 65536 and above, infinity, NaN
    return static_cast<std::uint16_t>(sign | (bits > 0x7f800000 ? 0x7e00 : 0x7c00));
  }
  if (bits <
      0x38800000) {  // below 2^-14: the sum has half's smallest step as its last bit, and is rounded to it
    const float sum = std::bit_cast<float>(bits) + 0.5F;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(sum) - 0x3f000000));
  }
  const std::uint32_t rounded = bits + 0xfff + (bits >> 13 & 1) - (std::uint32_t{112} << 23);
  return static_cast<std::uint16_t>(sign | rounded >> 13);
}

}  // namespace penstock::inline v0
