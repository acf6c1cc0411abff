#include "penstock/loader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <numeric>
#include <thread>

#include "core/counting_new.hpp"
#include "pipeline/memory_table.hpp"
#include "pipeline/test_pictures.hpp"

namespace penstock {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Loader open_loader(std::shared_ptr<const SampleTable> table, LoaderOptions options,
                   FieldTransforms transforms = {}) {
  return std::move(Loader::open(Dataset::of(std::move(table), "memory"), std::move(transforms), options))
      .value();
}

std::vector<Batch> take_epoch(Loader& loader) {
  const std::uint64_t ticket = loader.start_epoch().value();
  std::vector<Batch> batches;
  for (;;) {
    std::optional<Batch> batch = loader.next(ticket).value();
    if (!batch) {
      return batches;
    }
    batches.push_back(std::move(*batch));
  }
}

std::vector<std::int64_t> indices(const std::vector<Batch>& batches) {
  std::vector<std::int64_t> all;
  for (const Batch& batch : batches) {
    all.insert(all.end(), batch.index().begin(), batch.index().end());
  }
  return all;
}

std::string text_of(const Batch& batch, std::size_t row) {
  const ByteSpan blob = batch.find("text")->blobs[row];
  return {reinterpret_cast<const char*>(blob.data()), blob.size()};
}

// Everything a batch holds, as bytes.
std::string contents(const Batch& batch) {
  std::string all;
  const auto add = [&all](const void* data, std::size_t size) {
    all.append(static_cast<const char*>(data), size);
  };
  add(batch.index().data(), batch.index().size_bytes());
  for (const Column& column : batch.columns()) {
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      switch (column.shape) {
        case Column::Shape::integers:
          add(&column.integers[row], sizeof(std::int64_t));
          break;
        case Column::Shape::blobs:
          add(column.blobs[row].data(), column.blobs[row].size());
          break;
        case Column::Shape::pictures: {
          const std::size_t bytes = std::size_t{3} * column.size.width * column.size.height *
                                    (column.type == ElementType::float32 ? sizeof(float) : 1);
          add(static_cast<const char*>(column.data) + row * bytes, bytes);
          break;
        }
        case Column::Shape::picture_list:
          add(column.pictures[row].data,
              std::size_t{3} * column.pictures[row].size.width * column.pictures[row].size.height);
          break;
      }
    }
  }
  return all;
}

std::vector<std::vector<std::uint8_t>> some_pictures() {
  std::vector<std::vector<std::uint8_t>> pictures;
  for (unsigned i = 0; i < 12; ++i) {
    pictures.push_back(make_jpeg(20 + 7 * static_cast<int>(i), 90 - 5 * static_cast<int>(i), i));
  }
  return pictures;
}

FieldTransforms augmentation() {
  return {{"image",
           {transforms::RandomResizedCrop{.size = 16}, transforms::RandomHorizontalFlip{},
            transforms::ToFloat{}, transforms::Normalize{.mean = {0.5}, .std = {0.25}}}}};
}

int threads_of_this_process() {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    (void)entry;
    ++count;
  }
  return count;
}

TEST(Loader, delivers_every_sample_once_in_order) {
  Loader loader = open_loader(std::make_shared<MemoryTable>(10), {.batch_size = 4, .num_workers = 2});
  EXPECT_EQ(loader.steps(), 3u);
  const std::vector<Batch> batches = take_epoch(loader);
  ASSERT_EQ(batches.size(), 3u);
  EXPECT_EQ(batches[2].rows(), 2u);
  EXPECT_THAT(indices(batches), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_EQ(batches[1].find("label")->integers[2], 6);
  EXPECT_EQ(text_of(batches[1], 2), "text of 6");
  EXPECT_EQ(batches[1].key(2), "key6");
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
  auto table = std::make_shared<MemoryTable>(67, some_pictures());
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

TEST(Loader, pictures_without_one_size_come_as_a_list) {
  Loader loader = open_loader(std::make_shared<MemoryTable>(12, some_pictures()), {.batch_size = 5});
  const std::vector<Batch> batches = take_epoch(loader);
  const Column* column = batches[1].find("image");
  ASSERT_EQ(column->shape, Column::Shape::picture_list);
  EXPECT_EQ(column->pictures[2].size, (ImageSize{20 + 7 * 7, 90 - 5 * 7}));
}

TEST(Loader, kept_batches_are_never_overwritten) {
  Loader loader = open_loader(std::make_shared<MemoryTable>(64, some_pictures()),
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
  EXPECT_EQ(kept.key(0), "key4");
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

TEST(Loader, bad_sample_fails_its_batch_with_its_place) {
  auto table = std::make_shared<MemoryTable>(12);
  table->bad = {5};
  Loader loader = open_loader(table, {.batch_size = 4});
  const std::uint64_t ticket = loader.start_epoch().value();
  ASSERT_TRUE(loader.next(ticket));
  const auto failed = loader.next(ticket);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().kind, ErrorKind::corrupt);
  EXPECT_EQ(failed.error().place.index, 5u);
  EXPECT_EQ(failed.error().place.key, "key5");
  EXPECT_THAT(failed.error().to_string(), HasSubstr("on_error='skip'"));
  EXPECT_EQ(loader.next(ticket).value()->index()[0], 8) << "the iteration may go on";
}

TEST(Loader, skip_leaves_rows_out_and_moves_nothing_else) {
  auto table = std::make_shared<MemoryTable>(12, some_pictures());
  table->bad = {1, 4, 5, 6, 7};
  Loader loader = open_loader(table, {.batch_size = 4, .on_error = OnError::skip}, augmentation());
  const std::vector<Batch> batches = take_epoch(loader);
  ASSERT_EQ(batches.size(), 3u);
  EXPECT_THAT(std::vector<std::int64_t>(batches[0].index().begin(), batches[0].index().end()),
              ElementsAre(0, 2, 3));
  EXPECT_EQ(batches[1].rows(), 0u);
  EXPECT_EQ(text_of(batches[0], 1), "text of 2");
  EXPECT_EQ(loader.errors().size(), 5u);
  EXPECT_EQ(loader.stats().errors, 5u);
  Loader whole =
      open_loader(std::make_shared<MemoryTable>(12, some_pictures()), {.batch_size = 4}, augmentation());
  const Batch reference = take_epoch(whole)[0];
  const std::size_t row_bytes = std::size_t{16} * 16 * 3 * sizeof(float);
  EXPECT_EQ(std::memcmp(static_cast<const char*>(batches[0].find("image")->data) + 2 * row_bytes,
                        static_cast<const char*>(reference.find("image")->data) + 3 * row_bytes, row_bytes),
            0);
}

TEST(Loader, replace_draws_another_sample_the_same_way_each_time) {
  auto table = std::make_shared<MemoryTable>(30);
  table->bad = {3, 4, 17};
  std::vector<std::int64_t> first;
  for (const int workers : {0, 3}) {
    Loader loader =
        open_loader(table, {.batch_size = 7, .num_workers = workers, .on_error = OnError::replace});
    const auto seen = indices(take_epoch(loader));
    ASSERT_EQ(seen.size(), 30u);
    for (const std::uint64_t bad : table->bad) {
      EXPECT_FALSE(table->bad.contains(static_cast<std::uint64_t>(seen[bad])));
    }
    EXPECT_EQ(loader.errors().size(), 3u);
    if (!first.empty()) {
      EXPECT_EQ(seen, first);
    }
    first = seen;
  }
}

TEST(Loader, replace_gives_up_when_everything_is_bad) {
  auto table = std::make_shared<MemoryTable>(4);
  table->bad = {0, 1, 2, 3};
  Loader loader = open_loader(table, {.batch_size = 2, .on_error = OnError::replace});
  const auto failed = loader.next(loader.start_epoch().value());
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().to_string(), HasSubstr("16 samples"));
}

TEST(Loader, raw_mode_gives_the_stored_bytes) {
  const auto pictures = some_pictures();
  auto table = std::make_shared<MemoryTable>(12, pictures);
  Loader loader = open_loader(table, {.batch_size = 5, .decode = false});
  const std::vector<Batch> batches = take_epoch(loader);
  const Batch& batch = batches[1];
  const RawBytes* raw = batch.raw();
  ASSERT_NE(raw, nullptr);
  for (std::size_t row = 0; row < batch.rows(); ++row) {
    const auto& file = pictures[5 + row];
    ASSERT_EQ(raw->sizes[row], static_cast<std::int64_t>(file.size()));
    EXPECT_EQ(std::memcmp(raw->data.data() + raw->offsets[row], file.data(), file.size()), 0);
    EXPECT_EQ(raw->widths[row], 20 + 7 * (5 + static_cast<int>(row)));
    EXPECT_EQ(raw->heights[row], 90 - 5 * (5 + static_cast<int>(row)));
    EXPECT_EQ(batch.find("label")->integers[row], 5 + static_cast<int>(row));
  }
}

TEST(Loader, raw_mode_replaces_and_skips) {
  auto table = std::make_shared<MemoryTable>(12, some_pictures());
  table->bad = {0, 2};
  Loader skipping = open_loader(table, {.batch_size = 12, .decode = false, .on_error = OnError::skip});
  const Batch skipped = take_epoch(skipping)[0];
  EXPECT_EQ(skipped.rows(), 10u);
  EXPECT_EQ(skipped.raw()->widths[0], 27);
  Loader replacing = open_loader(table, {.batch_size = 12, .decode = false, .on_error = OnError::replace});
  const Batch replaced = take_epoch(replacing)[0];
  ASSERT_EQ(replaced.rows(), 12u);
  const auto other = static_cast<std::size_t>(replaced.index()[0]);
  EXPECT_EQ(replaced.raw()->widths[0], 20 + 7 * static_cast<int>(other));
}

TEST(Loader, steady_state_allocates_nothing) {
  auto table = std::make_shared<MemoryTable>(256);
  Loader loader = open_loader(table, {.batch_size = 8, .shuffle = true, .num_workers = 2});
  const auto run_epoch = [&loader] {
    const std::uint64_t ticket = loader.start_epoch().value();
    const std::uint64_t before = allocations.load();
    std::uint64_t inside = 0;
    while (std::optional<Batch> batch = loader.next(ticket).value()) {
      if (batch->step() == 24) {  // the next epoch's order is made ahead of its first batch, at the end
        inside = allocations.load() - before;
      }
    }
    return inside;
  };
  // A worker makes its memory when it first gets work, which may be late on a busy machine.
  std::uint64_t allocated = 1;
  std::uint64_t grown = 1;
  for (int epoch = 0; epoch < 100 && (allocated > 0 || grown > 0); ++epoch) {
    const std::uint64_t before = loader.stats().buffer_bytes;
    allocated = run_epoch();
    grown = loader.stats().buffer_bytes - before;
  }
  EXPECT_EQ(allocated, 0u);
  EXPECT_EQ(grown, 0u) << "batch memory";
}

TEST(Loader, idle_loader_uses_no_cpu) {
  Loader loader = open_loader(std::make_shared<MemoryTable>(64), {.batch_size = 8, .num_workers = 4});
  const std::uint64_t ticket = loader.start_epoch().value();
  ASSERT_TRUE(loader.next(ticket).value());
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const double before = loader.stats().cpu_seconds;
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_LT(loader.stats().cpu_seconds - before, 0.02);
}

TEST(Loader, leaves_no_thread_behind) {
  const int before = threads_of_this_process();
  for (int round = 0; round < 20; ++round) {
    Loader loader = open_loader(std::make_shared<MemoryTable>(64), {.batch_size = 4, .num_workers = 3});
    const std::uint64_t ticket = loader.start_epoch().value();
    ASSERT_TRUE(loader.next(ticket).value());
    ASSERT_TRUE(loader.start_epoch());
  }
  EXPECT_EQ(threads_of_this_process(), before);
}

TEST(Loader, closing_from_another_thread_ends_the_wait) {
  auto table = std::make_shared<MemoryTable>(8);
  table->slow = {0};
  table->delay = std::chrono::milliseconds(300);
  Loader loader = open_loader(table, {.batch_size = 4, .num_workers = 1});
  const std::uint64_t ticket = loader.start_epoch().value();
  std::thread closer([&loader] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    loader.close();
  });
  const auto batch = loader.next(ticket);
  closer.join();
  EXPECT_TRUE(!batch || batch.value());
  const auto after = loader.next(ticket);
  ASSERT_FALSE(after);
  EXPECT_EQ(after.error().kind, ErrorKind::cancelled);
  EXPECT_FALSE(loader.start_epoch());
}

TEST(Loader, waiting_ends_in_time_when_nothing_is_ready) {
  auto table = std::make_shared<MemoryTable>(4);
  table->slow = {0};
  table->delay = std::chrono::milliseconds(400);
  Loader loader = open_loader(table, {.batch_size = 4, .num_workers = 1});
  const std::uint64_t ticket = loader.start_epoch().value();
  const auto step = loader.next(ticket, std::chrono::milliseconds(20));
  ASSERT_TRUE(step);
  EXPECT_EQ(step->state, Loader::Step::State::waiting);
  EXPECT_TRUE(loader.next(ticket).value()) << "and the batch comes later";
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
    return Loader::open(Dataset::of(std::make_shared<MemoryTable>(4, some_pictures()), "memory"),
                        std::move(transforms), options);
  };
  EXPECT_THAT(open({.batch_size = 0}).error().to_string(), HasSubstr("batch_size"));
  EXPECT_THAT(open({.num_workers = -1}).error().to_string(), HasSubstr("num_workers"));
  EXPECT_THAT(open({.prefetch = -1}).error().to_string(), HasSubstr("prefetch"));
  EXPECT_THAT(open({}, {{"image", {transforms::ToFloat{}}}}).error().to_string(), HasSubstr("one size"));
  EXPECT_THAT(open({}, {{"text", {transforms::ToFloat{}}}}).error().to_string(), HasSubstr("text"));
  EXPECT_THAT(open({}, {{"pixels", {transforms::ToFloat{}}}}).error().to_string(), HasSubstr("pixels"));
  EXPECT_THAT(open({.decode = false}, augmentation()).error().to_string(), HasSubstr("decode=False"));
}

TEST(Loader, plan_tells_what_will_run) {
  Loader loader = open_loader(std::make_shared<MemoryTable>(12, some_pictures()),
                              {.batch_size = 4, .shuffle = true, .num_workers = 1}, augmentation());
  EXPECT_THAT(loader.plan(), HasSubstr("RandomResizedCrop"));
  EXPECT_THAT(loader.plan(), HasSubstr("float32"));
  EXPECT_THAT(loader.plan(), HasSubstr("shuffled"));
}

}  // namespace
}  // namespace penstock
