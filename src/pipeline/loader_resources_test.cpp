#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "core/counting_new_for_test.hpp"
#include "pipeline/loader_for_test.hpp"

namespace penstock::inline v0 {
namespace {

int threads_of_this_process() {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    (void)entry;
    ++count;
  }
  return count;
}

/// Runs epochs until one allocates nothing; each has at least 25 steps.
void expect_steady_state_without_allocations(Loader& loader) {
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

TEST(Loader, steady_state_allocates_nothing) {
  Loader loader =
      open_loader(std::make_shared<MemoryTable>(256), {.batch_size = 8, .shuffle = true, .num_workers = 2});
  expect_steady_state_without_allocations(loader);
}

TEST(Loader, steady_state_of_mixed_batches_allocates_nothing) {
  const auto images = std::vector<std::vector<std::uint8_t>>{make_jpeg(40, 30, 1), make_jpeg(40, 30, 2)};
  FieldTransforms lists = augmentation();
  lists[0].second.push_back(make_transform("MixUp", {{"num_classes", std::int64_t{256}}}).value());
  Loader loader = open_loader(std::make_shared<MemoryTable>(256, images),
                              {.batch_size = 8, .shuffle = true, .num_workers = 2}, std::move(lists));
  expect_steady_state_without_allocations(loader);
}

TEST(Loader, steady_state_of_batches_with_masks_of_patches_allocates_nothing) {
  const auto images = std::vector<std::vector<std::uint8_t>>{make_jpeg(40, 30, 1), make_jpeg(40, 30, 2)};
  const Params grid = {{"grid", std::int64_t{8}}};
  const Params blocks = {{"grid", std::int64_t{8}}, {"name", std::string("blocks")}};
  FieldTransforms lists = augmentation();
  lists[0].second.insert(lists[0].second.end(), {make_transform("RandomPatchMask", grid).value(),
                                                 make_transform("RandomBlockMask", blocks).value(),
                                                 make_transform("IJEPAMask", grid).value()});
  Loader loader = open_loader(std::make_shared<MemoryTable>(256, images),
                              {.batch_size = 8, .shuffle = true, .num_workers = 2}, std::move(lists));
  expect_steady_state_without_allocations(loader);
}

TEST(Loader, gives_back_the_memory_of_batches_that_were_held) {
  const auto images = std::vector<std::vector<std::uint8_t>>{make_jpeg(64, 64, 1)};
  Loader loader = open_loader(std::make_shared<MemoryTable>(512, images), {.batch_size = 8, .num_workers = 2},
                              {{"image", {transforms::CenterCrop{.size = {64, 64}}}}});
  const auto held_by = [&loader] { return loader.stats().buffer_bytes; };
  const std::uint64_t ticket = loader.start_epoch().value();
  while (loader.next(ticket).value()) {
  }
  const std::uint64_t steady = held_by();
  std::vector<Batch> all = take_epoch(loader);
  EXPECT_GT(held_by(), 8 * steady);
  const Batch kept = all.front();
  all.clear();
  EXPECT_LE(held_by(), 3 * steady) << "what the window and the next batches need";
  const std::uint64_t next = loader.start_epoch().value();
  while (loader.next(next).value()) {
  }
  EXPECT_LE(held_by(), 3 * steady);
  loader.close();
  EXPECT_LE(held_by(), steady) << "the batch that is kept";
  EXPECT_GE(held_by(), std::uint64_t{8} * 64 * 64 * 3);
  EXPECT_EQ(kept.index()[7], 7);
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
  // A thread that was joined may be listed for a moment more.
  for (int wait = 0; wait < 100 && threads_of_this_process() > before; ++wait) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
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

/// Counts what it is told.
class AnnouncedTable final : public MemoryTable {
 public:
  using MemoryTable::MemoryTable;
  void will_read(std::uint64_t sample, std::span<const std::size_t> wanted) const override {
    for (const std::size_t field : wanted) {
      sum += sample * fields().size() + field;
      ++count;
    }
  }
  mutable std::atomic<std::uint64_t> sum{0};
  mutable std::atomic<std::uint64_t> count{0};
};

TEST(Loader, announces_shuffled_reads) {
  for (const bool shuffle : {false, true}) {
    const auto table = std::make_shared<AnnouncedTable>(40);
    Loader loader = open_loader(table, {.batch_size = 8, .shuffle = shuffle, .num_workers = 0});
    take_epoch(loader);
    EXPECT_EQ(table->count, shuffle ? 80u : 0u) << "samples in order are read ahead by the system";
    EXPECT_EQ(table->sum, shuffle ? 79u * 80 / 2 : 0u) << "each field of each sample, once";
  }
}

}  // namespace
}  // namespace penstock::inline v0
