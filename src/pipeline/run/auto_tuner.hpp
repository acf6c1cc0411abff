#pragma once
// How many workers a loader needs, and how many batches ahead: found by measuring.

#include <cstdint>
#include <mutex>
#include <string>

#include "penstock/options.hpp"
#include "penstock/stats.hpp"
#include "pipeline/fill/counters.hpp"

namespace penstock::inline v0 {

/// The most workers that the options allow: num_workers if given, and no more than the share cpu_budget of
/// the cores this process may use where the loader chooses.
int max_workers(const LoaderOptions& options);

struct TunedSettings {
  int workers = 0;
  int prefetch = 0;

  bool operator==(const TunedSettings&) const = default;
};

/// Looks for the fewest workers that give nearly the best rate, then for more batches ahead where the
/// consumer still waits, changing one thing at a time. Once settled it watches, and looks again when the load
/// has changed, a few times at most: it never swings forever. All members are for the consumer's thread but
/// report(), which any may call.
class AutoTuner {
 public:
  /// `whole_batches`: one worker makes a batch, so that fewer batches ahead than workers leave some without.
  AutoTuner(int max_workers, int prefetch, bool whole_batches);

  const TunedSettings& settings() const noexcept { return now_; }
  /// The largest prefetch it will ever try.
  int max_prefetch() const noexcept { return max_prefetch_; }
  /// A batch was delivered at `now`; `waited`: nanoseconds that the consumer has waited for batches, in all.
  /// True: settings() has changed.
  bool note(Clock::time_point now, std::uint64_t waited);
  /// The time until the next batch is no measure: an epoch begins.
  void interrupt() noexcept { counting_ = false; }
  /// Continues where another is, with a new search: the source has changed.
  void resume_from(const AutoTuner& before);

  LoaderStats::AutoTune report() const;

 private:
  enum class Phase : std::uint8_t { grow, shrink, ahead, settled };
  struct Measured {
    TunedSettings at;
    double rate = 0;  // batches per second
    double wait = 0;  // share of the time that the consumer waited
  };

  void set_workers(int workers) noexcept;
  void take(const Measured& measured);
  void grow(const Measured& measured);
  void shrink(const Measured& measured);
  void look_ahead(const Measured& measured);
  void watch(const Measured& measured);
  void search_again();
  void try_fewer();
  void try_ahead();
  void settle();
  void write_down(const Measured& measured, std::string decision);

  const int max_workers_;
  const int min_prefetch_;
  const int max_prefetch_;
  const bool whole_batches_;
  TunedSettings now_;
  Phase phase_ = Phase::grow;
  Measured best_;    // rate 0: nothing measured in this search
  int too_few_ = 0;  // workers
  int searches_left_;
  int differing_windows_ = 0;  // in a row, since it settled

  // The measurement under way.
  bool counting_ = false;  // last_ and waited_ are those of the batch before
  int to_skip_ = 0;        // batches prepared with the settings before
  std::uint64_t batches_ = 0;
  std::uint64_t nanoseconds_ = 0;
  std::uint64_t nanoseconds_waited_ = 0;
  Clock::time_point last_;
  std::uint64_t waited_ = 0;

  mutable std::mutex mutex_;  // of report_
  LoaderStats::AutoTune report_;
};

}  // namespace penstock::inline v0
