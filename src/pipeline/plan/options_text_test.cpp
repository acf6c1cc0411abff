// Options as plain values: dictionaries, text, changed copies and presets.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "penstock/options.hpp"

namespace penstock::inline v0 {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Dict = std::map<std::string, std::string>;

std::string refusal(const Dict& values) {
  const Result<LoaderOptions> options = LoaderOptions::from_dict(values);
  return options ? "nothing" : options.error().to_string();
}

/// Every option at another value than its default.
LoaderOptions changed_in_every_option() {
  return {.batch_size = 7,
          .shuffle = true,
          .seed = 18446744073709551615ull,
          .drop_last = true,
          .num_workers = 3,
          .prefetch = 9,
          .decode = false,
          .on_error = OnError::skip,
          .memory_format = MemoryFormat::automatic,
          .max_pixels = 99,
          .fuse = Fuse::fast,
          .check_files = true,
          .pad_images = true,
          .cache = "a \"folder\"\n",
          .cache_trust = "user:root, group:7",
          .sampler = Sampler::random(false, 5),
          .generator_seed = 0,
          .loading_mode = LoadingMode::as_ready,
          .shard_rank = 1,
          .shard_world_size = 2,
          .timeout_seconds = std::nullopt,
          .persistent_workers = false,
          .enable_transforms = false,
          .max_errors = {.share = 1.0},
          .max_error_run = 4,
          .error_report = "null",
          .collate_buffer_size = 1,
          .worker_id = 1,
          .num_workers_pytorch = 2,
          .auto_tune = true,
          .shuffle_mode = ShuffleMode::window,
          .shuffle_window = 8,
          .shuffle_shards = 3,
          .length_window = 6,
          .cpu_budget = 0.3};
}

TEST(OptionsText, a_dictionary_holds_every_option_and_gives_it_back) {
  const LoaderOptions changed = changed_in_every_option();
  const Dict values = changed.to_dict();
  const Dict usual = LoaderOptions().to_dict();
  ASSERT_EQ(values.size(), usual.size());
  for (const auto& [name, value] : usual) {
    EXPECT_NE(values.at(name), value) << name << " is not tried";
  }
  EXPECT_EQ(values.at("max_errors"), "1.0") << "a share, not a count";
  EXPECT_EQ(usual.at("num_workers"), "null");

  Dict possible = values;  // shuffle_shards needs another mode
  possible.erase("shuffle_shards");
  LoaderOptions expected = changed;
  expected.shuffle_shards.reset();
  const Result<LoaderOptions> again = LoaderOptions::from_dict(possible);
  ASSERT_TRUE(again) << again.error().to_string();
  EXPECT_EQ(*again, expected);
  EXPECT_EQ(LoaderOptions::from_dict({}).value(), LoaderOptions());
  EXPECT_EQ(LoaderOptions::from_dict(usual).value(), LoaderOptions());
  EXPECT_EQ(LoaderOptions::from_dict({{"timeout_seconds", "9"}}).value().timeout_seconds, 9.0);
}

TEST(OptionsText, a_dictionary_holds_every_sampler) {
  for (const Sampler& sampler :
       {Sampler(), Sampler::sequential(), Sampler::random(true), Sampler::random(false, 3),
        Sampler::weighted({0.25, 3}, false, 1), Sampler::of_indices({4, 2, 4}), Sampler::given(12)}) {
    const LoaderOptions options{.sampler = sampler};
    EXPECT_EQ(LoaderOptions::from_dict(options.to_dict()).value(), options) << options.to_string();
  }
}

TEST(OptionsText, a_dictionary_that_cannot_be_is_refused_by_name) {
  EXPECT_THAT(refusal({{"batchsize", "3"}}),
              AllOf(HasSubstr("unknown option 'batchsize'"), HasSubstr("are: batch_size, shuffle")));
  EXPECT_THAT(refusal({{"batch_size", "0"}}),
              HasSubstr("batch_size must be an integer between 1 and 16777216, got 0"));
  EXPECT_THAT(refusal({{"batch_size", "true"}}),
              AllOf(HasSubstr("batch_size must be an integer"), HasSubstr("got true")));
  EXPECT_THAT(refusal({{"batch_size", "3.5"}}), HasSubstr("an integer"));
  EXPECT_THAT(refusal({{"prefetch", "4294967298"}}), HasSubstr("got 4294967298"));
  EXPECT_THAT(refusal({{"prefetch", "-1"}}), HasSubstr("prefetch must be between 0 and 4096, got -1"));
  EXPECT_THAT(refusal({{"seed", "-1"}}), HasSubstr("seed must be an integer between 0"));
  EXPECT_THAT(refusal({{"shuffle", "1"}}), HasSubstr("shuffle must be true or false, got 1"));
  EXPECT_THAT(refusal({{"on_error", "skip"}}), HasSubstr("use a JSON value"));
  EXPECT_THAT(refusal({{"on_error", "\"no\""}}), HasSubstr(R"(must be "raise", "skip" or "replace")"));
  EXPECT_THAT(refusal({{"cpu_budget", "\"all\""}}), HasSubstr("must be a number"));
  EXPECT_THAT(refusal({{"cache", "5"}}), HasSubstr("must be a string"));
  EXPECT_THAT(refusal({{"sampler", "\"random\""}}), HasSubstr("to_dict()"));
  EXPECT_THAT(refusal({{"sampler", R"({"kind": "indices", "indices": [-1]})"}}),
              HasSubstr("indices: a list, each item an integer"));
  EXPECT_THAT(refusal({{"sampler", R"({"kind": "random", "size": 1})"}}), HasSubstr("to_dict()"));
}

TEST(OptionsText, text_tells_what_is_not_usual) {
  EXPECT_EQ(LoaderOptions().to_string(), "LoaderOptions()");
  const LoaderOptions options{.batch_size = 7, .num_workers = 0, .on_error = OnError::skip};
  EXPECT_EQ(options.to_string(), R"(LoaderOptions(batch_size=7, num_workers=0, on_error="skip"))");
}

TEST(OptionsText, copies_are_changed_and_later_calls_win) {
  const LoaderOptions base;
  const LoaderOptions options = base.with<&LoaderOptions::batch_size>(64)
                                    .with_shuffle(true, 3)
                                    .with_timeout(std::nullopt)
                                    .channels_last()
                                    .with<&LoaderOptions::num_workers>(2)
                                    .with<&LoaderOptions::batch_size>(5);
  EXPECT_EQ(options, (LoaderOptions{.batch_size = 5,
                                    .shuffle = true,
                                    .seed = 3,
                                    .num_workers = 2,
                                    .memory_format = MemoryFormat::channels_last,
                                    .timeout_seconds = std::nullopt}));
  EXPECT_EQ(base, LoaderOptions());
  EXPECT_EQ(options.with_shuffle(false).seed, 3u) << "no seed, no change of it";
  EXPECT_EQ(options.channels_first().memory_format, MemoryFormat::channels_first);
  EXPECT_EQ(base.random_sampling(true).sampler, Sampler::random(true));
}

TEST(OptionsText, presets_are_lists_of_settings) {
  const LoaderOptions base{.batch_size = 5};
  EXPECT_EQ(base.gpu_optimized(),
            (LoaderOptions{.batch_size = 5, .prefetch = 4, .memory_format = MemoryFormat::channels_last}));
  EXPECT_EQ(base.distributed_optimized(1, 4), (LoaderOptions{.batch_size = 5,
                                                             .drop_last = true,
                                                             .prefetch = 4,
                                                             .sampler = Sampler::random(),
                                                             .shard_rank = 1,
                                                             .shard_world_size = 4}));
  LoaderOptions plain = changed_in_every_option().debug_mode();
  EXPECT_TRUE(plain.validate());
  EXPECT_EQ(plain.num_workers, 0);
  EXPECT_EQ(plain.prefetch, 0);
  EXPECT_EQ(plain.sampler, Sampler());
  EXPECT_EQ(plain.on_error, OnError::raise);
  EXPECT_EQ(plain.loading_mode, LoadingMode::ordered);
  EXPECT_EQ(base.gpu_optimized().with<&LoaderOptions::prefetch>(1).prefetch, 1);
}

}  // namespace
}  // namespace penstock::inline v0
