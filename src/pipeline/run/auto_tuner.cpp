#include "pipeline/run/auto_tuner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/usable_cores.hpp"

namespace penstock::inline v0 {
namespace {

constexpr int kMaxPrefetch = 16;  // each costs a batch of memory
constexpr int kSearches = 4;      // after the first
// A measurement takes as many batches and as much time as it needs to tell a few per cent.
constexpr std::uint64_t kBatches = 8;
constexpr std::uint64_t kNanoseconds = 250'000'000;
constexpr double kGain = 1.05;    // so much faster is worth more workers or memory
constexpr double kAsGood = 0.97;  // so much of the best rate is as good
constexpr double kWaits = 0.05;   // the consumer waits for more than this share of the time
constexpr double kUnlike = 0.7;   // so much slower is another load
constexpr double kWaitsMore = 0.15;
constexpr int kDifferingWindows = 3;

}  // namespace

int max_workers(const LoaderOptions& options) {
  if (options.num_workers && !options.auto_tune) {
    return *options.num_workers;
  }
  // The smallest bit more, so that 0.3 of 10 cores are 3.
  const int cores =
      std::max(1, static_cast<int>(options.cpu_budget * static_cast<double>(usable_cores()) + 1e-9));
  return options.num_workers ? std::min(*options.num_workers, cores) : cores;
}

AutoTuner::AutoTuner(int max_workers, int prefetch, bool whole_batches)
    : max_workers_(max_workers),
      min_prefetch_(prefetch),
      max_prefetch_(std::max({prefetch, kMaxPrefetch, whole_batches ? max_workers : 0})),
      whole_batches_(whole_batches),
      now_{.workers = 0, .prefetch = prefetch},
      searches_left_(kSearches) {
  set_workers((max_workers + 1) / 2);
  report_.max_workers = max_workers_;
  report_.workers = now_.workers;
  report_.prefetch = now_.prefetch;
}

void AutoTuner::set_workers(int workers) noexcept {
  now_.workers = workers;
  if (whole_batches_) {
    now_.prefetch = std::max(min_prefetch_, workers);
  }
}

bool AutoTuner::note(Clock::time_point now, std::uint64_t waited) {
  const std::uint64_t took = nanoseconds_between(std::exchange(last_, now), now);
  const std::uint64_t waited_now = waited - std::exchange(waited_, waited);
  if (!std::exchange(counting_, true)) {
    return false;
  }
  if (to_skip_ > 0) {
    --to_skip_;
    return false;
  }
  ++batches_;
  nanoseconds_ += took;
  nanoseconds_waited_ += waited_now;
  if (batches_ < kBatches || nanoseconds_ < kNanoseconds) {
    return false;
  }
  const double nanoseconds = static_cast<double>(std::exchange(nanoseconds_, 0));
  const TunedSettings before = now_;
  take({.at = now_,
        .rate = 1e9 * static_cast<double>(std::exchange(batches_, 0)) / nanoseconds,
        .wait = static_cast<double>(std::exchange(nanoseconds_waited_, 0)) / nanoseconds});
  if (now_ == before) {
    return false;
  }
  to_skip_ = std::max(now_.prefetch, before.prefetch) + 1;
  const std::lock_guard lock(mutex_);
  report_.workers = now_.workers;
  report_.prefetch = now_.prefetch;
  return true;
}

void AutoTuner::take(const Measured& measured) {
  switch (phase_) {
    case Phase::grow:
      return grow(measured);
    case Phase::shrink:
      return shrink(measured);
    case Phase::ahead:
      return look_ahead(measured);
    case Phase::settled:
      return watch(measured);
  }
}

void AutoTuner::grow(const Measured& measured) {
  if (best_.rate > 0 && measured.rate < best_.rate * kGain) {
    write_down(measured, fmt::format("no faster than {} workers", best_.at.workers));
    return try_fewer();
  }
  too_few_ = best_.rate > 0 ? best_.at.workers : 0;
  best_ = measured;
  if (measured.wait <= kWaits) {
    write_down(measured, "enough: the consumer limits the rate");
    return try_fewer();
  }
  if (measured.at.workers == max_workers_) {
    write_down(measured, "the consumer waits, and no more workers are allowed");
    return try_fewer();
  }
  write_down(measured, "the consumer waits: more workers");
  set_workers(std::min(2 * measured.at.workers, max_workers_));
}

/// Tries the middle between too few workers and enough of them, as long as that is another number.
void AutoTuner::try_fewer() {
  const int enough = best_.at.workers;
  if (enough - too_few_ <= std::max(1, enough / 8)) {
    set_workers(enough);
    return try_ahead();
  }
  phase_ = Phase::shrink;
  set_workers((too_few_ + enough) / 2);
}

void AutoTuner::shrink(const Measured& measured) {
  if (measured.rate >= best_.rate * kAsGood) {
    write_down(measured, fmt::format("as good as {} workers", best_.at.workers));
    best_.at = measured.at;  // the rate to compare with stays the best there was
    best_.wait = measured.wait;
  } else {
    write_down(measured, fmt::format("slower than {} workers", best_.at.workers));
    too_few_ = measured.at.workers;
  }
  try_fewer();
}

void AutoTuner::try_ahead() {
  if (whole_batches_ || best_.wait <= kWaits || now_.prefetch >= max_prefetch_) {
    return settle();
  }
  phase_ = Phase::ahead;
  now_.prefetch = std::min(2 * now_.prefetch, max_prefetch_);
}

void AutoTuner::look_ahead(const Measured& measured) {
  if (measured.rate < best_.rate * kGain) {
    write_down(measured, fmt::format("no faster than {} batches ahead", best_.at.prefetch));
    now_ = best_.at;
    return settle();
  }
  write_down(measured, "faster with more batches ahead");
  best_ = measured;
  if (measured.wait > kWaits && now_.workers < max_workers_) {
    too_few_ = now_.workers - 1;
    phase_ = Phase::grow;
    set_workers(std::min(2 * now_.workers, max_workers_));
    return;
  }
  try_ahead();
}

void AutoTuner::settle() {
  phase_ = Phase::settled;
  differing_windows_ = 0;
  const std::lock_guard lock(mutex_);
  report_.settled = true;
}

void AutoTuner::watch(const Measured& measured) {
  const bool waits_more = measured.wait > kWaitsMore && best_.wait <= kWaits;
  const bool waits_less = measured.wait <= kWaits && best_.wait > kWaitsMore && now_.workers > 1;
  const bool slower = measured.wait > kWaits && measured.rate < kUnlike * best_.rate;
  if (!waits_more && !waits_less && !slower) {
    differing_windows_ = 0;
    return;
  }
  if (++differing_windows_ < kDifferingWindows || searches_left_ == 0) {
    return;
  }
  --searches_left_;
  write_down(measured, "the load has changed: measure again");
  search_again();
}

void AutoTuner::search_again() {
  phase_ = Phase::grow;
  best_ = {};
  too_few_ = 0;
  const std::lock_guard lock(mutex_);
  report_.settled = false;
}

void AutoTuner::write_down(const Measured& measured, std::string decision) {
  const std::lock_guard lock(mutex_);
  report_.steps.push_back({.workers = measured.at.workers,
                           .prefetch = measured.at.prefetch,
                           .batches_per_second = measured.rate,
                           .consumer_wait_share = measured.wait,
                           .decision = std::move(decision)});
}

void AutoTuner::resume_from(const AutoTuner& before) {
  now_ = before.now_;
  searches_left_ = before.searches_left_;
  {
    LoaderStats::AutoTune report = before.report();
    const std::lock_guard lock(mutex_);
    report_ = std::move(report);
  }
  search_again();
}

LoaderStats::AutoTune AutoTuner::report() const {
  const std::lock_guard lock(mutex_);
  return report_;
}

}  // namespace penstock::inline v0
