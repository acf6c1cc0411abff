#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "audio/kernels/mel_kernel.hpp"
#include "core/must_be.hpp"
#include "penstock/audio.hpp"

namespace penstock::inline v0 {
namespace {

Error wrong(const char* name, double value, const char* expected) {
  return must_be(name, expected, fmt::format("{}", value), "decibels");
}

Status check(const DecibelSettings& settings) {
  constexpr double kMin = std::numeric_limits<float>::min();
  constexpr double kMax = std::numeric_limits<float>::max();
  if (!(settings.amin >= kMin && settings.amin <= kMax)) {
    return wrong("amin", settings.amin, "above 1.2e-38");
  }
  if (!std::isfinite(settings.ref)) {
    return wrong("ref", settings.ref, "a finite number");
  }
  if (settings.top_db && !(*settings.top_db >= 0)) {
    return wrong("top_db", *settings.top_db, "a non-negative number, or None");
  }
  return {};
}

void to_db(const float* in, std::size_t count, const DecibelSettings& settings, float factor, float* out) {
  scaled_log10(in, count, static_cast<float>(settings.amin), factor, out);
  const auto reference =
      static_cast<float>(factor * std::log10(std::max(settings.amin, std::abs(settings.ref))));
  float loudest = -std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < count; ++i) {
    out[i] -= reference;
    loudest = std::max(loudest, out[i]);  // NaN counts for nothing
  }
  if (settings.top_db) {
    const float least = loudest - static_cast<float>(*settings.top_db);
    for (std::size_t i = 0; i < count; ++i) {
      out[i] = out[i] < least ? least : out[i];
    }
  }
}

}  // namespace

Status amplitude_to_db(const float* in, std::size_t count, const DecibelSettings& settings, float* out) {
  PENSTOCK_TRY(check(settings));
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = std::abs(in[i]);
  }
  to_db(out, count, settings, 20.0F, out);
  return {};
}

Status power_to_db(const float* in, std::size_t count, const DecibelSettings& settings, float* out) {
  PENSTOCK_TRY(check(settings));
  to_db(in, count, settings, 10.0F, out);
  return {};
}

}  // namespace penstock::inline v0
