#include "store/audio_worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "codecs/kernels/audio_samples.hpp"

namespace penstock::inline v0 {
namespace {

using Clock = std::chrono::steady_clock;

/// Recordings lie between -1 and 1. What is far beyond would overflow where its spectrum is squared.
constexpr float kLoudest = 1e15F;

/// Adds the time until now to `seconds` and starts again.
void lap(Clock::time_point& since, double& seconds) {
  const Clock::time_point now = Clock::now();
  seconds += std::chrono::duration<double>(now - since).count();
  since = now;
}

Error corrupt(const char* message) {
  return {.kind = ErrorKind::corrupt, .message = message, .advice = {}, .place = {.stage = "decode"}};
}

/// Of a file whose features are no numbers any more.
Error too_large(const AudioBuildSettings& settings) {
  std::vector<std::string> ways;
  if (settings.half) {
    ways.emplace_back("mel_dtype float32");
  }
  ways.emplace_back(settings.mel.db_mult ? "a smaller db_mult" : "decibels (a db_mult)");
  return {.kind = ErrorKind::unsupported,
          .message = settings.half ? "a feature is beyond 65,504, the largest number of float16"
                                   : "a feature is beyond the largest number of float32",
          .advice = fmt::format("use {}", fmt::join(ways, ", or ")),
          .place = {.stage = "compute"}};
}

/// Four at a time: the five bits of an exponent that are all 1 overflow into the sign's when 1 is added.
bool all_finite_halves(const std::uint8_t* halves, std::size_t count) {
  constexpr std::uint64_t kExponents = 0x7C00'7C00'7C00'7C00;
  constexpr std::uint64_t kOnes = 0x0400'0400'0400'0400;
  std::uint64_t infinite = 0;
  for (std::size_t i = 0; i < count; i += 4) {
    std::uint64_t four = 0;
    std::memcpy(&four, halves + 2 * i, 2 * std::min<std::size_t>(4, count - i));
    infinite |= (four & kExponents) + kOnes;
  }
  return (infinite & 0x8000'8000'8000'8000) == 0;
}

}  // namespace

Result<AudioWorker> AudioWorker::make(AudioTask& task) {
  PENSTOCK_ASSIGN(MelSpectrogram mel, MelSpectrogram::make(mel_of(*task.settings)));
  return AudioWorker(task, std::move(mel));
}

Status AudioWorker::fill(AudioBuffer& buffer) {
  const std::size_t row_samples = task_->shape.wave_samples();
  const auto row_of = [&](std::uint64_t file) { return static_cast<std::size_t>(file - buffer.first_file); };
  const auto wave_of = [&](std::uint64_t file) {
    return reinterpret_cast<float*>(buffer.waves.data()) + row_of(file) * row_samples;
  };
  Clock::time_point since = Clock::now();
  const auto use = [&](std::uint64_t file, ByteSpan bytes) {
    lap(since, seconds_.read);
    Status converted = convert(bytes, wave_of(file));
    lap(since, seconds_.convert);
    return converted;
  };
  Status outcome;
  const auto fail = [&](std::uint64_t file, Error error) {
    if (error.systemic && outcome.ok()) {
      outcome = error;
    }
    std::fill_n(wave_of(file), row_samples, 0.0F);  // computed along, never written
    buffer.bad[row_of(file)] = std::move(error);
  };
  const std::uint64_t begin = buffer.first_file;
  const std::uint64_t end = begin + buffer.count;
  if (task_->synthetic.empty()) {
    task_->bytes_read += fetcher_.fetch(begin, end, use, fail);
    lap(since, seconds_.read);
    return outcome;
  }
  for (std::uint64_t file = begin; file < end; ++file) {
    PENSTOCK_TRY(use(file, task_->synthetic));
  }
  return {};
}

Status AudioWorker::convert(ByteSpan file, float* row) {
  const AudioBuildSettings& settings = *task_->settings;
  const std::size_t wanted = task_->shape.wave_samples();
  PENSTOCK_ASSIGN(const ClipInfo clip, reader_.open(file, {.duration = settings.duration,
                                                           .sample_rate = settings.sample_rate,
                                                           .mono = true,
                                                           .resample_past_end = true}));
  const auto frames = static_cast<std::size_t>(clip.frames);
  if (frames == 0) {
    return corrupt("the file has no samples");
  }
  PENSTOCK_TRY(reader_.read(row, wanted));
  std::fill(row + frames, row + wanted, 0.0F);
  return all_within(row, frames, kLoudest)
             ? Status()
             : Status(corrupt("a sample is infinite, no number, or beyond 1e15"));
}

Status AudioWorker::compute(AudioBuffer& buffer) {
  const AudioShape& shape = task_->shape;
  const auto limit = static_cast<std::size_t>(task_->settings->seg_microbatch_segments);
  const std::size_t end = buffer.count * shape.segments();
  Clock::time_point since = Clock::now();
  for (std::size_t begin = 0; begin < end; begin += limit) {
    const std::size_t count = std::min(limit, end - begin);
    const float* const waves = reinterpret_cast<const float*>(buffer.waves.data()) + begin * shape.samples;
    std::uint8_t* const out = buffer.mels.data() + begin * shape.segment_bytes();
    if (task_->settings->compute) {
      PENSTOCK_TRY(task_->settings->compute(waves, count, out));
    } else if (shape.half) {
      PENSTOCK_TRY(mel_.run(waves, count, shape.samples, reinterpret_cast<std::uint16_t*>(out)));
    } else {
      PENSTOCK_TRY(mel_.run(waves, count, shape.samples, reinterpret_cast<float*>(out)));
    }
  }
  refuse_infinite(buffer);
  lap(since, seconds_.compute);
  return {};
}

void AudioWorker::refuse_infinite(AudioBuffer& buffer) const {
  const AudioShape& shape = task_->shape;
  const std::size_t values = shape.mel_bytes() / (shape.half ? sizeof(std::uint16_t) : sizeof(float));
  for (std::size_t row = 0; row < buffer.count; ++row) {
    const std::uint8_t* const mels = buffer.mels.data() + row * shape.mel_bytes();
    const bool finite = shape.half ? all_finite_halves(mels, values)
                                   : all_within(reinterpret_cast<const float*>(mels), values,
                                                std::numeric_limits<float>::max());
    if (!finite && !buffer.bad[row]) {
      buffer.bad[row] = too_large(*task_->settings);
    }
  }
}

Result<std::uint64_t> AudioWorker::write(AudioBuffer& buffer, std::uint64_t first_row,
                                         const WriteAudio& write) {
  const AudioShape& shape = task_->shape;
  Clock::time_point since = Clock::now();
  std::uint64_t written = 0;
  for (std::size_t row = 0; row < buffer.count;) {
    if (buffer.bad[row]) {
      ++row;
      continue;
    }
    std::size_t end = row + 1;
    while (end < buffer.count && !buffer.bad[end]) {
      ++end;
    }
    PENSTOCK_TRY(write(first_row + written, end - row, buffer.waves.data() + row * shape.wave_bytes(),
                       buffer.mels.data() + row * shape.mel_bytes()));
    written += end - row;
    row = end;
  }
  task_->bytes_written += written * (shape.wave_bytes() + shape.mel_bytes());
  lap(since, seconds_.write);
  task_->files_done += buffer.count;
  return written;
}

}  // namespace penstock::inline v0
