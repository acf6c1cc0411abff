#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/must_be.hpp"
#include "penstock/audio.hpp"

namespace penstock::inline v0 {
namespace {

/// The first `count` rows of an orthonormal DCT-II over n_mels values, each times its lifter.
std::vector<float> cosine_rows(const MfccSettings& settings) {
  const int mels = settings.mel.n_mels;
  std::vector<float> rows;
  rows.reserve(static_cast<std::size_t>(settings.n_mfcc) * static_cast<std::size_t>(mels));
  for (int k = 0; k < settings.n_mfcc; ++k) {
    const double norm = std::sqrt((k == 0 ? 1.0 : 2.0) / mels);
    const double lift = settings.lifter > 0 ? 1.0 + settings.lifter / 2 *
                                                        std::sin(std::numbers::pi * (k + 1) / settings.lifter)
                                            : 1.0;
    for (int m = 0; m < mels; ++m) {
      rows.push_back(
          static_cast<float>(norm * lift * std::cos(std::numbers::pi * k * (2 * m + 1) / (2.0 * mels))));
    }
  }
  return rows;
}

Error wrong(std::string message, std::string advice) {
  return {.kind = ErrorKind::invalid,
          .message = std::move(message),
          .advice = std::move(advice),
          .place = {.stage = "mfcc"}};
}

}  // namespace

Mfcc::Mfcc(MfccSettings settings, MelSpectrogram mel, std::vector<float> rows)
    : settings_(std::move(settings)), mel_(std::move(mel)), rows_(std::move(rows)) {}

Result<Mfcc> Mfcc::make(const MfccSettings& settings) {
  PENSTOCK_ASSIGN(MelSpectrogram mel, MelSpectrogram::make(settings.mel));
  if (settings.n_mfcc < 1 || settings.n_mfcc > settings.mel.n_mels) {
    return must_be("n_mfcc", fmt::format("between 1 and n_mels, which is {}", settings.mel.n_mels),
                   fmt::format("{}", settings.n_mfcc), "mfcc");
  }
  if (settings.mel.db_mult) {
    return wrong("db_mult cannot be used: the coefficients are computed from decibels", "omit it");
  }
  if (!(settings.lifter >= 0) || !std::isfinite(settings.lifter)) {
    return must_be("lifter", "a non-negative number", fmt::format("{}", settings.lifter), "mfcc");
  }
  // An error of the decibels' settings shows here, not at the first wave.
  PENSTOCK_TRY(power_to_db(nullptr, 0, {.amin = settings.amin, .top_db = settings.top_db}, nullptr));
  return Mfcc(settings, std::move(mel), cosine_rows(settings));
}

Status Mfcc::run(const float* waves, std::size_t count, std::size_t samples, float* out) {
  PENSTOCK_ASSIGN(const std::size_t frames, mel_.frames(samples));
  const auto mels = static_cast<std::size_t>(settings_.mel.n_mels);
  const auto wanted = static_cast<std::size_t>(settings_.n_mfcc);
  decibels_.resize(std::max(decibels_.size(), mels * frames));
  float* const decibels = decibels_.data();
  for (std::size_t wave = 0; wave < count; ++wave) {
    PENSTOCK_TRY(mel_.run(waves + wave * samples, 1, samples, decibels));
    PENSTOCK_TRY(
        power_to_db(decibels, mels * frames, {.amin = settings_.amin, .top_db = settings_.top_db}, decibels));
    for (std::size_t k = 0; k < wanted; ++k, out += frames) {
      std::fill(out, out + frames, 0.0F);
      for (std::size_t m = 0; m < mels; ++m) {
        const float weight = rows_[k * mels + m];
        for (std::size_t t = 0; t < frames; ++t) {
          out[t] += weight * decibels[m * frames + t];
        }
      }
    }
  }
  return {};
}

}  // namespace penstock::inline v0
