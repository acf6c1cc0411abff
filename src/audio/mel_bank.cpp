#include "audio/mel_bank.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace penstock::inline v0 {
namespace {

// Slaney's scale: linear up to 1 kHz, then logarithmic.
constexpr double kHertzPerMel = 200.0 / 3;
constexpr double kBreakHertz = 1000.0;
constexpr double kBreakMel = kBreakHertz / kHertzPerMel;
const double kLogStep = std::log(6.4) / 27;

double mel_of(double hertz, bool htk) {
  if (htk) {
    return 2595.0 * std::log10(1.0 + hertz / 700.0);
  }
  return hertz < kBreakHertz ? hertz / kHertzPerMel : kBreakMel + std::log(hertz / kBreakHertz) / kLogStep;
}

double hertz_of(double mel, bool htk) {
  if (htk) {
    return 700.0 * (std::pow(10.0, mel / 2595.0) - 1.0);
  }
  return mel < kBreakMel ? kHertzPerMel * mel : kBreakHertz * std::exp(kLogStep * (mel - kBreakMel));
}

double window_value(AudioWindow window, double turn) {
  const double angle = 2 * std::numbers::pi * turn;
  switch (window) {
    case AudioWindow::hann:
      return 0.5 - 0.5 * std::cos(angle);
    case AudioWindow::hamming:
      return 0.54 - 0.46 * std::cos(angle);
    case AudioWindow::blackman:
      return 0.42 - 0.5 * std::cos(angle) + 0.08 * std::cos(2 * angle);
    case AudioWindow::bartlett:
      return 1.0 - std::abs(2 * turn - 1);
    case AudioWindow::rectangular:
      break;
  }
  return 1.0;
}

}  // namespace

const char* name_of(AudioWindow window) noexcept {
  switch (window) {
    case AudioWindow::hann:
      return "hann";
    case AudioWindow::hamming:
      return "hamming";
    case AudioWindow::blackman:
      return "blackman";
    case AudioWindow::bartlett:
      return "bartlett";
    case AudioWindow::rectangular:
      return "rectangular";
  }
  return "unknown";
}

const char* name_of(MelNorm norm) noexcept { return norm == MelNorm::slaney ? "slaney" : "none"; }

const char* name_of(AudioPadding padding) noexcept {
  switch (padding) {
    case AudioPadding::constant:
      return "constant";
    case AudioPadding::reflect:
      return "reflect";
    case AudioPadding::edge:
      return "edge";
  }
  return "unknown";
}

std::vector<float> audio_window(AudioWindow window, int length, int size) {
  std::vector<float> values(static_cast<std::size_t>(size), 0.0F);
  const int before = (size - length) / 2;
  for (int i = 0; i < length; ++i) {
    values[static_cast<std::size_t>(before + i)] =
        static_cast<float>(window_value(window, static_cast<double>(i) / length));
  }
  return values;
}

MelBank MelBank::of(const MelSettings& settings) {
  const int bins = settings.n_fft / 2 + 1;
  const double low = mel_of(settings.fmin, settings.htk);
  const double high = mel_of(settings.fmax.value_or(settings.sample_rate / 2), settings.htk);
  std::vector<double> corners;
  for (int i = 0; i < settings.n_mels + 2; ++i) {
    corners.push_back(hertz_of(low + (high - low) * i / (settings.n_mels + 1), settings.htk));
  }
  MelBank bank;
  for (std::size_t m = 0; m + 2 < corners.size(); ++m) {
    const double begin = corners[m];
    const double top = corners[m + 1];
    const double end = corners[m + 2];
    const double height = settings.norm == MelNorm::slaney ? 2.0 / (end - begin) : 1.0;
    Row row{.first = 0, .count = 0, .weights = bank.weights.size()};
    for (int k = 0; k < bins; ++k) {
      const double hertz = settings.sample_rate * k / settings.n_fft;
      const double weight = std::min((hertz - begin) / (top - begin), (end - hertz) / (end - top));
      if (weight > 0) {
        row.first = row.count == 0 ? k : row.first;
        ++row.count;
        bank.weights.push_back(static_cast<float>(weight * height));
      }
    }
    bank.rows.push_back(row);
  }
  return bank;
}

}  // namespace penstock::inline v0
