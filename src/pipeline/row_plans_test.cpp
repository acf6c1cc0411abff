// Rows that are not a sample each, all the way through loaders: clips, mixtures, samples packed together.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <numeric>
#include <set>
#include <vector>

#include "pipeline/row_kinds_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using test::clips;
using test::Kind;
using test::memory_images;
using test::mixture;
using test::options_of;
using test::packed;
using test::rows_of;
using test::shuffled_packing;
using test::tar_of_images;
using testing::Contains;
using testing::HasSubstr;

class RowPlans : public testing::TestWithParam<Kind> {};

TEST_P(RowPlans, any_number_of_workers_makes_the_same_bytes) {
  for (const bool shuffle : {false, true}) {
    Loader alone = GetParam().open(options_of(0, shuffle));
    const std::vector<std::string> expected = rows_of(alone);
    EXPECT_EQ(expected.size(), 2 * GetParam().rows.plan->rows());
    for (const int workers : {1, 2, 8}) {
      Loader loader = GetParam().open(options_of(workers, shuffle));
      EXPECT_EQ(rows_of(loader), expected) << workers << " workers";
    }
  }
}

TEST_P(RowPlans, a_shuffle_has_every_row_once) {
  Loader in_order = GetParam().open(options_of(1, false));
  Loader shuffled = GetParam().open(options_of(1, true));
  // Epochs differ in what is drawn, so rows are compared by their samples.
  std::vector<std::int64_t> expected = indices(take_epoch(in_order));
  std::vector<std::int64_t> first = indices(take_epoch(shuffled));
  std::vector<std::int64_t> second = indices(take_epoch(shuffled));
  EXPECT_NE(first, expected);
  EXPECT_NE(first, second);
  for (std::vector<std::int64_t>* list : {&expected, &first, &second}) {
    std::sort(list->begin(), list->end());
  }
  EXPECT_EQ(first, expected);
  EXPECT_EQ(second, expected);
}

TEST_P(RowPlans, every_step_can_be_continued_from) {
  const auto run = [](Loader& loader, std::size_t count, std::vector<std::string>& states) {
    std::vector<std::string> all;
    while (all.size() < count) {
      const std::uint64_t ticket = loader.start_epoch().value();
      while (std::optional<Batch> batch = all.size() < count ? loader.next(ticket).value() : std::nullopt) {
        all.push_back(contents(*batch));
        states.push_back(loader.state().value());
      }
    }
    return all;
  };
  Loader whole = GetParam().open(options_of(2));
  std::vector<std::string> states = {whole.state().value()};
  const std::size_t steps = static_cast<std::size_t>(whole.steps()) + 2;
  const std::vector<std::string> expected = run(whole, steps, states);
  for (std::size_t step = 0; step < steps; ++step) {
    Loader resumed = GetParam().open(options_of(static_cast<int>(step % 3)));
    ASSERT_TRUE(resumed.load_state(states[step]));
    std::vector<std::string> later;
    const std::vector<std::string> rest = run(resumed, steps - step, later);
    EXPECT_TRUE(std::equal(rest.begin(), rest.end(), expected.begin() + static_cast<std::ptrdiff_t>(step)))
        << "from step " << step;
    EXPECT_EQ(later.back(), states.back());
  }
}

TEST_P(RowPlans, two_ranks_share_the_rows_of_one) {
  Loader one = GetParam().open(options_of(1));
  std::vector<std::string> expected = rows_of(one);
  std::vector<std::string> shared;
  for (const int rank : {0, 1}) {
    LoaderOptions options = options_of(2);
    options.batch_size = 2;
    options.shard_rank = rank;
    options.shard_world_size = 2;
    Loader loader = GetParam().open(options);
    const std::vector<std::string> own = rows_of(loader);
    shared.insert(shared.end(), own.begin(), own.end());
  }
  // A rank without a row at the end of an epoch repeats one.
  EXPECT_EQ(std::set(shared.begin(), shared.end()), std::set(expected.begin(), expected.end()));
  EXPECT_LE(shared.size(), expected.size() + 2);
}

TEST_P(RowPlans, rows_with_bad_samples_are_left_out_or_replaced) {
  const std::size_t rows = GetParam().rows.plan->rows();
  for (const OnError on_error : {OnError::skip, OnError::replace}) {
    std::vector<std::string> expected;
    for (const int workers : {0, 1, 2, 8}) {
      LoaderOptions options = options_of(workers);
      options.on_error = on_error;
      Loader loader = GetParam().open(options, true);
      const std::vector<std::string> made = rows_of(loader);
      EXPECT_EQ(made.size(), 2 * (rows - (on_error == OnError::skip ? GetParam().bad_rows : 0)));
      ASSERT_EQ(loader.errors().size(), 2 * GetParam().bad_rows);
      for (const Error& error : loader.errors()) {
        ASSERT_TRUE(error.place.index);
        const auto sample = static_cast<std::int64_t>(*error.place.index);
        EXPECT_THAT(GetParam().bad, Contains(sample));
        EXPECT_EQ(error.place.key, loader.dataset().key(*error.place.index).value());
      }
      expected = workers == 0 ? made : expected;
      EXPECT_EQ(made, expected) << workers << " workers";
    }
  }
  LoaderOptions raising = options_of(1);
  Loader loader = GetParam().open(raising, true);
  const std::uint64_t ticket = loader.start_epoch().value();
  Result<std::optional<Batch>> batch = loader.next(ticket);
  while (batch && *batch) {
    batch = loader.next(ticket);
  }
  ASSERT_FALSE(batch);
  EXPECT_THAT(GetParam().bad, Contains(static_cast<std::int64_t>(*batch.error().place.index)));
}

TEST_P(RowPlans, a_state_of_other_rows_is_refused) {
  Loader loader = GetParam().open(options_of(1));
  Kind other = GetParam();
  other.rows.plan = std::make_shared<const ClipRows>(loader.dataset().size(), 2);
  const Status refused = other.open(options_of(1)).load_state(loader.state().value());
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().to_string(), HasSubstr(GetParam().rows.plan->describe()));
  EXPECT_THAT(loader.plan(), HasSubstr(GetParam().rows.plan->describe()));
}

INSTANTIATE_TEST_SUITE_P(kinds, RowPlans, testing::Values(clips(), mixture(), packed(), shuffled_packing()),
                         [](const auto& kind) { return kind.param.name; });

TEST(RowPlans, clips_of_a_sample_draw_apart_and_the_first_as_the_sample_does) {
  Loader of_clips = clips().open(options_of(1, false));
  Loader of_samples = Loader::open(tar_of_images(7, {}), augmentation(), options_of(1, false)).value();
  const std::vector<std::string> all = rows_of(of_clips);
  const std::vector<std::string> plain = rows_of(of_samples);
  for (std::size_t sample = 0; sample < 7; ++sample) {
    EXPECT_EQ(all[3 * sample], plain[sample]);
  }
  EXPECT_EQ(std::set(all.begin(), all.end()).size(), all.size());
}

TEST(RowPlans, a_mixture_has_the_samples_of_both_tables) {
  Loader loader = mixture().open(options_of(1, false));
  Loader of_first = Loader::open(memory_images(12), augmentation(), options_of(1, false)).value();
  const std::vector<std::string> plain = rows_of(of_first);
  std::vector<std::string> rows;
  for (const Batch& batch : take_epoch(loader)) {
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      const auto sample = static_cast<std::uint64_t>(batch.index()[row]);
      EXPECT_EQ(batch.key(row).value(), fmt::format("key{}", sample < 12 ? sample : sample - 12));
      rows.push_back(contents(batch, row));
    }
  }
  ASSERT_EQ(rows.size(), 18u);
  for (std::size_t sample = 0; sample < 12; ++sample) {
    EXPECT_EQ(rows[sample / 2 * 3 + sample % 2], plain[sample]) << "draws of the first table are as ever";
  }
  const auto pixels = [](const std::string& row) {
    return row.substr(sizeof(std::int64_t), 3 * 16 * 16 * 4);
  };
  EXPECT_NE(pixels(rows[2]), pixels(rows[0])) << "the same image, sample 0 of the other table";
}

TEST(RowPlans, a_mixture_that_repeats_draws_by_place) {
  Loader loader = mixture(4, 6).open(options_of(1, false));
  const std::vector<std::string> all = rows_of(loader);
  ASSERT_EQ(all.size(), 36u);
  EXPECT_EQ(std::set(all.begin(), all.end()).size(), 36u) << "samples of the first table come three times";
}

TEST(RowPlans, every_part_of_a_packed_row_draws_for_itself) {
  Loader loader = packed().open(options_of(1, false));
  const std::vector<Batch> batches = take_epoch(loader);
  std::vector<std::int64_t> labels;
  std::set<std::int64_t> drawn;
  for (const Batch& batch : batches) {
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      const ByteSpan bytes = batch.find("label")->bytes_of(row);
      std::vector<std::int64_t> numbers(bytes.size() / sizeof(std::int64_t));
      std::memcpy(numbers.data(), bytes.data(), bytes.size());
      EXPECT_EQ(numbers.size(), batch.index()[row] == 30 ? 4u : 6u);
      for (std::size_t i = 0; i < numbers.size(); i += 2) {
        labels.push_back(numbers[i]);
        drawn.insert(numbers[i + 1]);
      }
    }
  }
  std::vector<std::int64_t> each(32);
  std::iota(each.begin(), each.end(), 0);
  EXPECT_EQ(labels, each);
  EXPECT_EQ(drawn.size(), 32u);
  LoaderOptions repeating = options_of(1, false);
  repeating.sampler = Sampler::of_indices({1, 1});
  Loader twice = packed().open(repeating);
  const std::vector<std::string> rows = rows_of(twice);
  EXPECT_EQ(std::set(rows.begin(), rows.end()).size(), 4u) << "keyed by place";
}

TEST(RowPlans, a_state_brings_the_seed_that_decides_the_rows) {
  const Kind kind = shuffled_packing();
  const auto next = [](Loader& loader, std::uint64_t ticket) {
    return contents(*loader.next(ticket).value(), 0);
  };
  for (LoaderOptions options :
       {LoaderOptions{}, LoaderOptions{.shuffle = true},
        LoaderOptions{.shuffle = true, .shuffle_mode = ShuffleMode::shards, .shuffle_shards = 2}}) {
    options.batch_size = 4;
    options.seed = std::nullopt;
    Loader whole = kind.open(options);
    std::vector<std::string> states = {whole.state().value()};
    std::vector<std::string> expected;
    for (const std::uint64_t ticket = whole.start_epoch().value(); expected.size() < 2;) {
      expected.push_back(next(whole, ticket));
      states.push_back(whole.state().value());
    }
    Loader other = kind.open(options);  // draws another seed
    EXPECT_NE(next(other, other.start_epoch().value()), expected[0]);
    for (std::size_t step = 0; step < expected.size(); ++step) {
      Loader resumed = kind.open(options);
      const Status taken = resumed.load_state(states[step]);
      ASSERT_TRUE(taken) << taken.error().to_string();
      EXPECT_EQ(next(resumed, resumed.start_epoch().value()), expected[step]);
    }
  }
}

TEST(RowPlans, rows_may_be_made_anew_in_every_epoch) {
  Kind kind = packed();
  kind.rows.plan = std::make_shared<const PackedRows>(32, 3, 5);
  Loader loader = kind.open(options_of(2, false));
  for (const std::int64_t shift : {0, 5, 10}) {
    std::int64_t row = 0;
    for (const Batch& batch : take_epoch(loader)) {
      for (std::size_t i = 0; i < batch.rows(); ++i, ++row) {
        EXPECT_EQ(batch.index()[i], (3 * row + shift) % 32);
      }
    }
    EXPECT_EQ(row, 11);
  }
}

TEST(RowPlans, what_a_row_is_made_of_is_looked_up_once) {
  /// Counts how often each row of the first epoch is asked for.
  class CountedRows final : public RowPlan {
   public:
    std::uint64_t rows() const noexcept override { return counts.size(); }
    std::size_t max_parts() const noexcept override { return 1; }
    void parts(std::uint64_t, std::uint64_t epoch, std::uint64_t row, RowParts& parts) const override {
      counts[row] += epoch == 0 ? 1 : 0;
      parts.assign(1, {.sample = row});
    }
    bool repeats() const noexcept override { return false; }
    bool in_order() const noexcept override { return true; }
    std::string describe() const override { return "counted"; }

    mutable std::array<std::atomic<int>, 12> counts{};
  };
  for (const bool shuffle : {false, true}) {
    const auto plan = std::make_shared<const CountedRows>();
    LoaderOptions options = options_of(2, shuffle);
    options.batch_size = 5;
    Loader loader = Loader::open(memory_images(12), {}, options, {}, {.plan = plan}).value();
    take_epoch(loader);
    EXPECT_THAT(std::vector<int>(plan->counts.begin(), plan->counts.end()), testing::Each(1));
  }
}

TEST(RowPlans, a_filler_of_one_part_refuses_rows_of_several) {
  const auto refusal = [](const Dataset& dataset, LoaderOptions options, const RowRecipe& rows,
                          const FieldTransforms& transforms = {}) {
    const Result<Loader> loader = Loader::open(dataset, transforms, options, {}, rows);
    return loader ? "" : loader.error().to_string();
  };
  const RowRecipe pairs{.plan = std::make_shared<const PackedRows>(12, 2)};
  EXPECT_THAT(refusal(memory_images(12), {}, pairs),
              HasSubstr("rows have up to 2 parts, but 'image' can be made from only one"));
  EXPECT_THAT(refusal(memory_images(12), {.decode = false}, pairs),
              HasSubstr("'label' can be made from only one"));
  EXPECT_THAT(refusal(packed().dataset(false), {}, packed().rows, {{"label", {transforms::ToFloat{}}}}),
              HasSubstr("labels of 1 operation"));
  EXPECT_THAT(refusal(mixture().dataset(false), {.cache = "/nowhere"}, mixture().rows),
              HasSubstr("cache and rows of several data sets"));
}

TEST(RowPlans, data_sets_with_other_fields_do_not_join) {
  const Dataset images = memory_images(4);
  const Dataset labels = packed().dataset(false);
  EXPECT_THAT(join({images, labels}).error().to_string(), HasSubstr("has 3 fields, but data set 1 has 1"));
  EXPECT_THAT(join({labels, Dataset::of(std::make_shared<MemoryTable>(4), "m")}).error().to_string(),
              HasSubstr("has 1 fields"));
}

}  // namespace
}  // namespace penstock::inline v0
