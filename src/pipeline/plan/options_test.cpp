#include "penstock/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <dirent.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <set>

#include "pipeline/loader_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::set<std::string> worker_threads() {
  std::set<std::string> ids;
  DIR* const tasks = ::opendir("/proc/self/task");
  while (const dirent* const entry = ::readdir(tasks)) {
    ids.insert(entry->d_name);
  }
  ::closedir(tasks);
  return ids;
}

TEST(Options, timeout_names_the_stage_that_is_stuck) {
  auto table = std::make_shared<MemoryTable>(8);
  table->slow = {2};
  table->delay = std::chrono::milliseconds(600);
  Loader loader =
      open_loader(table, {.batch_size = 4, .num_workers = 1, .prefetch = 1, .timeout_seconds = 0.2});
  const std::uint64_t ticket = loader.start_epoch().value();
  const auto start = std::chrono::steady_clock::now();
  const auto late = loader.next(ticket);
  const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - start;
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().kind, ErrorKind::timeout);
  EXPECT_THAT(late.error().message, HasSubstr("1 of 1 workers read (longest: sample 2, for 0."));
  EXPECT_LT(waited.count(), 0.5);
  // Nothing is lost: whoever asks again gets the batch when it comes.
  Result<std::optional<Batch>> batch = loader.next(ticket);
  while (!batch) {
    batch = loader.next(ticket);
  }
  EXPECT_EQ(batch.value()->index()[0], 0);
}

TEST(Options, timeout_does_not_count_while_the_consumer_is_busy) {
  Loader loader = open_loader(std::make_shared<MemoryTable>(12),
                              {.batch_size = 4, .num_workers = 1, .timeout_seconds = 0.05});
  const std::uint64_t ticket = loader.start_epoch().value();
  while (loader.next(ticket).value()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
  }
}

TEST(Options, persistent_workers_live_across_epochs) {
  const std::set<std::string> before = worker_threads();
  const auto extra = [&before] {
    std::set<std::string> now = worker_threads();
    std::erase_if(now, [&](const std::string& id) { return before.contains(id); });
    return now;
  };
  Loader lasting = open_loader(std::make_shared<MemoryTable>(12), {.batch_size = 4, .num_workers = 2});
  take_epoch(lasting);
  const std::set<std::string> first = extra();
  EXPECT_EQ(first.size(), 2u);
  take_epoch(lasting);
  EXPECT_EQ(extra(), first);
  lasting.close();

  Loader passing = open_loader(std::make_shared<MemoryTable>(12),
                               {.batch_size = 4, .num_workers = 2, .persistent_workers = false});
  for (int epoch = 0; epoch < 3; ++epoch) {
    EXPECT_EQ(indices(take_epoch(passing)).size(), 12u);
    EXPECT_TRUE(extra().empty()) << "they end with the epoch";
  }
  EXPECT_EQ(passing.stats().samples, 36u);
  EXPECT_EQ(passing.state().value(), [] {
    Loader other = open_loader(std::make_shared<MemoryTable>(12), {.batch_size = 4, .num_workers = 2});
    for (int epoch = 0; epoch < 3; ++epoch) {
      take_epoch(other);
    }
    return other.state().value();
  }());
}

TEST(Options, max_errors_counts_or_takes_a_share) {
  const auto samples_before_the_end = [](MaxErrors most, std::optional<std::uint64_t> run = {}) {
    auto table = std::make_shared<MemoryTable>(400);
    for (std::uint64_t i = 150; i < 400; i += i < 200 ? 10 : 2) {
      table->bad.insert(i);
    }
    table->bad.insert(301);
    Loader loader = open_loader(table, {.batch_size = 1,
                                        .num_workers = 2,
                                        .on_error = OnError::skip,
                                        .max_errors = most,
                                        .max_error_run = run});
    const std::uint64_t ticket = loader.start_epoch().value();
    for (std::uint64_t step = 0;; ++step) {
      const auto batch = loader.next(ticket);
      if (!batch) {
        EXPECT_THAT(batch.error().message, HasSubstr(run ? "in a row" : "more than max_errors"));
        return step;
      }
      if (!batch.value()) {
        return step;
      }
    }
  };
  EXPECT_EQ(samples_before_the_end({}), 400u);
  EXPECT_EQ(samples_before_the_end({.count = 2}), 170u) << "the third bad sample";
  EXPECT_EQ(samples_before_the_end({.count = 0}), 150u);
  EXPECT_EQ(samples_before_the_end({.share = 0.05}), 210u) << "11 of 211";
  EXPECT_EQ(samples_before_the_end({.share = 0.5}), 400u);
  EXPECT_EQ(samples_before_the_end({}, 1), 301u);
  EXPECT_EQ(samples_before_the_end({}, 5), 400u);
}

TEST(Options, enable_transforms_off_gives_decoded_samples) {
  Loader loader = open_loader(std::make_shared<MemoryTable>(12, some_images()),
                              {.batch_size = 4, .enable_transforms = false}, augmentation());
  const std::vector<Batch> batches = take_epoch(loader);
  const Column* const column = batches[0].find("image");
  ASSERT_TRUE(column->ragged());
  EXPECT_EQ(column->rows[1].shape[column->format == MemoryFormat::channels_first ? 2 : 1], 27u);
}

TEST(Options, collate_buffer_size_bounds_what_is_not_delivered) {
  const std::size_t row = 16 * 16 * 3 * sizeof(float);
  const auto most = [&](std::optional<std::uint64_t> bytes, FieldTransforms transforms) {
    Loader loader =
        open_loader(std::make_shared<MemoryTable>(48, some_images()),
                    {.batch_size = 4, .num_workers = 2, .prefetch = 8, .collate_buffer_size = bytes},
                    std::move(transforms));
    std::vector<Batch> held;  // what is delivered does not count
    for (Batch& batch : take_epoch(loader)) {
      held.push_back(std::move(batch));
    }
    EXPECT_EQ(indices(held).size(), 48u);
    return loader.stats().undelivered_bytes;
  };
  EXPECT_GT(most({}, augmentation()), 8 * 4 * row);
  const std::uint64_t bounded = most(3 * 5 * row, augmentation());
  EXPECT_LE(bounded, 3 * 5 * row);
  EXPECT_GT(bounded, 2 * 4 * row) << "and it is made use of";
  EXPECT_GT(most(1, augmentation()), 0u) << "one batch is always prepared";
  EXPECT_LE(most(100000, {}), 100000u) << "images of any size";
}

TEST(Options, no_seed_is_drawn_where_several_must_agree) {
  EXPECT_TRUE((LoaderOptions{.seed = {}}).validate());
  EXPECT_FALSE((LoaderOptions{.seed = {}, .shard_world_size = 2}).validate());
  EXPECT_FALSE((LoaderOptions{.seed = {}, .num_workers_pytorch = 2}).validate());
  Loader loader = open_loader(std::make_shared<MemoryTable>(12, some_images()), {.seed = {}});
  EXPECT_TRUE(loader.set_shard(0, 1));
  EXPECT_FALSE(loader.set_shard(0, 2));
}

TEST(Options, generator_seed_is_apart_from_the_order) {
  const auto run = [](std::uint64_t seed, std::optional<std::uint64_t> generator) {
    Loader loader = open_loader(
        std::make_shared<MemoryTable>(12, some_images()),
        {.batch_size = 12, .shuffle = true, .seed = seed, .generator_seed = generator}, augmentation());
    const std::vector<Batch> batches = take_epoch(loader);
    return std::pair(indices(batches), contents(batches[0]));
  };
  EXPECT_EQ(run(1, {}), run(1, 1));
  EXPECT_EQ(run(1, {}).first, run(1, 2).first) << "the same order";
  EXPECT_NE(run(1, {}).second, run(1, 2).second) << "other pixels";
  EXPECT_NE(run(1, 2).first, run(2, 2).first);
}

TEST(Options, two_levels_of_shards_are_disjoint_and_complete) {
  std::vector<std::int64_t> all;
  for (int rank = 0; rank < 2; ++rank) {
    for (int worker = 0; worker < 3; ++worker) {
      Loader loader = open_loader(std::make_shared<MemoryTable>(60), {.batch_size = 5,
                                                                      .shuffle = true,
                                                                      .shard_rank = rank,
                                                                      .shard_world_size = 2,
                                                                      .worker_id = worker,
                                                                      .num_workers_pytorch = 3});
      EXPECT_EQ(loader.steps(), 2u);
      EXPECT_EQ(loader.stats().rank, static_cast<std::uint64_t>(rank * 3 + worker));
      EXPECT_EQ(loader.stats().world, 6u);
      const std::vector<std::int64_t> part = indices(take_epoch(loader));
      EXPECT_EQ(part.size(), 10u);
      all.insert(all.end(), part.begin(), part.end());
    }
  }
  std::sort(all.begin(), all.end());
  std::vector<std::int64_t> each(60);
  std::iota(each.begin(), each.end(), 0);
  EXPECT_EQ(all, each);
}

TEST(Options, samples_repeated_for_ranks_without_one_are_counted) {
  Loader loader = open_loader(std::make_shared<MemoryTable>(9),
                              {.batch_size = 2, .shard_rank = 3, .shard_world_size = 4});
  EXPECT_THAT(indices(take_epoch(loader)), ElementsAre(6, 7, 2));
  EXPECT_EQ(loader.stats().repeated, 1u);
}

TEST(Options, refuses_what_cannot_be_and_names_it) {
  const auto refusal = [](const LoaderOptions& options) { return options.validate().error().to_string(); };
  EXPECT_THAT(refusal({.timeout_seconds = 0}), HasSubstr("timeout_seconds"));
  EXPECT_THAT(refusal({.timeout_seconds = -1}), HasSubstr("timeout_seconds"));
  EXPECT_THAT(refusal({.max_errors = {.count = 1}}),
              HasSubstr("max_errors has no effect with on_error='raise'"));
  EXPECT_THAT(refusal({.max_error_run = 1}), HasSubstr("max_error_run"));
  EXPECT_THAT(refusal({.on_error = OnError::skip, .max_errors = {.share = 1.5}}), HasSubstr("max_errors"));
  EXPECT_THAT(refusal({.collate_buffer_size = 0}), HasSubstr("collate_buffer_size"));
  EXPECT_THAT(refusal({.shard_rank = 1}), HasSubstr("shard_world_size"));
  EXPECT_THAT(refusal({.shard_rank = 0}), HasSubstr("shard_rank requires shard_world_size"));
  EXPECT_THAT(refusal({.shard_rank = 2, .shard_world_size = 2}), HasSubstr("shard_rank"));
  EXPECT_THAT(refusal({.shard_world_size = 0}), HasSubstr("shard_world_size"));
  EXPECT_THAT(refusal({.worker_id = 1}), HasSubstr("worker_id"));
  EXPECT_THAT(refusal({.num_workers_pytorch = 0}), HasSubstr("num_workers_pytorch"));
  EXPECT_THAT(refusal({.batch_size = 1 << 24, .shard_world_size = 1 << 20, .num_workers_pytorch = 1 << 20}),
              HasSubstr("num_workers_pytorch"))
      << "a step of 2^64 places";
}

TEST(options, paths_with_nul_are_refused) {
  const std::string path("folder\0cut", 10);
  for (const auto option : {&LoaderOptions::cache, &LoaderOptions::error_report}) {
    LoaderOptions options;
    options.*option = path;
    const Status status = options.validate();
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().kind, ErrorKind::invalid);
    EXPECT_NE(status.error().message.find("must not contain NUL"), std::string::npos);
  }
}

TEST(options, cache_trust_names_people_who_are_there) {
  LoaderOptions options{.cache = "folder", .cache_trust = "user:root"};
  EXPECT_TRUE(options.validate());
  options.cache_trust = "root";
  EXPECT_EQ(options.validate().error().kind, ErrorKind::invalid);
  options = {.cache_trust = "user:root"};
  EXPECT_NE(options.validate().error().message.find("requires cache"), std::string::npos);
}

}  // namespace
}  // namespace penstock::inline v0
