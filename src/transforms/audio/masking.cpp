// TimeMasking and FrequencyMasking, as in SpecAugment.

#include <fmt/format.h>

#include <algorithm>

#include "penstock/audio_transform.hpp"
#include "transforms/audio/audio_operation.hpp"

namespace penstock::inline v0 {
namespace {

struct DrawnRun {
  int start = 0;
  int count = 0;

  template <class V>
  void fields(V&& v) {
    v("start", start);
    v("count", count);
  }
  /// 0 to `width` places of `size`, each length and then each position equally likely.
  void draw(int width, std::uint64_t size, Draws& draws) {
    const std::uint64_t longest = std::min<std::uint64_t>(static_cast<std::uint64_t>(width), size);
    const std::uint64_t chosen = draws.below(longest + 1);
    start = static_cast<int>(draws.below(size - chosen + 1));
    count = static_cast<int>(chosen);
  }
  /// What of it lies within `size` places.
  TimeSlice within(std::size_t size) const {
    const auto first = std::min(static_cast<std::size_t>(std::max(start, 0)), size);
    return {first, std::min(static_cast<std::size_t>(std::max(count, 0)), size - first)};
  }
};

class TimeMasking final : public AudioOperation<TimeMasking, transforms::TimeMasking, DrawnRun> {
 public:
  static constexpr const char* kName = "TimeMasking";
  static constexpr const char* kSummary =
      "Masks a run of frames of random length at a random position, in all rows.";
  using AudioOperation::AudioOperation;

  Status check() const override {
    return p_.width >= 1 ? Status() : wrong("width", fmt::format("must be at least 1, got {}", p_.width), "");
  }
  Result<AudioSpec> describe(const AudioSpec& in) const override { return AudioSpec(in); }
  Status draw(const AudioSpec& in, Draws& draws, DrawnRun& drawn) const {
    drawn.draw(p_.width, in.frames, draws);
    return {};
  }
  Status run(AudioWave& wave, const DrawnRun& drawn, AudioState*) const {
    const TimeSlice run = drawn.within(wave.frames());
    for (std::size_t i = 0; i < wave.rows(); ++i) {
      std::fill_n(wave.row(i) + run.start, run.count, static_cast<float>(p_.value));
    }
    return {};
  }
};

class FrequencyMasking final
    : public AudioOperation<FrequencyMasking, transforms::FrequencyMasking, DrawnRun> {
 public:
  static constexpr const char* kName = "FrequencyMasking";
  static constexpr const char* kSummary =
      "Masks a run of bands of random length at a random position, in all channels.";
  using AudioOperation::AudioOperation;

  Status check() const override {
    return p_.width >= 1 ? Status() : wrong("width", fmt::format("must be at least 1, got {}", p_.width), "");
  }
  Result<AudioSpec> describe(const AudioSpec& in) const override {
    return in.bands == 0 ? Result<AudioSpec>(needs_features(kName)) : Result<AudioSpec>(in);
  }
  Status draw(const AudioSpec& in, Draws& draws, DrawnRun& drawn) const {
    drawn.draw(p_.width, static_cast<std::uint64_t>(in.bands), draws);
    return {};
  }
  Status run(AudioWave& wave, const DrawnRun& drawn, AudioState*) const {
    const auto bands = static_cast<std::size_t>(wave.bands);
    const TimeSlice run = drawn.within(bands);
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
