// RandomGain, RandomPolarity and AddNoise: what changes the values of a wave.

#include <fmt/format.h>

#include <cmath>

#include "penstock/audio_transform.hpp"
#include "transforms/audio/audio_operation.hpp"
#include "transforms/drawn_stream.hpp"

namespace penstock::inline v0 {
namespace {

/// Decibels further apart than this are a mistake, and would leave the range of float32.
constexpr double kMaxDecibels = 300;

bool is_range(const std::array<double, 2>& range) {
  return std::abs(range[0]) <= kMaxDecibels && std::abs(range[1]) <= kMaxDecibels && range[0] <= range[1];
}

void multiply(AudioWave& wave, float factor) {
  float* const data = wave.data();
  const std::size_t count = wave.rows() * wave.frames();
  for (std::size_t i = 0; i < count; ++i) {
    data[i] *= factor;
  }
}

struct DrawnGain {
  double db = 0;

  template <class V>
  void fields(V&& v) {
    v("db", db);
  }
};

class RandomGain final : public AudioOperation<RandomGain, transforms::RandomGain, DrawnGain> {
 public:
  static constexpr const char* kName = "RandomGain";
  static constexpr const char* kSummary =
      "Makes a recording louder or quieter by a random number of decibels.";
  using AudioOperation::AudioOperation;

  Status check() const override {
    if (!is_range(p_.db)) {
      return wrong(
          "db", fmt::format("must be (min, max) between -300 and 300, got ({}, {})", p_.db[0], p_.db[1]), "");
    }
    return {};
  }
  Result<AudioSpec> describe(const AudioSpec& in) const override {
    return in.bands != 0 ? Result<AudioSpec>(needs_wave(kName)) : Result<AudioSpec>(in);
  }
  bool works_in_place() const noexcept override { return true; }

  Status draw(const AudioSpec&, Draws& draws, DrawnGain& drawn) const {
    drawn.db = draws.uniform(p_.db[0], p_.db[1]);
    return {};
  }
  Status run(AudioWave& wave, const DrawnGain& drawn, AudioState*) const {
    multiply(wave, static_cast<float>(std::pow(10.0, drawn.db / 20)));
    return {};
  }
};

class RandomPolarity final : public AudioOperation<RandomPolarity, transforms::RandomPolarity, Happens> {
 public:
  static constexpr const char* kName = "RandomPolarity";
  static constexpr const char* kSummary = "Changes the sign of every sample with a given probability.";
  using AudioOperation::AudioOperation;

  Status check() const override { return check_chance(p_.p); }
  Result<AudioSpec> describe(const AudioSpec& in) const override {
    return in.bands != 0 ? Result<AudioSpec>(needs_wave(kName)) : Result<AudioSpec>(in);
  }
  bool works_in_place() const noexcept override { return true; }

  Status draw(const AudioSpec&, Draws& draws, Happens& drawn) const {
    drawn.apply = draws.chance(p_.p);
    return {};
  }
  Status run(AudioWave& wave, const Happens& drawn, AudioState*) const {
    if (drawn.apply) {
      multiply(wave, -1.0F);
    }
    return {};
  }
};

struct DrawnNoise {
  bool apply = false;
  double snr = 0;
  DrawnStream noise;

  template <class V>
  void fields(V&& v) {
    v("apply", apply);
    v("snr", snr);
    noise.fields(v);
  }
};

class AddNoise final : public AudioOperation<AddNoise, transforms::AddNoise, DrawnNoise> {
 public:
  static constexpr const char* kName = "AddNoise";
  static constexpr const char* kSummary =
      "Adds white noise, the sum of four uniform numbers for each sample, at a random distance below the "
      "recording.";
  using AudioOperation::AudioOperation;

  Status check() const override {
    if (!is_range(p_.snr)) {
      return wrong("snr",
                   fmt::format("must be (min, max) between -300 and 300, got ({}, {})", p_.snr[0], p_.snr[1]),
                   "");
    }
    return check_chance(p_.p);
  }
  Result<AudioSpec> describe(const AudioSpec& in) const override {
    return in.bands != 0 ? Result<AudioSpec>(needs_wave(kName)) : Result<AudioSpec>(in);
  }

  bool works_in_place() const noexcept override { return true; }

  Status draw(const AudioSpec&, Draws& draws, DrawnNoise& drawn) const {
    drawn.apply = draws.chance(p_.p);
    drawn.snr = drawn.apply ? draws.uniform(p_.snr[0], p_.snr[1]) : 0.0;
    drawn.noise.set(draws);
    return {};
  }
  Status run(AudioWave& wave, const DrawnNoise& drawn, AudioState*) const {
    if (!drawn.apply || wave.valid == 0) {
      return {};
    }
    Draws draws = drawn.noise.draws();
    double energy = 0;
    for (std::size_t i = 0; i < wave.rows(); ++i) {
      const float* const row = wave.row(i);
      for (std::size_t t = 0; t < wave.valid; ++t) {
        energy += static_cast<double>(row[t]) * row[t];
      }
    }
    const double power = energy / static_cast<double>(wave.rows() * wave.valid);
    const double amplitude = std::sqrt(power) * std::pow(10.0, -drawn.snr / 20);
    // Four whole numbers below 2^16 have a variance of (2^32 - 1) / 3 together.
    const auto scale = static_cast<float>(amplitude * std::sqrt(3.0 / 4294967295.0));
    for (std::size_t i = 0; i < wave.rows(); ++i) {
      float* const row = wave.row(i);
      for (std::size_t t = 0; t < wave.valid; ++t) {
        const std::uint64_t bits = draws.next64();
        const auto sum = static_cast<std::int32_t>((bits & 0xFFFF) + (bits >> 16 & 0xFFFF) +
                                                   (bits >> 32 & 0xFFFF) + (bits >> 48));
        row[t] += static_cast<float>(sum - 2 * 0xFFFF) * scale;
      }
    }
    return {};
  }
};

}  // namespace

transforms::RandomGain::operator TransformPtr() const {
  return std::make_shared<const penstock::RandomGain>(*this);
}
transforms::RandomPolarity::operator TransformPtr() const {
  return std::make_shared<const penstock::RandomPolarity>(*this);
}
transforms::AddNoise::operator TransformPtr() const {
  return std::make_shared<const penstock::AddNoise>(*this);
}
OperationInfo random_gain_operation() { return operation_info<RandomGain>(); }
OperationInfo random_polarity_operation() { return operation_info<RandomPolarity>(); }
OperationInfo add_noise_operation() { return operation_info<AddNoise>(); }

}  // namespace penstock::inline v0
