#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <thread>

#include "pipeline/loader_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Loader, delivers_every_sample_once_in_order) {
  Loader loader = open_loader(std::make_shared<MemoryTable>(10), {.batch_size = 4, .num_workers = 2});
  EXPECT_EQ(loader.steps(), 3u);
  const std::vector<Batch> batches = take_epoch(loader);
  ASSERT_EQ(batches.size(), 3u);
  EXPECT_EQ(batches[2].rows(), 2u);
  EXPECT_THAT(indices(batches), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_EQ(batches[1].find("label")->integers()[2], 6);
  EXPECT_EQ(text_of(batches[1], 2), "text of 6");
  EXPECT_EQ(batches[1].key(2).value(), "key6");
}

TEST(Loader, drop_last_leaves_out_the_short_batch) {
  Loader loader = open_loader(std::make_shared<MemoryTable>(10), {.batch_size = 4, .drop_last = true});
  EXPECT_EQ(loader.steps(), 2u);
  EXPECT_EQ(indices(take_epoch(loader)).size(), 8u);
}

TEST(Loader, empty_data_set_has_empty_epochs) {
  Loader loader = open_loader(std::make_shared<MemoryTable>(0), {.batch_size = 4});
  EXPECT_EQ(loader.steps(), 0u);
  EXPECT_TRUE(take_epoch(loader).empty());
  EXPECT_TRUE(take_epoch(loader).empty());
}

TEST(Loader, shuffle_is_a_permutation_that_changes_with_epoch_and_seed) {
  const auto table = std::make_shared<MemoryTable>(50);
  Loader loader = open_loader(table, {.batch_size = 8, .shuffle = true, .seed = 1});
  const auto first = indices(take_epoch(loader));
  const auto second = indices(take_epoch(loader));
  auto sorted = first;
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::int64_t> all(50);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(sorted, all);
  EXPECT_NE(first, second);
  loader.set_epoch(0);
  EXPECT_EQ(indices(take_epoch(loader)), first);
  EXPECT_EQ(indices(take_epoch(loader)), second) << "after epoch 0 comes epoch 1";
  Loader other = open_loader(table, {.batch_size = 8, .shuffle = true, .seed = 2});
  EXPECT_NE(indices(take_epoch(other)), first);
}

TEST(Loader, bytes_do_not_depend_on_workers_or_prefetch) {
  auto table = std::make_shared<MemoryTable>(67, some_images());
  table->slow = {5, 6, 40};
  std::vector<std::string> expected;
  for (const int workers : {0, 1, 2, 8}) {
    for (const int prefetch : {0, 1, 2, 7}) {
      Loader loader = open_loader(
          table, {.batch_size = 8, .shuffle = true, .seed = 3, .num_workers = workers, .prefetch = prefetch},
          augmentation());
      std::vector<std::string> seen;
      for (int epoch = 0; epoch < 2; ++epoch) {
        for (const Batch& batch : take_epoch(loader)) {
          seen.push_back(contents(batch));
        }
      }
      if (expected.empty()) {
        expected = seen;
        EXPECT_NE(expected[0], expected[9]) << "epochs must differ";
      }
      ASSERT_EQ(seen, expected) << workers << " workers, prefetch " << prefetch;
    }
  }
}

TEST(Loader, images_without_one_size_come_as_a_list) {
  Loader loader = open_loader(std::make_shared<MemoryTable>(12, some_images()), {.batch_size = 5});
  const std::vector<Batch> batches = take_epoch(loader);
  const Column* column = batches[1].find("image");
  ASSERT_TRUE(column->ragged());
  EXPECT_EQ(column->spec.to_string(), "uint8 (3, any, any)");
  EXPECT_EQ(column->rows[2].shape, (Extents{3, 90 - 5 * 7, 20 + 7 * 7}));
}

TEST(Loader, kept_batches_are_never_overwritten) {
  Loader loader = open_loader(std::make_shared<MemoryTable>(64, some_images()),
                              {.batch_size = 4, .shuffle = true}, augmentation());
  std::vector<Batch> kept;
  std::vector<std::string> before;
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (Batch& batch : take_epoch(loader)) {
      if (batch.step() % 3 == 0) {
        before.push_back(contents(batch));
        kept.push_back(std::move(batch));
      }
    }
  }
  std::vector<std::string> after;
  for (const Batch& batch : kept) {
    after.push_back(contents(batch));
  }
  EXPECT_EQ(before, after);
}

TEST(Loader, batches_outlive_the_loader) {
  Batch kept;
  std::string before;
  {
    Loader loader = open_loader(std::make_shared<MemoryTable>(9), {.batch_size = 4});
    kept = take_epoch(loader)[1];
    before = contents(kept);
  }
  EXPECT_EQ(contents(kept), before);
  EXPECT_EQ(kept.key(0).value(), "key4");
}

TEST(Loader, new_iteration_ends_the_old_one) {
  Loader loader = open_loader(std::make_shared<MemoryTable>(40), {.batch_size = 4, .shuffle = true});
  const std::uint64_t old_ticket = loader.start_epoch().value();
  ASSERT_TRUE(loader.next(old_ticket).value());
  const std::uint64_t ticket = loader.start_epoch().value();
  const auto stale = loader.next(old_ticket);
  ASSERT_FALSE(stale);
  EXPECT_EQ(stale.error().kind, ErrorKind::cancelled);
  const std::optional<Batch> batch = loader.next(ticket).value();
  EXPECT_EQ(batch->epoch(), 1u);
  EXPECT_EQ(batch->step(), 0u);
}

TEST(Loader, slow_samples_do_not_change_the_order) {
  auto table = std::make_shared<MemoryTable>(60);
  table->slow = {0, 8, 31};
  Loader loader = open_loader(table, {.batch_size = 4, .num_workers = 4, .prefetch = 6});
  std::vector<std::int64_t> all(60);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(indices(take_epoch(loader)), all);
}

TEST(Loader, stats_say_who_waits_for_whom) {
  auto table = std::make_shared<MemoryTable>(64);
  Loader slow_consumer = open_loader(table, {.batch_size = 8, .num_workers = 2});
  const std::uint64_t ticket = slow_consumer.start_epoch().value();
  while (slow_consumer.next(ticket).value()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(40));
  }
  const LoaderStats stats = slow_consumer.stats();
  EXPECT_EQ(stats.batches, 8u);
  EXPECT_EQ(stats.samples, 64u);
  EXPECT_THAT(stats.verdict, HasSubstr("the consumer limits"));

  auto slow_table = std::make_shared<MemoryTable>(16);
  for (std::uint64_t i = 0; i < 16; ++i) {
    slow_table->slow.insert(i);
  }
  Loader slow_workers = open_loader(slow_table, {.batch_size = 4, .num_workers = 1});
  take_epoch(slow_workers);
  EXPECT_THAT(slow_workers.stats().verdict, HasSubstr("the workers limit"));
  EXPECT_THAT(slow_workers.stats().verdict, HasSubstr("read"));
}

TEST(Loader, refuses_impossible_options_and_plans) {
  const auto open = [](LoaderOptions options, FieldTransforms transforms = {}) {
    return Loader::open(Dataset::of(std::make_shared<MemoryTable>(4, some_images()), "memory"),
                        std::move(transforms), options);
  };
  EXPECT_THAT(open({.batch_size = 0}).error().to_string(), HasSubstr("batch_size"));
  EXPECT_THAT(open({.num_workers = -1}).error().to_string(), HasSubstr("num_workers"));
  EXPECT_THAT(open({.prefetch = -1}).error().to_string(), HasSubstr("prefetch"));
  EXPECT_THAT(open({}, {{"text", {transforms::ToFloat{}}}}).error().to_string(), HasSubstr("text"));
  EXPECT_THAT(open({}, {{"pixels", {transforms::ToFloat{}}}}).error().to_string(), HasSubstr("pixels"));
  EXPECT_THAT(open({.decode = false}, augmentation()).error().to_string(), HasSubstr("decode=False"));
}

TEST(Loader, plan_tells_what_will_run) {
  Loader loader = open_loader(std::make_shared<MemoryTable>(12, some_images()),
                              {.batch_size = 4, .shuffle = true, .num_workers = 1}, augmentation());
  EXPECT_THAT(loader.plan(), HasSubstr("RandomResizedCrop"));
  EXPECT_THAT(loader.plan(), HasSubstr("float32"));
  EXPECT_THAT(loader.plan(), HasSubstr("shuffled"));
}

}  // namespace
}  // namespace penstock::inline v0
