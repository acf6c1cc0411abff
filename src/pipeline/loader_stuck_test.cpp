// A source that does not answer: nobody waits for it forever, and nothing it may still write to is given
// away.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "pipeline/fill/counters.hpp"
#include "pipeline/loader_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

/// Reads of sample 5 end when somebody says so.
class StuckTable : public MemoryTable {
 public:
  using MemoryTable::MemoryTable;

  Result<StoredValue> read(std::uint64_t sample, std::size_t field) const override {
    if (sample == 5) {
      std::unique_lock lock(mutex_);
      held_ = true;
      changed_.notify_all();
      changed_.wait(lock, [this] { return answers_; });
    }
    return MemoryTable::read(sample, field);
  }
  void wait_until_held() const {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return held_; });
  }
  void answer() const {
    const std::lock_guard lock(mutex_);
    answers_ = true;
    changed_.notify_all();
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  mutable bool held_ = false;
  mutable bool answers_ = false;
};

TEST(StuckSource, close_leaves_its_worker_behind_with_all_it_needs) {
  auto table = std::make_shared<StuckTable>(12, some_images());
  const std::weak_ptr<const SampleTable> watched = table;
  const StuckTable* const source = table.get();
  std::optional<Batch> first;
  {
    Loader loader = open_loader(std::move(table), {.batch_size = 4, .num_workers = 2}, augmentation());
    const std::uint64_t ticket = loader.start_epoch().value();
    first = loader.next(ticket).value();
    source->wait_until_held();
    const auto start = Clock::now();
    loader.close();
    EXPECT_GE(Clock::now() - start, 5s);
    ASSERT_EQ(loader.problems().size(), 1u);
    EXPECT_EQ(loader.problems()[0].about, "close");
    EXPECT_THAT(loader.problems()[0].text, HasSubstr("left behind"));
    EXPECT_THAT(loader.problems()[0].text,
                testing::ContainsRegex("1 of 2 workers read \\(longest: sample 5, for [5-9]"));
    EXPECT_EQ(loader.next(ticket).error().kind, ErrorKind::cancelled);
    EXPECT_EQ(loader.stats().batches, 1u);
    const auto again = Clock::now();
    loader.close();
    EXPECT_LT(Clock::now() - again, 4s) << "nobody is waited for twice";
  }
  ASSERT_FALSE(watched.expired()) << "the worker still reads from it";
  source->answer();
  EXPECT_EQ(first->index()[3], 3) << "what was delivered stays";
  first.reset();  // holds the table for its keys
  for (int i = 0; i < 6000 && !watched.expired(); ++i) {
    std::this_thread::sleep_for(10ms);
  }
  EXPECT_TRUE(watched.expired()) << "the worker has ended, and what it owned with it";
}

TEST(StuckSource, a_new_epoch_can_be_waited_for_in_slices) {
  auto table = std::make_shared<StuckTable>(12);
  Loader loader = open_loader(
      table, {.batch_size = 4, .shuffle = false, .num_workers = 2, .timeout_seconds = std::nullopt});
  const std::uint64_t ticket = loader.start_epoch().value();
  ASSERT_TRUE(loader.next(ticket));
  table->wait_until_held();
  EXPECT_FALSE(loader.await_workers(1ms).value()) << "one is at sample 5";
  EXPECT_FALSE(loader.await_workers(1ms).value());
  EXPECT_EQ(loader.next(ticket).error().kind, ErrorKind::cancelled) << "the epoch has been given up";
  std::thread waiting([&] { EXPECT_TRUE(loader.start_epoch()); });
  EXPECT_EQ(loader.next_epoch(), 1u) << "others get their turn while it waits";
  table->answer();
  waiting.join();
  EXPECT_TRUE(loader.await_workers(0ms).value());
}

/// The source of a program that ends: it answers when most of the program is gone.
const StuckTable* answers_late = nullptr;

TEST(StuckSourceDeathTest, a_program_ends_with_a_worker_that_is_left_behind) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto program = [](bool answers) {
    if (answers) {
      std::atexit([] {  // registered first: comes after all that is registered later
        answers_late->answer();
        std::this_thread::sleep_for(200ms);
      });
    }
    auto table = std::make_shared<StuckTable>(12, some_images());
    answers_late = table.get();
    Loader loader = open_loader(std::move(table), {.batch_size = 4, .num_workers = 2}, augmentation());
    const std::uint64_t ticket = loader.start_epoch().value();
    const bool delivered = loader.next(ticket).value().has_value();
    answers_late->wait_until_held();
    loader.close();
    std::exit(delivered && !loader.problems().empty() ? 0 : 1);
  };
  EXPECT_EXIT(program(false), testing::ExitedWithCode(0), "^$");
  EXPECT_EXIT(program(true), testing::ExitedWithCode(0), "^$");
}

TEST(StuckSource, a_new_epoch_does_not_wait_for_ever) {
  auto table = std::make_shared<StuckTable>(12);
  Loader loader =
      open_loader(table, {.batch_size = 4, .shuffle = false, .num_workers = 2, .timeout_seconds = 0.2});
  const std::uint64_t ticket = loader.start_epoch().value();
  ASSERT_TRUE(loader.next(ticket));
  table->wait_until_held();
  const auto refused = loader.start_epoch();  // the epoch is abandoned
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::timeout);
  EXPECT_THAT(refused.error().message, HasSubstr("longest: sample 5"));
  EXPECT_EQ(loader.next(ticket).error().kind, ErrorKind::cancelled) << "what is half done is not delivered";
  table->answer();
  Result<std::uint64_t> begun = loader.start_epoch();
  while (!begun && begun.error().kind == ErrorKind::timeout) {
    begun = loader.start_epoch();
  }
  std::vector<std::string> texts;
  for (;;) {
    Result<std::optional<Batch>> batch = loader.next(begun.value());
    if (!batch) {
      ASSERT_EQ(batch.error().kind, ErrorKind::timeout);
      continue;
    }
    if (!*batch) {
      break;
    }
    for (std::size_t row = 0; row < (*batch)->rows(); ++row) {
      texts.push_back(text_of(**batch, row));
    }
  }
  ASSERT_EQ(texts.size(), 12u);
  EXPECT_EQ(texts[5], "text of 5");
}

}  // namespace
}  // namespace penstock::inline v0
