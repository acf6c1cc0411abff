#include "store/audio_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/must_be.hpp"
#include "store/build_options.hpp"

namespace penstock::inline v0 {
namespace {

Error wrong_setting(const std::string& name, const std::string& value, const std::string& expected) {
  return must_be(name, expected, value, "build");
}

Status check_whole(const char* name, int value, int min, int max) {
  return value >= min && value <= max
             ? Status()
             : Status(wrong_setting(name, std::to_string(value), fmt::format("between {} and {}", min, max)));
}

}  // namespace

MelSettings mel_of(const AudioBuildSettings& settings) {
  MelSettings mel = settings.mel;
  mel.sample_rate = settings.sample_rate;
  return mel;
}

Result<AudioShape> shape_of(const AudioBuildSettings& s) {
  constexpr int kMaxRate = 1 << 20;
  constexpr int kMax = 1 << 24;
  constexpr double kMaxSamples = 1 << 28;
  PENSTOCK_TRY(check_whole("sample_rate", s.sample_rate, 1, kMaxRate));
  PENSTOCK_TRY(check_whole("long_segment", s.long_segment, 1, kMax));
  PENSTOCK_TRY(check_whole("short_segment", s.short_segment, 1, kMax));
  PENSTOCK_TRY(check_whole("num_mega_buffers", s.num_mega_buffers, 1, 64));
  PENSTOCK_TRY(check_whole("seg_microbatch_segments", s.seg_microbatch_segments, 1, kMax));
  PENSTOCK_TRY(check_whole("batch_files", s.batch_files.value_or(1), 1, kMax));
  PENSTOCK_TRY(check_workers(s.workers, "build"));
  if (s.max_error_share && !(*s.max_error_share >= 0 && *s.max_error_share <= 1)) {
    return wrong_setting("max_errors", fmt::format("{}", *s.max_error_share),
                         "an integer, or a share between 0.0 and 1.0");
  }
  if ((s.device == "cpu") == static_cast<bool>(s.compute)) {
    return wrong_setting(
        "device", "'" + s.device + "'",
        s.compute ? "another name than 'cpu' for a custom compute" : "'cpu' without a custom compute");
  }
  const double samples = s.duration * s.sample_rate;
  if (!(samples >= 1) || samples > kMaxSamples || std::abs(samples - std::round(samples)) > 1e-6) {
    return wrong_setting(
        "duration", fmt::format("{}", s.duration),
        fmt::format("a number of seconds that is an integer number of samples at {} Hz, at most 2^28",
                    s.sample_rate));
  }
  const auto total = static_cast<std::int64_t>(std::llround(samples));
  if (total % s.long_segment != 0) {
    return wrong_setting("long_segment", std::to_string(s.long_segment),
                         fmt::format("a divisor of {}, the samples of {} seconds", total, s.duration));
  }
  if (s.long_segment % s.short_segment != 0) {
    return wrong_setting("short_segment", std::to_string(s.short_segment),
                         fmt::format("a divisor of long_segment, which is {}", s.long_segment));
  }
  PENSTOCK_ASSIGN(const MelSpectrogram mel, MelSpectrogram::make(mel_of(s)));
  PENSTOCK_ASSIGN(const std::size_t frames, mel.frames(static_cast<std::size_t>(s.short_segment)));
  return AudioShape{.longs = static_cast<std::size_t>(total / s.long_segment),
                    .shorts = static_cast<std::size_t>(s.long_segment / s.short_segment),
                    .samples = static_cast<std::size_t>(s.short_segment),
                    .mels = static_cast<std::size_t>(s.mel.n_mels),
                    .frames = frames,
                    .half = s.half};
}

decltype(AudioFileContents::attributes) configuration_of(const AudioBuildSettings& s) {
  const auto whole = [](int value) { return std::int64_t{value}; };
  AudioFileContents::Attribute db_mult = "none";
  if (s.mel.db_mult) {
    db_mult = double{*s.mel.db_mult};
  }
  return {{"sample_rate", whole(s.sample_rate)},
          {"duration", s.duration},
          {"long_segment", whole(s.long_segment)},
          {"short_segment", whole(s.short_segment)},
          {"n_fft", whole(s.mel.n_fft)},
          {"hop_length", whole(s.mel.hop_length)},
          {"win_length", whole(s.mel.win_length.value_or(s.mel.n_fft))},
          {"window", name_of(s.mel.window)},
          {"center", whole(s.mel.center)},
          {"pad_mode", name_of(s.mel.pad_mode)},
          {"power", s.mel.power},
          {"n_mels", whole(s.mel.n_mels)},
          {"fmin", s.mel.fmin},
          {"fmax", s.mel.fmax.value_or(s.sample_rate / 2.0)},
          {"htk", whole(s.mel.htk)},
          {"norm", name_of(s.mel.norm)},
          {"db_mult", db_mult},
          {"mel_dtype", s.half ? "float16" : "float32"},
          {"device", s.device},
          {"label_pattern", s.label_pattern}};
}

std::size_t batch_files_of(const AudioBuildSettings& settings, const AudioShape& shape, unsigned workers,
                           std::uint64_t free_bytes, std::uint64_t files) {
  constexpr std::uint64_t kUsual = 128;
  constexpr std::uint64_t kMaxOnDevice = 16 << 20;       // enough for a call that goes elsewhere
  constexpr std::uint64_t kMaxCachedValues = 768 << 10;  // of one thread: what lies in a core's own cache
  std::uint64_t count = kUsual;
  if (settings.batch_files) {
    count = static_cast<std::uint64_t>(*settings.batch_files);
  } else if (settings.autosize_gpu_batch) {
    const auto buffers = static_cast<std::uint64_t>(settings.num_mega_buffers);
    const std::uint64_t share = free_bytes / 4 / buffers;
    const std::uint64_t row = shape.wave_bytes() + shape.mel_bytes();
    const std::uint64_t cached = std::max<std::uint64_t>(1, kMaxCachedValues / row);  // files of a thread
    const std::uint64_t max =
        settings.compute ? kMaxOnDevice / row : (cached * workers + buffers - 1) / buffers;
    count = std::min(share / row, std::max(max, cached));
  }
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(count, 1, std::max<std::uint64_t>(files, 1)));
}

}  // namespace penstock::inline v0
