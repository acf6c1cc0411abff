#include "audio/read_audio.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "audio/resample.hpp"
#include "codecs/kernels/audio_samples.hpp"
#include "core/cpu.hpp"
#include "io/mapped_file.hpp"

namespace penstock::inline v0 {
namespace {

/// Frames that are mixed at once: all channels of them stay in the cache.
constexpr std::size_t kBlockSamples = 16'384;
/// Smaller files are read as fast without a hint, and the call costs more than it saves.
constexpr std::uint64_t kReadAheadFrom = 128 << 10;

Error invalid(std::string message) {
  Error error;
  error.kind = ErrorKind::invalid;
  error.message = std::move(message);
  error.place.stage = "decode";
  return error;
}

Status check(const AudioRequest& request) {
  if (!std::isfinite(request.start) || request.start < 0) {
    return invalid(fmt::format("start must be a non-negative number of seconds, got {}", request.start));
  }
  if (request.duration && !(*request.duration >= 0)) {
    return invalid(
        fmt::format("duration must be a non-negative number of seconds, got {}", *request.duration));
  }
  if (request.sample_rate && (*request.sample_rate < 1 || *request.sample_rate > kMaxAudioRate)) {
    return invalid(fmt::format("sample_rate must be between 1 and {} frames per second, got {}",
                               kMaxAudioRate, *request.sample_rate));
  }
  return {};
}

}  // namespace

std::uint64_t frame_at(double seconds, int rate) noexcept {
  const double frame = std::floor(seconds * rate + 1e-6);
  return frame < 9e18 ? static_cast<std::uint64_t>(frame) : std::uint64_t{9'000'000'000'000'000'000};
}

Result<ClipInfo> AudioReader::open(ByteSpan file, const AudioRequest& request) {
  PENSTOCK_TRY(check(request));
  PENSTOCK_ASSIGN(const AudioInfo info, decoder_.open(file));
  first_ = frame_at(request.start, info.rate);
  if (first_ > info.frames) {
    return invalid(fmt::format("start={} is past the end of a recording of {} seconds", request.start,
                               static_cast<double>(info.frames) / info.rate));
  }
  count_ = info.frames - first_;
  if (request.duration) {
    count_ = std::min(count_, frame_at(*request.duration, info.rate));
  }
  past_end_ = request.resample_past_end && request.mono && request.duration.has_value();
  clip_ = {.frames = count_,
           .channels = request.mono ? 1 : info.channels,
           .rate = request.sample_rate.value_or(info.rate),
           .file = info};
  if (clip_.rate != info.rate) {
    PENSTOCK_TRY(can_resample());
    clip_.frames = resampled_frames(past_end_ ? info.frames - first_ : count_, info.rate, clip_.rate);
    if (past_end_) {
      clip_.frames = std::min(clip_.frames, frame_at(*request.duration, clip_.rate));
    }
  }
  const std::uint64_t samples = std::max(clip_.frames * static_cast<std::uint64_t>(clip_.channels),
                                         count_);  // the slice is in memory too
  if (clip_.frames > kMaxClipSamples || samples > kMaxClipSamples) {
    Error error =
        invalid(fmt::format("a recording of {} frames with {} channels is too long to be read at once",
                            std::max(clip_.frames, count_), clip_.channels));
    error.kind = ErrorKind::unsupported;
    error.advice = "read it in parts, with start and duration";
    return error;
  }
  return clip_;
}

Status AudioReader::read_mono(std::uint64_t first, std::uint64_t count, float* out) {
  const auto channels = static_cast<std::size_t>(clip_.file.channels);
  if (channels == 1) {
    return decoder_.decode(first, count, out, static_cast<std::size_t>(count));
  }
  const std::size_t limit = std::max<std::size_t>(kBlockSamples / channels, 1);
  auto* const block = reinterpret_cast<float*>(channels_.reserve(limit * channels * sizeof(float)));
  for (std::uint64_t done = 0; done < count;) {
    const auto frames = static_cast<std::size_t>(std::min<std::uint64_t>(count - done, limit));
    PENSTOCK_TRY(decoder_.decode(first + done, frames, block, frames));
    mix_channels(block, frames, channels, frames, out + done);
    done += frames;
  }
  return {};
}

Status AudioReader::read_past_end(float* out) {
  constexpr std::uint64_t kMore = 4096;
  std::uint64_t next = first_;
  const auto next_samples = [&]() -> Result<std::span<const float>> {
    const std::uint64_t wanted = next == first_ ? std::max(count_, kMore) : kMore;
    const std::uint64_t count = std::min(wanted, clip_.file.frames - next);
    auto* const block =
        reinterpret_cast<float*>(slice_.reserve(static_cast<std::size_t>(count) * sizeof(float)));
    PENSTOCK_TRY(read_mono(next, count, block));
    next += count;
    return std::span<const float>(block, static_cast<std::size_t>(count));
  };
  return resample_start(next_samples, clip_.file.rate, clip_.rate, out, clip_.frames);
}

Status AudioReader::read(float* out, std::size_t stride) {
  const bool mono = clip_.channels == 1;
  if (clip_.rate == clip_.file.rate) {
    return mono ? read_mono(first_, count_, out) : decoder_.decode(first_, count_, out, stride);
  }
  if (past_end_) {
    return read_past_end(out);
  }
  const auto channels = static_cast<std::size_t>(clip_.channels);
  const auto frames = static_cast<std::size_t>(count_);
  auto* const slice = reinterpret_cast<float*>(slice_.reserve(frames * channels * sizeof(float)));
  PENSTOCK_TRY(mono ? read_mono(first_, count_, slice) : decoder_.decode(first_, count_, slice, frames));
  for (std::size_t channel = 0; channel < channels; ++channel) {
    PENSTOCK_TRY(
        resample(slice + channel * frames, count_, clip_.file.rate, clip_.rate, out + channel * stride));
  }
  return {};
}

Result<Audio> read_audio(ByteSpan file, const AudioRequest& request) {
  PENSTOCK_ASSIGN([[maybe_unused]] const CpuTarget target, active_cpu_target());
  AudioReader reader;
  PENSTOCK_ASSIGN(const ClipInfo clip, reader.open(file, request));
  const auto frames = static_cast<std::size_t>(clip.frames);
  Audio audio{
      .samples = std::make_unique_for_overwrite<float[]>(frames * static_cast<std::size_t>(clip.channels)),
      .frames = clip.frames,
      .channels = clip.channels,
      .rate = clip.rate};
  PENSTOCK_TRY(reader.read(audio.samples.get(), frames));
  return audio;
}

Result<Audio> read_audio(const std::string& path, const AudioRequest& request) {
  // All of it is wanted at once, unless it is a part; small files come with the first page or two anyway.
  const bool whole = request.start == 0 && !request.duration;
  PENSTOCK_ASSIGN(const auto file, MappedFile::open(path));
  if (whole && file->size() > kReadAheadFrom) {
    file->advise(Access::sequential, 0, file->size());
    file->advise(Access::will_need, 0, file->size());
  }
  Result<Audio> audio = read_audio(file->bytes(), request);
  if (Status intact = file->check(); !intact) {
    return std::move(intact).error();
  }
  if (!audio) {
    audio.error().place.shard = path;
  }
  return audio;
}

}  // namespace penstock::inline v0
