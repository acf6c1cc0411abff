// ToMono.

#include "codecs/kernels/audio_samples.hpp"
#include "penstock/audio_transform.hpp"
#include "transforms/audio/audio_operation.hpp"

namespace penstock::inline v0 {
namespace {

class ToMono final : public AudioOperation<ToMono, transforms::ToMono> {
 public:
  static constexpr const char* kName = "ToMono";
  static constexpr const char* kSummary = "Takes the mean of all channels.";
  using AudioOperation::AudioOperation;

  Result<AudioSpec> describe(const AudioSpec& in) const override {
    if (in.bands != 0) {
      return needs_wave(kName);
    }
    AudioSpec out = in;
    out.channels = 1;
    return out;
  }

  Status run(AudioWave& wave, const NoDraw&, AudioState*) const {
    mix_channels(wave.data(), wave.frames(), wave.rows(), wave.frames(), wave.data());
    wave.channels = 1;
    return {};
  }
};

}  // namespace

transforms::ToMono::operator TransformPtr() const { return std::make_shared<const penstock::ToMono>(*this); }
OperationInfo to_mono_operation() { return operation_info<ToMono>(); }

}  // namespace penstock::inline v0
