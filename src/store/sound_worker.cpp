#include "store/sound_worker.hpp"

#include <algorithm>
#include <bit>
#include <chrono>

namespace penstock {
namespace {

using Clock = std::chrono::steady_clock;

/// Adds the time until now to `seconds` and starts again.
void lap(Clock::time_point& since, double& seconds) {
  const Clock::time_point now = Clock::now();
  seconds += std::chrono::duration<double>(now - since).count();
  since = now;
}

bool all_finite(const float* values, std::size_t count) {
  constexpr std::int32_t kInfinity = 0x7f800000;
  std::int32_t largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    largest = std::max(largest, std::bit_cast<std::int32_t>(values[i]) & 0x7fffffff);
  }
  return largest < kInfinity;
}

Error corrupt(const char* message) {
  return {.kind = ErrorKind::corrupt, .message = message, .advice = {}, .place = {.stage = "decode"}};
}

}  // namespace

Result<SoundWorker> SoundWorker::make(SoundTask& task) {
  PENSTOCK_ASSIGN(MelSpectrogram mel, MelSpectrogram::make(mel_of(*task.settings)));
  return SoundWorker(task, std::move(mel));
}

Status SoundWorker::work(const SoundPart& part) {
  switch (part.stage) {
    case SoundStage::fill:
      return fill(part);
    case SoundStage::compute:
      return compute(part);
    case SoundStage::drain:
      return drain(part);
  }
  return {};
}

Status SoundWorker::fill(const SoundPart& part) {
  SoundBuffer& buffer = *part.buffer;
  const std::size_t row_samples = task_->shape.wave_samples();
  std::vector<Result<std::unique_ptr<MappedFile>>> mapped;
  Clock::time_point since = Clock::now();
  if (task_->made_up.empty()) {  // all first, so that the kernel can read ahead
    for (std::size_t row = part.begin; row < part.end; ++row) {
      mapped.push_back(MappedFile::open(task_->files->path(buffer.first_file + row), Access::will_need));
    }
    lap(since, seconds_.read);
  }
  std::uint64_t bytes = 0;
  for (std::size_t row = part.begin; row < part.end; ++row) {
    float* const wave = reinterpret_cast<float*>(buffer.waves.data()) + row * row_samples;
    Status status;
    if (!task_->made_up.empty()) {
      status = convert(task_->made_up, wave);
    } else if (auto& file = mapped[row - part.begin]; !file.ok()) {
      status = std::move(file).error();
    } else {
      bytes += (*file)->size();
      status = convert((*file)->bytes(), wave);
      if (Status there = (*file)->check(); !there.ok()) {
        status = std::move(there);
      }
    }
    if (!status.ok()) {
      std::fill(wave, wave + row_samples, 0.0F);  // computed along, never written
      buffer.bad[row] = std::move(status).error();
    }
  }
  lap(since, seconds_.convert);
  mapped.clear();
  lap(since, seconds_.read);
  task_->bytes_read += bytes;
  return {};
}

Status SoundWorker::convert(ByteSpan file, float* row) {
  const SoundBuildSettings& settings = *task_->settings;
  const std::size_t wanted = task_->shape.wave_samples();
  PENSTOCK_ASSIGN(
      const ClipInfo clip,
      reader_.open(file, {.duration = settings.duration, .sample_rate = settings.sample_rate, .mono = true}));
  const auto frames = static_cast<std::size_t>(clip.frames);
  if (frames == 0) {
    return corrupt("the file holds no sample");
  }
  if (frames > wanted) {  // by a rounded frame after resampling
    auto* const clip_samples = reinterpret_cast<float*>(longer_.reserve(frames * sizeof(float)));
    PENSTOCK_TRY(reader_.read(clip_samples, frames));
    std::copy(clip_samples, clip_samples + wanted, row);
  } else {
    PENSTOCK_TRY(reader_.read(row, wanted));
    std::fill(row + frames, row + wanted, 0.0F);
  }
  return all_finite(row, std::min(frames, wanted)) ? Status()
                                                   : Status(corrupt("a sample is infinite or no number"));
}

Status SoundWorker::compute(const SoundPart& part) {
  const SoundShape& shape = task_->shape;
  const auto most = static_cast<std::size_t>(task_->settings->seg_microbatch_segments);
  const std::size_t end = part.end * shape.segments();
  Clock::time_point since = Clock::now();
  for (std::size_t begin = part.begin * shape.segments(); begin < end; begin += most) {
    const std::size_t count = std::min(most, end - begin);
    const float* const waves =
        reinterpret_cast<const float*>(part.buffer->waves.data()) + begin * shape.samples;
    std::uint8_t* const out = part.buffer->mels.data() + begin * shape.segment_bytes();
    if (task_->settings->compute) {
      PENSTOCK_TRY(task_->settings->compute(waves, count, out));
    } else if (shape.half) {
      PENSTOCK_TRY(mel_.run(waves, count, shape.samples, reinterpret_cast<std::uint16_t*>(out)));
    } else {
      PENSTOCK_TRY(mel_.run(waves, count, shape.samples, reinterpret_cast<float*>(out)));
    }
  }
  lap(since, seconds_.compute);
  return {};
}

Status SoundWorker::drain(const SoundPart& part) {
  SoundBuffer& buffer = *part.buffer;
  const SoundShape& shape = task_->shape;
  Clock::time_point since = Clock::now();
  for (std::size_t row = part.begin; row < part.end;) {
    if (buffer.bad[row]) {
      ++row;
      continue;
    }
    std::size_t end = row + 1;
    while (end < part.end && !buffer.bad[end]) {
      ++end;
    }
    PENSTOCK_TRY(task_->write(buffer.first_row + buffer.good_before[row], end - row,
                              buffer.waves.data() + row * shape.wave_bytes(),
                              buffer.mels.data() + row * shape.mel_bytes()));
    task_->bytes_written += (end - row) * (shape.wave_bytes() + shape.mel_bytes());
    row = end;
  }
  lap(since, seconds_.write);
  task_->files_done += part.end - part.begin;
  return {};
}

}  // namespace penstock
