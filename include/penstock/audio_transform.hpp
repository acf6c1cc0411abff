#pragma once
// Operations on recordings, for fields of kind audio.
//
//   std::vector<TransformPtr> list = {transforms::ToMono{}, transforms::Resample{.rate = 16000},
//                                     transforms::RandomTimeCrop{.frames = 16000}};
//
// A frame is one sample of every channel. Impossible values are refused (`invalid`) when a list is put to
// use, or by make_transform().

#include <array>
#include <optional>

#include "penstock/audio.hpp"
#include "penstock/transform.hpp"

namespace penstock::inline v0::transforms {

struct Resample {
  int rate = 0;

  template <class V>
  void fields(V&& v) {
    v("rate", rate, "frames per second of the result");
  }
  bool operator==(const Resample&) const = default;
  operator TransformPtr() const;  // implicit on purpose
};

struct ToMono {
  template <class V>
  void fields(V&&) {}
  bool operator==(const ToMono&) const = default;
  operator TransformPtr() const;  // implicit on purpose
};

struct RandomTimeCrop {
  int frames = 0;

  template <class V>
  void fields(V&& v) {
    v("frames", frames, "length of the result; a shorter recording is followed by silence");
  }
  bool operator==(const RandomTimeCrop&) const = default;
  operator TransformPtr() const;  // implicit on purpose
};

struct PadTime {
  int frames = 0;

  template <class V>
  void fields(V&& v) {
    v("frames", frames, "length of the result; a longer recording loses its end");
  }
  bool operator==(const PadTime&) const = default;
  operator TransformPtr() const;  // implicit on purpose
};

struct RandomGain {
  std::array<double, 2> db = {-6.0, 6.0};

  template <class V>
  void fields(V&& v) {
    v("db", db, "min and max change of loudness, in decibels");
  }
  bool operator==(const RandomGain&) const = default;
  operator TransformPtr() const;  // implicit on purpose
};

struct AddNoise {
  std::array<double, 2> snr = {10.0, 30.0};
  double p = 1.0;

  template <class V>
  void fields(V&& v) {
    v("snr", snr, "min and max distance from the recording's mean power down to the noise's, in decibels");
    v("p", p, "probability of adding noise");
  }
  bool operator==(const AddNoise&) const = default;
  operator TransformPtr() const;  // implicit on purpose
};

struct RandomPolarity {
  double p = 0.5;

  template <class V>
  void fields(V&& v) {
    v("p", p, "probability of changing every sign");
  }
  bool operator==(const RandomPolarity&) const = default;
  operator TransformPtr() const;  // implicit on purpose
};

struct MelSpectrogram {
  int n_fft = 512;
  int hop_length = 128;
  int n_mels = 64;
  double power = 1.0;
  bool center = false;
  double fmin = 0.0;
  std::optional<double> fmax = std::nullopt;
  bool htk = false;
  MelNorm norm = MelNorm::slaney;
  std::optional<int> win_length = std::nullopt;
  AudioWindow window = AudioWindow::hann;
  AudioPadding pad_mode = AudioPadding::constant;
  std::optional<double> db_mult = std::nullopt;

  template <class V>
  void fields(V&& v) {
    v("n_fft", n_fft, "samples in a frame of the spectrum");
    v("hop_length", hop_length, "samples between successive frames");
    v("n_mels", n_mels, "number of bands");
    v("power", power, "exponent of the magnitudes, usually 1 or 2");
    v("center", center, "frame t is centred at sample t * hop_length, otherwise it starts there");
    v("fmin", fmin, "lowest frequency, in Hz");
    v("fmax", fmax, "highest frequency, in Hz; None is half the sampling rate");
    v("htk", htk, "HTK's scale of frequencies, else Slaney's");
    v("norm", norm, "slaney: filters of equal area; None: of equal height");
    v("win_length", win_length, "samples of the window; None is n_fft");
    v("window", window, "shape of the window");
    v("pad_mode", pad_mode, "what lies beyond the ends of the recording, with center");
    v("db_mult", db_mult, "given: values become db_mult * log10(max(value, 1e-10))");
  }
  bool operator==(const MelSpectrogram&) const = default;
  operator TransformPtr() const;  // implicit on purpose
};

struct MFCC {
  int n_mfcc = 20;
  int n_fft = 512;
  int hop_length = 128;
  int n_mels = 64;
  bool center = false;
  double fmin = 0.0;
  std::optional<double> fmax = std::nullopt;
  bool htk = false;
  double lifter = 0.0;
  std::optional<double> top_db = 80.0;

  template <class V>
  void fields(V&& v) {
    v("n_mfcc", n_mfcc, "number of coefficients");
    v("n_fft", n_fft, "samples in a frame of the spectrum");
    v("hop_length", hop_length, "samples between successive frames");
    v("n_mels", n_mels, "number of bands of the mel spectrogram in between");
    v("center", center, "frame t is centred at sample t * hop_length, otherwise it starts there");
    v("fmin", fmin, "lowest frequency, in Hz");
    v("fmax", fmax, "highest frequency, in Hz; None is half the sampling rate");
    v("htk", htk, "HTK's scale of frequencies, else Slaney's");
    v("lifter", lifter, "0: coefficients as they are");
    v("top_db", top_db, "values further than this below the loudest are raised to it; None: no limit");
  }
  bool operator==(const MFCC&) const = default;
  operator TransformPtr() const;  // implicit on purpose
};

struct AmplitudeToDB {
  double ref = 1.0;
  double amin = 1e-5;
  std::optional<double> top_db = 80.0;

  template <class V>
  void fields(V&& v) {
    v("ref", ref, "amplitude of 0 dB");
    v("amin", amin, "smaller amplitudes are raised to this");
    v("top_db", top_db, "values further than this below the loudest are raised to it; None: no limit");
  }
  bool operator==(const AmplitudeToDB&) const = default;
  operator TransformPtr() const;  // implicit on purpose
};

struct TimeMasking {
  int width = 0;
  double value = 0.0;

  template <class V>
  void fields(V&& v) {
    v("width", width, "max number of masked frames; how many and where is random");
    v("value", value, "their new value");
  }
  bool operator==(const TimeMasking&) const = default;
  operator TransformPtr() const;  // implicit on purpose
};

struct FrequencyMasking {
  int width = 0;
  double value = 0.0;

  template <class V>
  void fields(V&& v) {
    v("width", width, "max number of masked bands; how many and where is random");
    v("value", value, "their new value");
  }
  bool operator==(const FrequencyMasking&) const = default;
  operator TransformPtr() const;  // implicit on purpose
};

}  // namespace penstock::inline v0::transforms
