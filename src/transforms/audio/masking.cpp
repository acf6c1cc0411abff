// TimeMasking and FrequencyMasking, as in SpecAugment.

#include <fmt/format.h>

#include <algorithm>

#include "penstock/audio_transform.hpp"
#include "transforms/audio/audio_operation.hpp"

namespace penstock::inline v0 {
namespace {

/// A run of 0 to `width` places of `size`, each length and then each position equally likely.
TimeSlice draw_run(int width, std::size_t size, Draws& draws) {
  const std::uint64_t most = std::min<std::uint64_t>(static_cast<std::uint64_t>(width), size);
  const std::uint64_t count = draws.below(most + 1);
  return {draws.below(size - count + 1), count};
}

class TimeMasking final : public AudioOperation<TimeMasking, transforms::TimeMasking> {
 public:
  static constexpr const char* kName = "TimeMasking";
  static constexpr const char* kSummary =
      "Masks a run of frames of random length at a random position, in all rows.";
  using Operation::Operation;

  Status check() const override {
    return p_.width >= 1 ? Status() : wrong("width", fmt::format("must be at least 1, got {}", p_.width), "");
  }
  Result<AudioSpec> describe_audio(const AudioSpec& in) const override { return AudioSpec(in); }
  Status run_audio(AudioWave& wave, Draws& draws, AudioState*) const override {
    const TimeSlice run = draw_run(p_.width, wave.frames(), draws);
    for (std::size_t i = 0; i < wave.rows(); ++i) {
      std::fill_n(wave.row(i) + run.start, run.count, static_cast<float>(p_.value));
    }
    return {};
  }
};

class FrequencyMasking final : public AudioOperation<FrequencyMasking, transforms::FrequencyMasking> {
 public:
  static constexpr const char* kName = "FrequencyMasking";
  static constexpr const char* kSummary =
      "Masks a run of bands of random length at a random position, in all channels.";
  using Operation::Operation;

  Status check() const override {
    return p_.width >= 1 ? Status() : wrong("width", fmt::format("must be at least 1, got {}", p_.width), "");
  }
  Result<AudioSpec> describe_audio(const AudioSpec& in) const override {
    return in.bands == 0 ? Result<AudioSpec>(needs_features(kName)) : Result<AudioSpec>(in);
  }
  Status run_audio(AudioWave& wave, Draws& draws, AudioState*) const override {
    const auto bands = static_cast<std::size_t>(wave.bands);
    const TimeSlice run = draw_run(p_.width, bands, draws);
    for (std::size_t channel = 0; channel < static_cast<std::size_t>(wave.channels); ++channel) {
      std::fill_n(wave.row(channel * bands + run.start), run.count * wave.frames(),
                  static_cast<float>(p_.value));
    }
    return {};
  }
};

}  // namespace

transforms::TimeMasking::operator TransformPtr() const {
  return std::make_shared<const penstock::TimeMasking>(*this);
}
transforms::FrequencyMasking::operator TransformPtr() const {
  return std::make_shared<const penstock::FrequencyMasking>(*this);
}
OperationInfo time_masking_operation() { return operation_info<TimeMasking>(); }
OperationInfo frequency_masking_operation() { return operation_info<FrequencyMasking>(); }

}  // namespace penstock::inline v0
