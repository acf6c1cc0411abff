#pragma once
// What each worker counts.

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>

#include "codecs/catalog.hpp"
#include "codecs/sound_format_decoder.hpp"
#include "core/ring_capacity.hpp"

namespace penstock {

using Clock = std::chrono::steady_clock;

inline std::uint64_t nanoseconds_between(Clock::time_point from, Clock::time_point to) noexcept {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(to - from).count());
}

/// A sum with one writer and any number of readers.
class Counter {
 public:
  void add(std::uint64_t amount) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }
  std::uint64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

/// What a worker is at.
enum class WorkStage : std::uint8_t { idle, read, decoding, foreign };

/// Written by one worker, on cache lines of its own. Times in nanoseconds.
struct alignas(kCacheLine) WorkerCounters {
  Counter read;
  Counter decode;
  Counter transform;
  Counter foreign;
  Counter busy;
  Counter wait;
  Counter bytes;
  std::array<Counter, kPictureCodecs> decoded;  // pictures, by codec
  std::array<Counter, kSoundCodecs> sounds;     // decoded, by codec
  std::atomic<WorkStage> stage{WorkStage::idle};
  std::atomic<std::uint64_t> sample{0};
  std::atomic<std::int64_t> since{0};         // steady clock
  std::atomic<const char*> running{nullptr};  // name of the user's stage, which the plan keeps

  void is_at(WorkStage now, std::uint64_t of_sample, Clock::time_point start,
             const char* name = nullptr) noexcept {
    running.store(name, std::memory_order_relaxed);
    stage.store(now, std::memory_order_relaxed);
    sample.store(of_sample, std::memory_order_relaxed);
    since.store(start.time_since_epoch().count(), std::memory_order_relaxed);
  }
};

/// What all workers counted together, those of an earlier scheduler included.
struct WorkerTotals {
  std::uint64_t read = 0;
  std::uint64_t decode = 0;
  std::uint64_t transform = 0;
  std::uint64_t foreign = 0;
  std::uint64_t busy = 0;
  std::uint64_t wait = 0;
  std::uint64_t bytes = 0;
  std::array<std::uint64_t, kPictureCodecs> decoded{};
  std::array<std::uint64_t, kSoundCodecs> sounds{};
  double cpu_seconds = 0;

  void add(const WorkerCounters& worker) noexcept {
    read += worker.read.get();
    decode += worker.decode.get();
    transform += worker.transform.get();
    foreign += worker.foreign.get();
    busy += worker.busy.get();
    wait += worker.wait.get();
    bytes += worker.bytes.get();
    for (std::size_t codec = 0; codec < kPictureCodecs; ++codec) {
      decoded[codec] += worker.decoded[codec].get();
    }
    for (std::size_t codec = 0; codec < kSoundCodecs; ++codec) {
      sounds[codec] += worker.sounds[codec].get();
    }
  }
};

}  // namespace penstock
