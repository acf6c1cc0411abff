#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/usable_cores.hpp"
#include "pipeline/run/consumer_counters.hpp"

namespace penstock::inline v0 {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Of 10 seconds, in which the consumer waited and four workers were busy for these shares of their time.
LoaderStats stats_of(double waited, double busy) {
  LoaderStats stats;
  stats.batches = 6;
  stats.workers = 4;
  stats.seconds = 10;
  stats.consumer_wait_seconds = 10 * waited;
  stats.worker_busy_seconds = 40 * busy;
  stats.worker_wait_seconds = 40 * (1 - busy);
  stats.stages = {{.name = "read", .seconds = 30 * busy, .share = 0.75},
                  {.name = "decode", .seconds = 10 * busy, .share = 0.25}};
  return stats;
}

constexpr std::uint64_t kManySteps = 100;

TEST(verdict, says_who_limits_the_rate) {
  EXPECT_EQ(verdict_of({}, kManySteps), "nothing has been delivered yet");
  EXPECT_EQ(
      verdict_of(stats_of(0.05, 0.3), kManySteps),
      "the consumer limits the rate: it waited for data 5% of the time, and the workers were idle 70% of "
      "theirs");
  EXPECT_THAT(verdict_of(stats_of(0.8, 0.9), kManySteps),
              HasSubstr("the workers limit the rate: they were busy 90% of the time and read takes 75% of "
                        "the work; "));
}

TEST(verdict, advises_more_workers_only_where_there_are_cores) {
  LoaderStats stats = stats_of(0.8, 0.9);
  stats.workers = static_cast<int>(usable_cores());
  EXPECT_THAT(verdict_of(stats, kManySteps), HasSubstr("cores are in use"));
  stats.workers = 0;
  EXPECT_THAT(verdict_of(stats, kManySteps), HasSubstr("the consumer's own thread for 80% of the time"));
}

TEST(verdict, advises_prefetch_where_neither_side_is_busy) {
  EXPECT_EQ(verdict_of(stats_of(0.8, 0.4), 4),
            "neither side is busy: the consumer waited 80% of the time and the workers 60% of theirs; raise "
            "prefetch, so that slow samples delay less");
}

TEST(verdict, of_an_epoch_of_one_batch_does_not_ask_for_prefetch) {
  const std::string verdict = verdict_of(stats_of(0.8, 0.4), 1);
  EXPECT_THAT(verdict, HasSubstr("an epoch has one batch, too few to keep the workers busy"));
  EXPECT_THAT(verdict, Not(HasSubstr("prefetch")));
  EXPECT_THAT(verdict_of(stats_of(0.8, 0.4), 3), HasSubstr("an epoch has 3 batches"));
}

TEST(verdict, tells_what_auto_tune_does) {
  LoaderStats stats = stats_of(0.8, 0.9);
  stats.auto_tune = LoaderStats::AutoTune{};
  EXPECT_THAT(verdict_of(stats, kManySteps), HasSubstr("auto_tune is measuring"));
  stats.auto_tune->settled = true;
  EXPECT_THAT(verdict_of(stats, kManySteps), HasSubstr("auto_tune settled on"));
}

}  // namespace
}  // namespace penstock::inline v0
