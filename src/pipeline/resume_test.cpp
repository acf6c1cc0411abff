#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <thread>

#include "pipeline/loader_for_test.hpp"
#include "pipeline/order/loader_state.hpp"

namespace penstock::inline v0 {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

LoaderOptions small(int workers = 2, int prefetch = 2) {
  return {.batch_size = 4, .shuffle = true, .seed = 5, .num_workers = workers, .prefetch = prefetch};
}

Loader open_images(const LoaderOptions& options) {
  return open_loader(std::make_shared<MemoryTable>(12, some_images()), options, augmentation());
}

/// What the next `count` batches hold, over the ends of epochs; after each, the state.
struct Stream {
  std::vector<std::string> contents;
  std::vector<std::string> states;
};

Stream run(Loader& loader, std::size_t count) {
  Stream stream;
  while (stream.contents.size() < count) {
    const std::uint64_t ticket = loader.start_epoch().value();
    while (std::optional<Batch> batch = loader.next(ticket).value()) {
      stream.contents.push_back(contents(*batch));
      stream.states.push_back(loader.state().value());
      if (stream.contents.size() == count) {
        return stream;
      }
    }
  }
  return stream;
}

TEST(Resume, continues_byte_for_byte_from_every_step) {
  Loader whole = open_images(small());
  const std::string begin = whole.state().value();
  const Stream expected = run(whole, 9);
  for (std::size_t step = 0; step < 9; ++step) {
    // Another number of workers and batches ahead: nothing depends on them.
    Loader resumed = open_images(small(static_cast<int>(step % 3), static_cast<int>(step % 4)));
    ASSERT_TRUE(resumed.load_state(step == 0 ? begin : expected.states[step - 1]));
    EXPECT_EQ(resumed.state().value(), step == 0 ? begin : expected.states[step - 1])
        << "a resume of a resume";
    const Stream rest = run(resumed, 9 - step);
    for (std::size_t i = 0; i < rest.contents.size(); ++i) {
      EXPECT_EQ(rest.contents[i], expected.contents[step + i]) << "from step " << step;
      EXPECT_EQ(rest.states[i], expected.states[step + i]);
    }
  }
}

TEST(Resume, any_batch_size_and_ranks_continue_from_any_other) {
  const auto table = std::make_shared<MemoryTable>(40);
  Loader first = open_loader(table, {.batch_size = 4, .shuffle = true, .num_workers = 1});
  std::vector<std::int64_t> seen;
  const std::uint64_t ticket = first.start_epoch().value();
  for (int step = 0; step < 3; ++step) {
    const std::optional<Batch> batch = first.next(ticket).value();
    seen.insert(seen.end(), batch->index().begin(), batch->index().end());
  }
  const std::string state = first.state().value();
  for (const auto& [world, size] : {std::pair{1, 3}, {2, 5}, {3, 4}}) {
    std::vector<std::int64_t> all = seen;
    for (int rank = 0; rank < world; ++rank) {
      Loader part = open_loader(table, {.batch_size = size,
                                        .shuffle = true,
                                        .num_workers = 2,
                                        .shard_rank = rank,
                                        .shard_world_size = world});
      ASSERT_TRUE(part.load_state(state));
      const std::vector<std::int64_t> rest = indices(take_epoch(part));
      all.insert(all.end(), rest.begin(), rest.end());
    }
    std::sort(all.begin(), all.end());
    std::vector<std::int64_t> each(40);
    std::iota(each.begin(), each.end(), 0);
    EXPECT_EQ(all, each) << world << " ranks of " << size;
  }
}

TEST(Resume, state_at_the_end_of_an_epoch) {
  Loader loader = open_images(small());
  const std::uint64_t ticket = loader.start_epoch().value();
  for (int step = 0; step < 3; ++step) {
    ASSERT_TRUE(loader.next(ticket).value());
  }
  const std::string before_the_end = loader.state().value();
  ASSERT_FALSE(loader.next(ticket).value());
  const std::string after_the_end = loader.state().value();

  Loader resumed = open_images(small());
  ASSERT_TRUE(resumed.load_state(before_the_end));
  EXPECT_TRUE(take_epoch(resumed).empty()) << "the interrupted epoch has no more batches";
  const std::vector<Batch> next = take_epoch(resumed);
  Loader after = open_images(small());
  ASSERT_TRUE(after.load_state(after_the_end));
  EXPECT_EQ(contents(take_epoch(after).at(0)), contents(next.at(0)));
  EXPECT_EQ(next.at(0).epoch(), 1u);
}

TEST(Resume, set_epoch_keeps_the_position_in_that_epoch) {
  Loader loader = open_images(small());
  const Stream stream = run(loader, 4);  // one batch into epoch 1
  Loader resumed = open_images(small());
  ASSERT_TRUE(resumed.load_state(stream.states[3]));
  resumed.set_epoch(1);
  EXPECT_EQ(take_epoch(resumed).size(), 2u);
  ASSERT_TRUE(resumed.load_state(stream.states[3]));
  resumed.set_epoch(2);
  EXPECT_EQ(take_epoch(resumed).size(), 3u) << "another epoch begins at its start";
}

TEST(Resume, an_iteration_that_nobody_asks_for_a_batch_uses_up_no_epoch) {
  Loader loader = open_images(small());
  const Stream stream = run(loader, 4);  // one batch into epoch 1
  Loader fresh = open_images(small());
  ASSERT_TRUE(fresh.start_epoch());
  ASSERT_TRUE(fresh.start_epoch());
  EXPECT_EQ(run(fresh, 4).contents, stream.contents);

  Loader resumed = open_images(small());
  ASSERT_TRUE(resumed.load_state(stream.states[1]));
  const std::uint64_t unused = resumed.start_epoch().value();
  EXPECT_EQ(resumed.state().value(), stream.states[1]);
  const Stream rest = run(resumed, 2);
  EXPECT_EQ(rest.contents[0], stream.contents[2]) << "the interrupted epoch is finished";
  EXPECT_EQ(rest.contents[1], stream.contents[3]);
  EXPECT_EQ(resumed.next(unused).error().kind, ErrorKind::cancelled);

  Loader named = open_images(small());
  ASSERT_TRUE(named.start_epoch());
  named.set_epoch(1);
  EXPECT_EQ(run(named, 1).contents[0], stream.contents[3]);
}

TEST(Resume, skips_steps_of_what_would_come_next) {
  Loader whole = open_images(small());
  const Stream expected = run(whole, 6);  // two epochs of three steps
  for (std::uint64_t steps = 0; steps < 3; ++steps) {
    Loader loader = open_images(small());
    ASSERT_TRUE(loader.skip(steps));
    EXPECT_EQ(
        run(loader, 6 - steps).contents,
        std::vector(expected.contents.begin() + static_cast<std::ptrdiff_t>(steps), expected.contents.end()));
  }
  Loader beyond = open_images(small());
  ASSERT_TRUE(beyond.skip(~std::uint64_t{0}));
  EXPECT_TRUE(take_epoch(beyond).empty());
  EXPECT_EQ(contents(take_epoch(beyond)[0]), expected.contents[3]) << "the epoch after it is whole";
  Loader resumed = open_images(small());
  ASSERT_TRUE(resumed.load_state(expected.states[0]));
  ASSERT_TRUE(resumed.skip(1));
  EXPECT_EQ(contents(take_epoch(resumed)[0]), expected.contents[2]) << "from the position on";
}

TEST(Resume, a_drawn_seed_gives_way_to_that_of_a_state) {
  LoaderOptions drawn = small();
  drawn.seed = {};
  Loader first = open_images(drawn);
  Loader second = open_images(drawn);
  ASSERT_NE(first.stats().seed, second.stats().seed);
  EXPECT_FALSE(first.options().seed);
  const Stream expected = run(first, 5);
  run(second, 2);
  ASSERT_TRUE(second.load_state(expected.states[1]));
  EXPECT_EQ(second.stats().seed, first.stats().seed);
  const Stream rest = run(second, 3);
  EXPECT_EQ(rest.contents, std::vector(expected.contents.begin() + 2, expected.contents.end()));
  EXPECT_EQ(rest.states, std::vector(expected.states.begin() + 2, expected.states.end()));
  Loader named = open_images(small());
  EXPECT_FALSE(named.load_state(expected.states[1])) << "a seed that was given stays";
}

TEST(Resume, as_ready_remembers_what_came_early) {
  auto table = std::make_shared<MemoryTable>(40);
  table->slow = {0};
  table->delay = std::chrono::milliseconds(200);
  const LoaderOptions options{
      .batch_size = 4, .num_workers = 2, .prefetch = 4, .loading_mode = LoadingMode::as_ready};
  Loader loader = open_loader(table, options);
  const std::uint64_t ticket = loader.start_epoch().value();
  std::vector<std::int64_t> seen;
  for (int step = 0; step < 3; ++step) {
    const std::optional<Batch> batch = loader.next(ticket).value();
    seen.insert(seen.end(), batch->index().begin(), batch->index().end());
  }
  EXPECT_NE(seen[0], 0) << "the slow batch does not hold up the others";
  const std::string state = loader.state().value();
  EXPECT_LT(state.size(), 1000u);
  std::vector<std::int64_t> each(40);
  std::iota(each.begin(), each.end(), 0);
  for (const int prefetch :
       {4, 1}) {  // with 1 the missing batch is taken before those after it are looked at
    LoaderOptions resuming = options;
    resuming.prefetch = prefetch;
    Loader resumed = open_loader(table, resuming);
    ASSERT_TRUE(resumed.load_state(state));
    std::vector<std::int64_t> all = seen;
    const std::uint64_t rest = resumed.start_epoch().value();
    while (const std::optional<Batch> batch = resumed.next(rest).value()) {
      all.insert(all.end(), batch->index().begin(), batch->index().end());
      ASSERT_TRUE(resumed.state());
    }
    std::sort(all.begin(), all.end());
    EXPECT_EQ(all, each) << "prefetch " << prefetch;
  }

  LoaderOptions other = options;
  other.batch_size = 5;
  EXPECT_THAT(open_loader(table, other).load_state(state).error().to_string(),
              HasSubstr("batch_size: 4 in the"));
  for (const auto& [size, ranks] : {std::pair{8, 1}, {5, 1}, {4, 2}}) {
    LoaderOptions forced = options;
    forced.batch_size = size;
    forced.shard_rank = 0;
    forced.shard_world_size = ranks;
    Loader resumed = open_loader(table, forced);
    ASSERT_TRUE(resumed.load_state(state, /*strict=*/false));
    const std::vector<std::int64_t> rest = indices(take_epoch(resumed));
    EXPECT_EQ(rest.size(), 40u / static_cast<unsigned>(ranks)) << "steps of another size are not left out";
  }
}

TEST(Resume, a_state_that_no_loader_wrote_is_none) {
  const std::string state =
      R"({"version": 1, "epoch": 0, "position": 8, "samples": 40, "seed": 0, "generator_seed": 0, "dataset": "memory",)"
      R"( "order": "in order", "pipeline": "", "batch_size": 4, "rank": 0, "world": WORLD, "delivered": "DIGITS"})";
  const auto with = [&state](const std::string& world, const std::string& digits) {
    std::string text = state;
    text.replace(text.find("WORLD"), 5, world);
    text.replace(text.find("DIGITS"), 6, digits);
    return read_state(text);
  };
  ASSERT_TRUE(with("1", "2"));
  EXPECT_THAT(with("1", "2").value().progress.delivered, ElementsAre(12));
  EXPECT_FALSE(with("1", "1")) << "the step at the position is the first that is missing";
  EXPECT_FALSE(with("0", "2")) << "steps of no places";
  EXPECT_FALSE(with("1", "g"));
}

TEST(Resume, as_ready_leaves_a_batch_that_does_not_come_behind_only_so_far) {
  /// Sample 0 does not come before it is told to.
  class StuckTable final : public MemoryTable {
   public:
    using MemoryTable::MemoryTable;
    Result<StoredValue> read(std::uint64_t sample, std::size_t field) const override {
      while (sample == 0 && !resume) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      return MemoryTable::read(sample, field);
    }
    std::atomic<bool> resume{false};
  };
  constexpr std::uint64_t kSteps = 5000;  // a state that told of all of them would be too long
  constexpr std::uint64_t kAhead = 1024;
  auto table = std::make_shared<StuckTable>(kSteps);
  Loader loader = open_loader(table, {.batch_size = 1,
                                      .num_workers = 2,
                                      .prefetch = 4,
                                      .loading_mode = LoadingMode::as_ready,
                                      .timeout_seconds = 0.3});
  const std::uint64_t ticket = loader.start_epoch().value();
  std::vector<std::int64_t> seen;
  int late = 0;  // a slow machine's timeouts
  const auto take = [&] {
    Result<std::optional<Batch>> batch = loader.next(ticket);
    while (!batch && ++late < 100) {
      batch = loader.next(ticket);
    }
    const bool more = batch && batch->has_value();
    if (more) {
      seen.push_back((*batch)->index()[0]);
    }
    return more;
  };
  while (seen.size() < kAhead - 1) {
    ASSERT_TRUE(take());
  }
  EXPECT_LT(loader.state().value().size(), 1000u);
  const Result<std::optional<Batch>> one_more = loader.next(ticket);
  EXPECT_TRUE(!one_more && one_more.error().kind == ErrorKind::timeout);
  table->resume = true;
  while (take()) {
  }
  std::sort(seen.begin(), seen.end());
  std::vector<std::int64_t> each(kSteps);
  std::iota(each.begin(), each.end(), 0);
  EXPECT_EQ(seen, each);
}

TEST(Resume, refuses_a_state_of_another_run_with_the_difference) {
  Loader loader = open_images(small());
  const std::string state = run(loader, 2).states.back();
  LoaderOptions options = small();
  options.seed = 6;
  Loader other_seed = open_images(options);
  const Status refused = other_seed.load_state(state);
  EXPECT_EQ(refused.error().kind, ErrorKind::invalid);
  EXPECT_THAT(refused.error().to_string(), HasSubstr("seed: 5 in the state, 6 here"));
  EXPECT_TRUE(other_seed.load_state(state, false)) << "unless it is forced";
  EXPECT_EQ(take_epoch(other_seed).size(), 1u);

  Loader other_data = open_loader(std::make_shared<MemoryTable>(13), small());
  EXPECT_THAT(other_data.load_state(state).error().to_string(),
              HasSubstr("samples: 12 in the state, 13 here"));
  Loader other_transforms = open_loader(std::make_shared<MemoryTable>(12, some_images()), small());
  EXPECT_THAT(other_transforms.load_state(state).error().to_string(), HasSubstr("transforms"));
  for (const char* const text : {"", "{}", "[1]", R"({"version": 1})", R"({"version": 1, "epoch": -1})"}) {
    EXPECT_EQ(loader.load_state(text).error().kind, ErrorKind::invalid) << text;
  }
  EXPECT_THAT(loader.load_state(R"({"version": 2})").error().to_string(), HasSubstr("version 2"));
}

TEST(Resume, a_state_is_small_and_survives_reading) {
  LoaderState state;
  state.run.samples = 1u << 30;
  state.run.seed = ~std::uint64_t{0};
  state.run.dataset = std::string(64, 'f');
  state.progress = {.epoch = ~std::uint64_t{0}, .position = 512, .delivered = {}};
  state.shard = ShardIdentity{.batch_size = 256, .rank = 1, .world = 2};
  for (std::uint64_t step = 1; step < 1024; step += 3) {
    state.progress.delivered.push_back(512 + step * 512);
  }
  const std::string text = write_state(state);
  EXPECT_LT(text.size(), 1000u);
  const LoaderState read = read_state(text).value();
  EXPECT_EQ(read.run, state.run);
  EXPECT_EQ(read.progress.delivered, state.progress.delivered);
  EXPECT_EQ(write_state(read), text);
}

TEST(Resume, a_billion_samples_resume_without_walking_there) {
  const auto table = std::make_shared<MemoryTable>(1'000'000'000);
  const LoaderOptions options{.batch_size = 8, .shuffle = true, .num_workers = 1};
  Loader loader = open_loader(table, options);
  std::string state = loader.state().value();
  const std::string from = "\"position\": 0,";
  const std::size_t at = state.find(from);
  ASSERT_NE(at, std::string::npos) << state;
  state.replace(at, from.size(), "\"position\": 700000000,");
  ASSERT_TRUE(loader.load_state(state));
  const std::uint64_t ticket = loader.start_epoch().value();
  const std::optional<Batch> batch = loader.next(ticket).value();
  EXPECT_EQ(batch->step(), 87'500'000u);
  const EpochOrder order(OrderRule::make({}, true, sample_per_row(1'000'000'000), 0).value(), 0);
  EXPECT_EQ(static_cast<std::uint64_t>(batch->index()[3]), order.row_at(700'000'003));
}

TEST(Resume, given_orders_come_with_each_epoch) {
  Loader loader = open_loader(std::make_shared<MemoryTable>(6),
                              {.batch_size = 2, .num_workers = 1, .sampler = Sampler::given(3)});
  EXPECT_EQ(loader.steps(), 2u);
  EXPECT_FALSE(loader.start_epoch()) << "there is no order";
  EXPECT_FALSE(loader.start_epoch(std::vector<std::uint64_t>{9})) << "no such sample";
  const auto run_with = [&loader](std::vector<std::uint64_t> order) {
    const std::uint64_t ticket = loader.start_epoch(std::move(order)).value();
    std::vector<std::int64_t> seen;
    while (const std::optional<Batch> batch = loader.next(ticket).value()) {
      seen.insert(seen.end(), batch->index().begin(), batch->index().end());
    }
    return seen;
  };
  EXPECT_THAT(run_with({5, 1, 3}), ElementsAre(5, 1, 3));
  EXPECT_THAT(run_with({2, 2, 0, 4, 1}), ElementsAre(2, 2, 0, 4, 1)) << "the next one may be longer";
  EXPECT_THAT(run_with({}), ElementsAre());
}

TEST(Resume, says_why_states_of_lists_for_several_fields_are_refused) {
  LoaderState state;
  state.run = {
      .samples = 9, .seed = 1, .generator_seed = 1, .dataset = "d", .order = "o", .pipeline = "before"};
  RunIdentity here = state.run;
  here.pipeline = "now";
  here.pipeline_before = "before";
  const Status refused = check_fits(state, here, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().to_string().find("each field draws for itself"), std::string::npos);
  here.pipeline_before = "another";
  EXPECT_EQ(check_fits(state, here, {}).error().to_string().find("each field draws"), std::string::npos);
}

}  // namespace
}  // namespace penstock::inline v0
