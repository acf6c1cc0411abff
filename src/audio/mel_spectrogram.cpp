#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "audio/kernels/mel_kernel.hpp"
#include "core/cpu.hpp"
#include "core/must_be.hpp"
#include "core/scratch.hpp"
#include "penstock/audio.hpp"

namespace penstock::inline v0 {
namespace {

constexpr int kMaxFft = 65536;
constexpr int kMaxMels = 4096;
constexpr int kMaxHop = 1 << 24;

Error wrong(const char* name, const std::string& value, const std::string& expected) {
  return must_be(name, expected, value, "mel_spectrogram");
}

Status check(const MelSettings& s) {
  const auto whole = [](const char* name, int value, int min, int max) -> Status {
    if (value < min || value > max) {
      return wrong(name, std::to_string(value), fmt::format("an integer between {} and {}", min, max));
    }
    return {};
  };
  if (!(s.sample_rate > 0) || !std::isfinite(s.sample_rate)) {
    return wrong("sample_rate", fmt::format("{}", s.sample_rate), "a positive number of Hz");
  }
  PENSTOCK_TRY(whole("n_fft", s.n_fft, 2, kMaxFft));
  PENSTOCK_TRY(whole("hop_length", s.hop_length, 1, kMaxHop));
  PENSTOCK_TRY(whole("win_length", s.win_length.value_or(s.n_fft), 1, s.n_fft));
  PENSTOCK_TRY(whole("n_mels", s.n_mels, 1, kMaxMels));
  if (!(s.power > 0) || !std::isfinite(s.power)) {
    return wrong("power", fmt::format("{}", s.power), "a positive number, 1 for magnitudes or 2 for power");
  }
  if (!(s.fmin >= 0) || !std::isfinite(s.fmin)) {
    return wrong("fmin", fmt::format("{}", s.fmin), "a non-negative number of Hz");
  }
  const double fmax = s.fmax.value_or(s.sample_rate / 2);
  if (!(fmax > s.fmin) || !std::isfinite(fmax)) {
    return wrong("fmax", fmt::format("{}", fmax), fmt::format("above fmin, which is {} Hz", s.fmin));
  }
  if (s.db_mult && !std::isfinite(*s.db_mult)) {
    return wrong("db_mult", fmt::format("{}", *s.db_mult), "a finite number");
  }
  return {};
}

}  // namespace

struct MelSpectrogram::Impl {
  MelSettings settings;
  std::shared_ptr<const MelTables> tables;
  Scratch scratch;

  template <class T>
  Status run(const float* waves, std::size_t count, std::size_t samples, std::size_t frames, T* out) {
    auto* const memory = reinterpret_cast<float*>(scratch.reserve(mel_scratch_size(*tables) * sizeof(float)));
    run_mel(*tables, {.waves = waves, .count = count, .samples = samples, .frames = frames}, memory, out);
    return {};
  }
};

Result<MelSpectrogram> MelSpectrogram::make(const MelSettings& settings) {
  PENSTOCK_ASSIGN([[maybe_unused]] const CpuTarget target, active_cpu_target());
  PENSTOCK_TRY(check(settings));
  auto impl = std::make_unique<Impl>();
  impl->settings = settings;
  impl->tables = std::make_shared<const MelTables>(MelTables{
      .fft = FftPlan::of(settings.n_fft),
      .window = audio_window(settings.window, settings.win_length.value_or(settings.n_fft), settings.n_fft),
      .bank = MelBank::of(settings),
      .hop = static_cast<std::size_t>(settings.hop_length),
      .center = settings.center,
      .padding = settings.pad_mode,
      .power = settings.power,
      .db_mult = settings.db_mult});
  return MelSpectrogram(std::move(impl));
}

MelSpectrogram::MelSpectrogram(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
MelSpectrogram::MelSpectrogram(const MelSpectrogram& other) : impl_(std::make_unique<Impl>()) {
  *this = other;
}
MelSpectrogram& MelSpectrogram::operator=(const MelSpectrogram& other) {
  impl_->settings = other.impl_->settings;
  impl_->tables = other.impl_->tables;
  return *this;
}
MelSpectrogram::MelSpectrogram(MelSpectrogram&&) noexcept = default;
MelSpectrogram& MelSpectrogram::operator=(MelSpectrogram&&) noexcept = default;
MelSpectrogram::~MelSpectrogram() = default;

const MelSettings& MelSpectrogram::settings() const noexcept { return impl_->settings; }

std::vector<float> MelSpectrogram::filters() const {
  const auto bins = static_cast<std::size_t>(impl_->tables->fft.bins());
  const MelBank& bank = impl_->tables->bank;
  std::vector<float> matrix(bank.rows.size() * bins, 0.0F);
  for (std::size_t m = 0; m < bank.rows.size(); ++m) {
    const MelBank::Row& row = bank.rows[m];
    std::copy_n(bank.weights.begin() + static_cast<std::ptrdiff_t>(row.weights), row.count,
                matrix.begin() + static_cast<std::ptrdiff_t>(m * bins) + row.first);
  }
  return matrix;
}

std::vector<float> MelSpectrogram::window() const { return impl_->tables->window; }

Result<std::size_t> MelSpectrogram::frames(std::size_t samples) const {
  const MelSettings& s = impl_->settings;
  const auto size = static_cast<std::size_t>(s.n_fft);
  const auto hop = static_cast<std::size_t>(s.hop_length);
  const auto too_short = [&](std::size_t min, const char* why) {
    return Error{.kind = ErrorKind::invalid,
                 .message = fmt::format("a wave of {} samples is too short {}", samples, why),
                 .advice = fmt::format("pass at least {} samples, or use a smaller n_fft", min),
                 .place = {.stage = "mel_spectrogram"}};
  };
  if (!s.center) {
    return samples < size ? Result<std::size_t>(too_short(size, "for one frame"))
                          : Result<std::size_t>(1 + (samples - size) / hop);
  }
  if (samples == 0) {
    return too_short(1, "for one frame");
  }
  // Odd sizes: half a frame, rounded down, is added at both ends, as in librosa.
  return samples + 2 * (size / 2) < size ? Result<std::size_t>(too_short(size, "for one frame"))
                                         : Result<std::size_t>(1 + (samples + 2 * (size / 2) - size) / hop);
}

Status MelSpectrogram::run(const float* waves, std::size_t count, std::size_t samples, float* out) {
  PENSTOCK_ASSIGN(const std::size_t number, frames(samples));
  return impl_->run(waves, count, samples, number, out);
}

Status MelSpectrogram::run(const float* waves, std::size_t count, std::size_t samples, std::uint16_t* out) {
  PENSTOCK_ASSIGN(const std::size_t number, frames(samples));
  return impl_->run(waves, count, samples, number, out);
}

}  // namespace penstock::inline v0
