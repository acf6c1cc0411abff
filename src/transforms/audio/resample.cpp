// Resample.

#include "audio/resample.hpp"

#include <fmt/format.h>

#include "audio/read_audio.hpp"
#include "codecs/audio_decoder.hpp"
#include "codecs/audio_format_decoder.hpp"
#include "penstock/audio_transform.hpp"
#include "transforms/audio/audio_operation.hpp"

namespace penstock::inline v0 {
namespace {

class Resample final : public AudioOperation<Resample, transforms::Resample> {
 public:
  static constexpr const char* kName = "Resample";
  static constexpr const char* kSummary =
      "Changes the sampling rate of a recording, by soxr at its quality HQ; the same rate changes nothing.";
  using AudioOperation::AudioOperation;

  Status check() const override {
    if (p_.rate < 1 || p_.rate > kMaxAudioRate) {
      return wrong("rate", fmt::format("must be between 1 and {}, got {}", kMaxAudioRate, p_.rate), "");
    }
    return {};
  }

  Result<AudioSpec> describe(const AudioSpec& in) const override {
    if (in.bands != 0) {
      return needs_wave(kName);
    }
    if (in.rate != p_.rate) {
      PENSTOCK_TRY(can_resample());
    }
    // Recordings of other rates may come too, and give other lengths.
    return AudioSpec{.channels = in.channels, .rate = p_.rate, .bands = 0, .frames = 0};
  }

  Status run(AudioWave& wave, const NoDraw&, AudioState*) const {
    if (wave.rate == p_.rate) {
      return {};
    }
    const std::size_t rows = wave.rows();
    const auto frames = static_cast<std::size_t>(resampled_frames(wave.frames(), wave.rate, p_.rate));
    if (frames > kMaxClipSamples / rows) {
      return detail::audio_error(
          ErrorKind::unsupported,
          fmt::format("from {} to {} Hz the recording becomes {} samples long, the maximum is {}", wave.rate,
                      p_.rate, frames, kMaxClipSamples / rows));
    }
    float* const out = wave.other(rows, frames);
    for (std::size_t i = 0; i < rows; ++i) {
      PENSTOCK_TRY(resample(wave.row(i), wave.frames(), wave.rate, p_.rate, out + i * frames));
    }
    wave.valid = static_cast<std::size_t>(resampled_frames(wave.valid, wave.rate, p_.rate));
    wave.rate = p_.rate;
    wave.use_other(frames);
    return {};
  }
};

}  // namespace

transforms::Resample::operator TransformPtr() const {
  return std::make_shared<const penstock::Resample>(*this);
}
OperationInfo resample_operation() { return operation_info<Resample>(); }

}  // namespace penstock::inline v0
