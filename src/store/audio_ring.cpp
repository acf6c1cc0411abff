#include "store/audio_ring.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/seconds_since.hpp"

namespace penstock::inline v0 {
namespace {

constexpr std::uint8_t kStages = 3;

/// Behind the last stage: drained, and waiting for the batches before it.
constexpr auto kFinished = static_cast<AudioStage>(kStages);

}  // namespace

AudioRing::AudioRing(const AudioRingPlan& plan)
    : plan_(plan), next_file_(plan.first_file), next_row_(plan.first_row) {
  for (std::size_t i = 0; i < plan.buffers; ++i) {
    auto buffer = std::make_unique<AudioBuffer>();
    buffer->waves.reserve(plan.batch * plan.wave_bytes);
    buffer->mels.reserve(plan.batch * plan.mel_bytes);
    buffer->bad.resize(plan.batch);
    buffer->good_before.resize(plan.batch);
    buffers_.push_back(std::move(buffer));
  }
}

void AudioRing::stop(Error error) {
  {
    const std::lock_guard lock(mutex_);
    if (!failure_) {
      failure_ = std::move(error);
    }
  }
  moved_.notify_all();
}

bool AudioRing::all_done() const {
  return next_file_ == plan_.files &&
         std::all_of(buffers_.begin(), buffers_.end(), [](const auto& buffer) { return buffer->idle_; });
}

void AudioRing::begin_batch(AudioBuffer& buffer) {
  buffer.idle_ = false;
  buffer.stage_ = AudioStage::fill;
  buffer.given_ = buffer.done_ = 0;
  buffer.batch = next_batch_++;
  buffer.first_file = next_file_;
  buffer.count = static_cast<std::size_t>(std::min<std::uint64_t>(plan_.batch, plan_.files - next_file_));
  std::fill(buffer.bad.begin(), buffer.bad.end(), std::nullopt);
  next_file_ += buffer.count;
}

std::optional<AudioPart> AudioRing::part_of(AudioBuffer& buffer, AudioStage stage) {
  const bool can_drain = buffer.batch < next_numbered_ && !draining_;
  const bool has_rows = stage != AudioStage::drain || can_drain;
  if (buffer.idle_ || buffer.stage_ != stage || buffer.given_ == buffer.count || !has_rows) {
    return {};
  }
  draining_ = draining_ || stage == AudioStage::drain;
  const std::size_t begin = buffer.given_;
  buffer.given_ = std::min(buffer.count, begin + plan_.part[static_cast<std::size_t>(stage)]);
  return AudioPart{.buffer = &buffer, .stage = stage, .begin = begin, .end = buffer.given_};
}

/// What is furthest goes first: it makes room.
std::optional<AudioPart> AudioRing::next_part() {
  for (const AudioStage stage : {AudioStage::drain, AudioStage::compute, AudioStage::fill}) {
    std::optional<AudioPart> oldest;
    AudioBuffer* from = nullptr;
    for (const auto& buffer : buffers_) {
      if ((from == nullptr || buffer->batch < from->batch) && !buffer->idle_ && buffer->stage_ == stage &&
          buffer->given_ < buffer->count) {
        from = buffer.get();
      }
    }
    if (from != nullptr && (oldest = part_of(*from, stage))) {
      return oldest;
    }
  }
  const auto idle = std::find_if(buffers_.begin(), buffers_.end(), [](const auto& b) { return b->idle_; });
  if (next_file_ == plan_.files || idle == buffers_.end()) {
    return {};
  }
  begin_batch(**idle);
  return part_of(**idle, AudioStage::fill);
}

/// All rows of a stage are done: on to the next.
void AudioRing::advance(AudioBuffer& buffer) {
  if (buffer.stage_ == AudioStage::compute) {
    std::size_t good = 0;
    for (std::size_t row = 0; row < buffer.count; ++row) {
      buffer.good_before[row] = good;
      good += buffer.bad[row] ? 0 : 1;
    }
  }
  buffer.stage_ = static_cast<AudioStage>(static_cast<std::uint8_t>(buffer.stage_) + 1);
  buffer.given_ = buffer.done_ = 0;
  for (bool found = true; found;) {  // rows get their numbers in the order of the batches
    found = false;
    for (const auto& next : buffers_) {
      if (!next->idle_ && next->batch == next_numbered_ && next->stage_ >= AudioStage::drain) {
        const std::size_t last = next->count - 1;
        next->first_row = next_row_;
        next_row_ += next->good_before[last] + (next->bad[last] ? 0 : 1);
        ++next_numbered_;
        found = true;
      }
    }
  }
}

Status AudioRing::commit(const Finished& finished, std::unique_lock<std::mutex>& lock) {
  if (committing_) {
    return {};
  }
  committing_ = true;
  for (bool found = true; found;) {
    found = false;
    for (const auto& buffer : buffers_) {
      if (!buffer->idle_ && buffer->stage_ == kFinished && buffer->batch == next_committed_) {
        lock.unlock();
        Status told = finished(*buffer);
        lock.lock();
        if (!told.ok()) {
          return told;  // nobody commits any more
        }
        buffer->idle_ = true;
        ++next_committed_;
        found = true;
      }
    }
  }
  committing_ = false;
  return {};
}

Status AudioRing::end_part(const AudioPart& part, const Finished& finished,
                           std::unique_lock<std::mutex>& lock) {
  AudioBuffer& buffer = *part.buffer;
  buffer.done_ += part.end - part.begin;
  if (part.stage == AudioStage::drain) {
    draining_ = false;
    moved_.notify_all();
  }
  if (buffer.done_ < buffer.count) {
    return {};
  }
  advance(buffer);
  Status status = buffer.stage_ == kFinished ? commit(finished, lock) : Status();
  moved_.notify_all();
  return status;
}

Status AudioRing::work(const Work& work, const Finished& finished, double& waited) {
  std::unique_lock lock(mutex_);
  while (!failure_ && !all_done()) {
    const std::optional<AudioPart> part = next_part();
    if (!part) {
      const auto start = std::chrono::steady_clock::now();
      moved_.wait_for(lock, std::chrono::seconds(1));
      waited += seconds_since(start);
      continue;
    }
    lock.unlock();
    Status status = work(*part);
    lock.lock();
    if (status.ok()) {
      status = end_part(*part, finished, lock);
    }
    if (!status.ok() && !failure_) {
      failure_ = std::move(status).error();
      moved_.notify_all();
    }
  }
  return failure_ ? Status(*failure_) : Status();
}

}  // namespace penstock::inline v0
