// MelSpectrogram, MFCC and AmplitudeToDB: from waves to features.

#include <fmt/format.h>

#include <algorithm>

#include "penstock/audio.hpp"
#include "penstock/audio_transform.hpp"
#include "transforms/audio/audio_operation.hpp"

namespace penstock::inline v0 {
namespace {

/// How many of `frames` frames of features begin in the first `valid` samples.
template <class Extractor>
std::size_t valid_frames(const Extractor& extractor, std::size_t valid, std::size_t samples,
                         std::size_t frames) {
  if (valid == samples) {
    return frames;
  }
  const auto counted = extractor.frames(valid);
  return counted ? std::min(*counted, frames) : std::min<std::size_t>(valid, 1);
}

/// MelSpectrogram or Mfcc for one worker.
template <class Extractor>
struct ExtractorState final : AudioState {
  explicit ExtractorState(Extractor made) : extractor(std::move(made)) {}
  Extractor extractor;
};

/// What both have in common. Self brings settings(rate) and bands().
template <class Self, class Parameters, class Extractor>
class FeatureOperation : public AudioOperation<Self, Parameters> {
 public:
  using AudioOperation<Self, Parameters>::AudioOperation;

  Result<AudioSpec> describe(const AudioSpec& in) const override {
    if (in.bands != 0) {
      return needs_wave(Self::kName);
    }
    PENSTOCK_ASSIGN(const Extractor extractor, make(in.rate));
    AudioSpec out = in;
    out.bands = self().bands();
    if (in.fixed_length()) {
      PENSTOCK_ASSIGN(out.frames, extractor.frames(static_cast<std::size_t>(in.frames)));
    }
    return out;
  }

  Result<std::unique_ptr<AudioState>> make_state(const AudioSpec& in) const override {
    PENSTOCK_ASSIGN(Extractor extractor, make(in.rate));
    return std::unique_ptr<AudioState>(std::make_unique<ExtractorState<Extractor>>(std::move(extractor)));
  }

  Status run(AudioWave& wave, const NoDraw&, AudioState* state) const {
    Extractor& extractor = static_cast<ExtractorState<Extractor>*>(state)->extractor;
    PENSTOCK_ASSIGN(const std::size_t frames, extractor.frames(wave.frames()));
    const auto channels = static_cast<std::size_t>(wave.channels);
    float* const out = wave.other(channels * static_cast<std::size_t>(self().bands()), frames);
    PENSTOCK_TRY(extractor.run(wave.data(), channels, wave.frames(), out));
    wave.valid = valid_frames(extractor, wave.valid, wave.frames(), frames);
    wave.bands = self().bands();
    wave.use_other(frames);
    return {};
  }

 private:
  using AudioOperation<Self, Parameters>::self;
  Result<Extractor> make(int rate) const {
    Result<Extractor> made = Extractor::make(self().settings(rate));
    if (!made) {
      made.error().message = fmt::format("{}: {}", Self::kName, made.error().message);
    }
    return made;
  }
};

class MelOperation final : public FeatureOperation<MelOperation, transforms::MelSpectrogram, MelSpectrogram> {
 public:
  static constexpr const char* kName = "MelSpectrogram";
  static constexpr const char* kSummary =
      "Turns each channel of a recording into n_mels bands, as librosa does.";
  using FeatureOperation::FeatureOperation;

  int bands() const noexcept { return p_.n_mels; }
  MelSettings settings(int rate) const {
    MelSettings settings;
    settings.sample_rate = rate;
    settings.n_fft = p_.n_fft;
    settings.hop_length = p_.hop_length;
    settings.win_length = p_.win_length;
    settings.window = p_.window;
    settings.center = p_.center;
    settings.pad_mode = p_.pad_mode;
    settings.power = p_.power;
    settings.n_mels = p_.n_mels;
    settings.fmin = p_.fmin;
    settings.fmax = p_.fmax;
    settings.htk = p_.htk;
    settings.norm = p_.norm;
    if (p_.db_mult) {
      settings.db_mult = static_cast<float>(*p_.db_mult);
    }
    return settings;
  }
};

class MfccOperation final : public FeatureOperation<MfccOperation, transforms::MFCC, Mfcc> {
 public:
  static constexpr const char* kName = "MFCC";
  static constexpr const char* kSummary =
      "Turns each channel of a recording into n_mfcc mel frequency cepstral coefficients, as librosa does.";
  using FeatureOperation::FeatureOperation;

  int bands() const noexcept { return p_.n_mfcc; }
  MfccSettings settings(int rate) const {
    MfccSettings settings;
    settings.mel.sample_rate = rate;
    settings.mel.n_fft = p_.n_fft;
    settings.mel.hop_length = p_.hop_length;
    settings.mel.n_mels = p_.n_mels;
    settings.mel.center = p_.center;
    settings.mel.power = 2.0;
    settings.mel.fmin = p_.fmin;
    settings.mel.fmax = p_.fmax;
    settings.mel.htk = p_.htk;
    settings.n_mfcc = p_.n_mfcc;
    settings.lifter = p_.lifter;
    settings.top_db = p_.top_db;
    return settings;
  }
};

class AmplitudeToDB final : public AudioOperation<AmplitudeToDB, transforms::AmplitudeToDB> {
 public:
  static constexpr const char* kName = "AmplitudeToDB";
  static constexpr const char* kSummary =
      "Turns the amplitudes of a spectrogram into decibels, as librosa does for one array.";
  using AudioOperation::AudioOperation;

  Status check() const override {
    if (!(p_.amin > 0)) {
      return wrong("amin", fmt::format("must be above 0, got {}", p_.amin), "");
    }
    if (!(p_.ref > 0)) {
      return wrong("ref", fmt::format("must be above 0, got {}", p_.ref), "");
    }
    if (p_.top_db && !(*p_.top_db >= 0)) {
      return wrong("top_db", fmt::format("must be at least 0, or None, got {}", *p_.top_db), "");
    }
    return {};
  }
  Result<AudioSpec> describe(const AudioSpec& in) const override {
    return in.bands == 0 ? Result<AudioSpec>(needs_features(kName)) : Result<AudioSpec>(in);
  }
  Status run(AudioWave& wave, const NoDraw&, AudioState*) const {
    const DecibelSettings settings{.ref = p_.ref, .amin = p_.amin, .top_db = p_.top_db};
    return amplitude_to_db(wave.data(), wave.rows() * wave.frames(), settings, wave.data());
  }
};

}  // namespace

transforms::MelSpectrogram::operator TransformPtr() const {
  return std::make_shared<const MelOperation>(*this);
}
transforms::MFCC::operator TransformPtr() const { return std::make_shared<const MfccOperation>(*this); }
transforms::AmplitudeToDB::operator TransformPtr() const {
  return std::make_shared<const penstock::AmplitudeToDB>(*this);
}
OperationInfo mel_spectrogram_operation() { return operation_info<MelOperation>(); }
OperationInfo mfcc_operation() { return operation_info<MfccOperation>(); }
OperationInfo amplitude_to_db_operation() { return operation_info<AmplitudeToDB>(); }

}  // namespace penstock::inline v0
