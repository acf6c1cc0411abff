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
#include "core/half.hpp"

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

}  // namespace penstock::inline v0
