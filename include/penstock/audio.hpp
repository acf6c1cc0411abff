#pragma once
// Features of audio: waves to mel spectrograms, decibels and MFCC, as librosa defines them.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "penstock/result.hpp"

namespace penstock::inline v0 {

/// Periodic, as for spectra in librosa and scipy.
enum class AudioWindow : std::uint8_t { hann, hamming, blackman, bartlett, rectangular };
/// "hann", "hamming", "blackman", "bartlett", "rectangular".
const char* name_of(AudioWindow window) noexcept;

/// What lies beyond the ends of a wave whose frames are centred: zeros, the wave mirrored at its end samples,
/// or the end samples repeated.
enum class AudioPadding : std::uint8_t { constant, reflect, edge };
/// "constant", "reflect", "edge".
const char* name_of(AudioPadding padding) noexcept;

/// Mel filters of equal height, or of equal area, as Slaney made them.
enum class MelNorm : std::uint8_t { none, slaney };
/// "none", "slaney".
const char* name_of(MelNorm norm) noexcept;

struct MelSettings {
  double sample_rate = 0;  ///< Hz; must be given
  int n_fft = 512;         ///< samples in a frame, 2 to 65,536; sizes with large prime factors are slow
  int hop_length = 128;    ///< samples from one frame to the next
  std::optional<int> win_length{};  ///< of the window, in the middle of the frame; absent = n_fft
  AudioWindow window = AudioWindow::hann;
  bool center = false;  ///< frame t has its middle at sample t * hop_length, else its beginning
  AudioPadding pad_mode = AudioPadding::constant;
  double power = 1.0;  ///< of the magnitudes, before the filters: 1 = magnitude, 2 = power
  int n_mels = 64;
  double fmin = 0.0;             ///< Hz
  std::optional<double> fmax{};  ///< Hz; absent = half the sample rate
  bool htk = false;              ///< HTK's scale of frequencies, else Slaney's
  MelNorm norm = MelNorm::slaney;
  std::optional<float> db_mult{};  ///< given: values become db_mult * log10(max(value, 1e-10))

  bool operator==(const MelSettings&) const = default;
};

/// Computes mel spectrograms. Values with settings; copies share the tables. One thread at a time per copy:
/// it owns the scratch memory, of fixed size.
class MelSpectrogram {
 public:
  /// `invalid` for impossible settings.
  static Result<MelSpectrogram> make(const MelSettings& settings);

  MelSpectrogram(const MelSpectrogram& other);
  MelSpectrogram& operator=(const MelSpectrogram& other);
  MelSpectrogram(MelSpectrogram&&) noexcept;
  MelSpectrogram& operator=(MelSpectrogram&&) noexcept;
  ~MelSpectrogram();

  const MelSettings& settings() const noexcept;
  /// The filters as a matrix [n_mels][n_fft / 2 + 1], and the window of a frame: for others who compute the
  /// same.
  std::vector<float> filters() const;
  std::vector<float> window() const;
  /// Of a wave of that many samples. `invalid` for one that is shorter than a frame, or than what is
  /// mirrored.
  Result<std::size_t> frames(std::size_t samples) const;

  /// `count` waves of `samples` samples, one after the other, to out[count][n_mels][frames]. NaN in a wave
  /// gives NaN in the frames that it is in.
  Status run(const float* waves, std::size_t count, std::size_t samples, float* out);
  /// The same as IEEE half precision, rounded to nearest even at the very end.
  Status run(const float* waves, std::size_t count, std::size_t samples, std::uint16_t* out);

 private:
  struct Impl;
  explicit MelSpectrogram(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

struct DecibelSettings {
  double ref = 1.0;    ///< amplitude (power) of 0 dB
  double amin = 1e-5;  ///< smaller amplitudes (powers) count as this
  std::optional<double> top_db =
      80.0;  ///< nothing is further below the loudest of the `count` values; absent = as it is
};

/// librosa's amplitude_to_db: out may be in.
Status amplitude_to_db(const float* in, std::size_t count, const DecibelSettings& settings, float* out);
/// librosa's power_to_db. There amin is 1e-10 unless given.
Status power_to_db(const float* in, std::size_t count, const DecibelSettings& settings, float* out);

struct MfccSettings {
  MelSettings mel{};  ///< power 2 in librosa; db_mult must be absent
  int n_mfcc = 20;    ///< 1 to n_mels
  double lifter = 0;  ///< 0: none
  double amin = 1e-10;
  std::optional<double> top_db = 80.0;  ///< below the loudest of the same wave

  bool operator==(const MfccSettings&) const = default;
};

/// Mel frequency cepstral coefficients: power_to_db of the mel spectrogram, then an orthonormal DCT-II. As
/// MelSpectrogram: one thread at a time per copy.
class Mfcc {
 public:
  static Result<Mfcc> make(const MfccSettings& settings);

  const MfccSettings& settings() const noexcept { return settings_; }
  Result<std::size_t> frames(std::size_t samples) const { return mel_.frames(samples); }
  /// `count` waves of `samples` samples to out[count][n_mfcc][frames].
  Status run(const float* waves, std::size_t count, std::size_t samples, float* out);

 private:
  Mfcc(MfccSettings settings, MelSpectrogram mel, std::vector<float> rows);

  MfccSettings settings_;
  MelSpectrogram mel_;
  std::vector<float> rows_;      ///< [n_mfcc][n_mels], lifted
  std::vector<float> decibels_;  ///< of one wave; grows to the longest
};

using SoundWindow [[deprecated("renamed to AudioWindow")]] = AudioWindow;     // deprecated name
using SoundPadding [[deprecated("renamed to AudioPadding")]] = AudioPadding;  // deprecated name

}  // namespace penstock::inline v0
