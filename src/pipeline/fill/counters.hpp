#pragma once
// What each worker counts.

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>

#include "codecs/audio_catalog.hpp"
#include "codecs/catalog.hpp"
#include "core/ring_capacity.hpp"

namespace penstock::inline v0 {

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
enum class WorkStage : std::uint8_t { idle, read, decode, transform, foreign, assemble };
inline constexpr std::size_t kWorkStages = 6;

/// Written by one worker, on cache lines of its own.
struct alignas(kCacheLine) WorkerCounters {
  std::array<Counter, kWorkStages> spent;  // nanoseconds in each stage; idle is not counted
  Counter wait;                            // nanoseconds
  Counter bytes;
  std::array<Counter, kMaxImageCodecs> decoded;     // images, by codec
  std::array<Counter, kMaxAudioCodecs> recordings;  // decoded, by codec
  std::atomic<WorkStage> stage{WorkStage::idle};
  std::atomic<std::uint64_t> sample{0};
  std::atomic<std::int64_t> since{0};         // steady clock
  std::atomic<const char*> running{nullptr};  // name of the user's stage, which the plan keeps

  /// The worker continues with `next`; the time since the last call belongs to what it was at.
  void enter(WorkStage next, std::uint64_t of_sample, const char* name = nullptr) noexcept {
    const Clock::duration now = Clock::now().time_since_epoch();
    const WorkStage before = stage.load(std::memory_order_relaxed);
    if (before != WorkStage::idle) {
      const Clock::duration then(since.load(std::memory_order_relaxed));
      spent[static_cast<std::size_t>(before)].add(
          nanoseconds_between(Clock::time_point(then), Clock::time_point(now)));
    }
    running.store(name, std::memory_order_relaxed);
    stage.store(next, std::memory_order_relaxed);
    sample.store(of_sample, std::memory_order_relaxed);
    since.store(now.count(), std::memory_order_relaxed);
  }
};

/// What all workers counted together, those of an earlier scheduler included.
struct WorkerTotals {
  std::array<std::uint64_t, kWorkStages> spent{};
  std::uint64_t wait = 0;
  std::uint64_t bytes = 0;
  std::array<std::uint64_t, kMaxImageCodecs> decoded{};
  std::array<std::uint64_t, kMaxAudioCodecs> recordings{};
  double cpu_seconds = 0;

  void add(const WorkerCounters& worker) noexcept {
    for (std::size_t stage = 0; stage < kWorkStages; ++stage) {
      spent[stage] += worker.spent[stage].get();
    }
    wait += worker.wait.get();
    bytes += worker.bytes.get();
    for (std::size_t codec = 0; codec < kMaxImageCodecs; ++codec) {
      decoded[codec] += worker.decoded[codec].get();
    }
    for (std::size_t codec = 0; codec < kMaxAudioCodecs; ++codec) {
      recordings[codec] += worker.recordings[codec].get();
    }
  }
};

}  // namespace penstock::inline v0
