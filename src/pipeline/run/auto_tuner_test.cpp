#include "pipeline/run/auto_tuner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "core/rng.hpp"
#include "core/usable_cores.hpp"
#include "pipeline/loader_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using ::testing::HasSubstr;

/// A loader and its consumer in numbers: seconds that a batch takes to make with given settings, and to use.
struct Load {
  std::function<double(const TunedSettings&)> make;
  double use = 0;
};

Load workers_scale(double worker_seconds, double use) {
  return {.make = [worker_seconds](const TunedSettings& at) { return worker_seconds / at.workers; },
          .use = use};
}

/// The consumer's time without a real one.
class Rehearsal {
 public:
  explicit Rehearsal(AutoTuner& tuner) : tuner_(tuner) {}

  /// Batches of that load; `noise`: times differ by up to that share.
  void run(const Load& load, int batches, double noise = 0) {
    for (int i = 0; i < batches; ++i) {
      const double make = load.make(tuner_.settings()) * (1 + noise * (2 * draws_.uniform() - 1));
      const double wait = std::max(0.0, make - load.use);
      now_ += std::chrono::nanoseconds(static_cast<std::int64_t>(1e9 * (load.use + wait)));
      waited_ += static_cast<std::uint64_t>(1e9 * wait);
      changes_ += tuner_.note(now_, waited_) ? 1 : 0;
    }
  }
  int changes() const { return changes_; }

 private:
  AutoTuner& tuner_;
  Clock::time_point now_{};
  std::uint64_t waited_ = 0;
  int changes_ = 0;
  Draws draws_{{.seed = 5}, 0};
};

TEST(AutoTuner, uses_all_workers_where_they_limit_the_rate) {
  AutoTuner tuner(16, 2, false);
  Rehearsal(tuner).run(workers_scale(1.6, 0.01), 2000);
  EXPECT_EQ(tuner.settings(), (TunedSettings{16, 2}));
  EXPECT_TRUE(tuner.report().settled);
  EXPECT_EQ(tuner.report().max_workers, 16);
}

TEST(AutoTuner, uses_no_more_workers_than_the_consumer_needs) {
  AutoTuner tuner(16, 2, false);
  Rehearsal(tuner).run(workers_scale(0.3, 0.1), 2000);
  EXPECT_EQ(tuner.settings(), (TunedSettings{3, 2}));
  EXPECT_TRUE(tuner.report().settled);
}

TEST(AutoTuner, backs_off_where_more_workers_do_not_help) {
  AutoTuner tuner(16, 2, false);
  Rehearsal(tuner).run(
      {.make = [](const TunedSettings& at) { return 0.4 / std::min(at.workers, 4); }, .use = 0.01}, 2000);
  EXPECT_EQ(tuner.settings(), (TunedSettings{4, 2}));
}

TEST(AutoTuner, raises_prefetch_where_that_helps) {
  AutoTuner tuner(8, 2, false);
  Rehearsal(tuner).run(
      {.make = [](const TunedSettings& at) { return 0.8 / at.workers / std::min(at.prefetch, 8); },
       .use = 0.001},
      2000);
  EXPECT_EQ(tuner.settings(), (TunedSettings{8, 8}));
}

TEST(AutoTuner, gives_each_worker_a_batch_where_it_makes_whole_ones) {
  AutoTuner tuner(32, 2, true);
  EXPECT_EQ(tuner.max_prefetch(), 32);
  Rehearsal(tuner).run(
      {.make = [](const TunedSettings& at) { return 0.4 / std::min(at.workers, at.prefetch); }, .use = 0.001},
      2000);
  EXPECT_EQ(tuner.settings(), (TunedSettings{32, 32}));
}

TEST(AutoTuner, settles_though_times_vary_and_stays) {
  for (const double use : {0.02, 0.07, 0.3}) {
    AutoTuner tuner(12, 2, false);
    Rehearsal rehearsal(tuner);
    rehearsal.run(workers_scale(0.6, use), 1000, 0.3);
    EXPECT_TRUE(tuner.report().settled) << use;
    const int changes = rehearsal.changes();
    rehearsal.run(workers_scale(0.6, use), 20000, 0.3);
    EXPECT_LE(rehearsal.changes() - changes, 12) << use;
    const int late = rehearsal.changes();
    rehearsal.run(workers_scale(0.6, use), 20000, 0.3);
    EXPECT_EQ(rehearsal.changes(), late) << use;
  }
}

TEST(AutoTuner, follows_another_load_and_ends_even_if_that_never_stops_changing) {
  AutoTuner tuner(16, 2, false);
  Rehearsal rehearsal(tuner);
  rehearsal.run(workers_scale(0.3, 0.1), 1000);
  EXPECT_EQ(tuner.settings().workers, 3);
  rehearsal.run(workers_scale(0.3, 0.03), 1000);
  EXPECT_NEAR(tuner.settings().workers, 10, 1) << "the consumer became faster";
  rehearsal.run(workers_scale(0.3, 0.3), 1000);
  rehearsal.run(workers_scale(1.6, 0.1), 1000);
  EXPECT_EQ(tuner.settings().workers, 16);
  for (int swing = 0; swing < 50; ++swing) {
    rehearsal.run(workers_scale(swing % 2 == 0 ? 0.1 : 1.6, 0.1), 200);
  }
  const int changes = rehearsal.changes();
  for (int swing = 0; swing < 50; ++swing) {
    rehearsal.run(workers_scale(swing % 2 == 0 ? 0.1 : 1.6, 0.1), 200);
  }
  EXPECT_EQ(rehearsal.changes(), changes);
  EXPECT_LT(tuner.report().steps.size(), 100u);
}

TEST(AutoTuner, a_break_between_epochs_is_no_measure) {
  AutoTuner tuner(4, 2, false);
  Clock::time_point now{};
  for (int epoch = 0; epoch < 200; ++epoch) {
    now += std::chrono::seconds(100);  // validation
    tuner.interrupt();
    for (int batch = 0; batch < 3; ++batch) {
      now += std::chrono::milliseconds(50);
      tuner.note(now, 0);
    }
  }
  ASSERT_TRUE(tuner.report().settled);
  for (const LoaderStats::AutoTune::Step& step : tuner.report().steps) {
    EXPECT_NEAR(step.batches_per_second, 20, 0.1);
  }
}

TEST(AutoTuner, workers_stay_within_the_budget) {
  const int cores = static_cast<int>(usable_cores());
  EXPECT_EQ(max_workers({}), cores);
  EXPECT_EQ(max_workers({.num_workers = 100}), 100);
  EXPECT_EQ(max_workers({.num_workers = 1, .auto_tune = true}), 1);
  EXPECT_EQ(max_workers({.num_workers = 1000, .auto_tune = true}), cores);
  EXPECT_EQ(max_workers({.cpu_budget = 0.5}), std::max(1, cores / 2));
  EXPECT_EQ(max_workers({.auto_tune = true, .cpu_budget = 1e-6}), 1);
}

TEST(AutoTuner, contradictions_are_refused) {
  const auto refusal = [](const LoaderOptions& options) { return options.validate().error().to_string(); };
  EXPECT_THAT(refusal({.num_workers = 0, .auto_tune = true}), HasSubstr("num_workers=0"));
  EXPECT_THAT(refusal({.prefetch = 0, .auto_tune = true}), HasSubstr("prefetch=0"));
  EXPECT_THAT(refusal({.num_workers = 2, .cpu_budget = 0.5}), HasSubstr("cpu_budget"));
  for (const double wrong : {0.0, -1.0, 1.5, std::nan("")}) {
    EXPECT_THAT(refusal({.cpu_budget = wrong}), HasSubstr("cpu_budget"));
  }
}

TEST(AutoTuner, a_loader_that_tunes_delivers_the_same) {
  const auto table = [] {
    auto made = std::make_shared<MemoryTable>(64, some_images());
    for (std::uint64_t i = 0; i < 64; ++i) {
      made->slow.insert(i);
    }
    made->delay = std::chrono::milliseconds(1);
    return made;
  };
  for (const bool persistent : {true, false}) {
    Loader plain = open_loader(table(), {.batch_size = 2, .shuffle = true, .num_workers = 2}, augmentation());
    Loader tuned = open_loader(table(),
                               {.batch_size = 2,
                                .shuffle = true,
                                .persistent_workers = persistent,
                                .collate_buffer_size = 3 * (2 * 16 * 16 * 3 * sizeof(float) + 1024),
                                .auto_tune = true},
                               augmentation());
    for (int epoch = 0; epoch < 200; ++epoch) {
      const std::vector<Batch> expected = take_epoch(plain);
      const std::vector<Batch> batches = take_epoch(tuned);
      ASSERT_EQ(batches.size(), expected.size());
      for (std::size_t i = 0; i < batches.size(); ++i) {
        ASSERT_EQ(contents(batches[i]), contents(expected[i])) << epoch << " " << i;
      }
      if (tuned.stats().auto_tune->settled && epoch > 2) {
        break;
      }
    }
    const LoaderStats stats = tuned.stats();
    EXPECT_TRUE(stats.auto_tune->settled);
    EXPECT_FALSE(stats.auto_tune->steps.empty());
    EXPECT_LE(stats.workers, static_cast<int>(usable_cores()));
    EXPECT_EQ(stats.workers, stats.auto_tune->workers);
    EXPECT_LE(stats.undelivered_bytes, 3 * (2 * 16 * 16 * 3 * sizeof(float) + 1024));
    EXPECT_THAT(tuned.plan(), HasSubstr("up to"));
  }
}

}  // namespace
}  // namespace penstock::inline v0
