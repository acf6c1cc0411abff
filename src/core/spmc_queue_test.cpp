#include "core/spmc_queue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace penstock::inline v0 {
namespace {

TEST(spmc_queue, refuses_capacities_that_are_no_power_of_two) {
  for (const std::size_t capacity : {0u, 1u, 3u, 48u, 511u}) {
    try {
      SpmcQueue<int> queue(capacity);
      ADD_FAILURE() << "accepted " << capacity;
    } catch (const std::invalid_argument& e) {
      EXPECT_THAT(e.what(), testing::HasSubstr("got " + std::to_string(capacity)));
    }
  }
  EXPECT_EQ(SpmcQueue<int>().capacity(), 512u);
}

TEST(spmc_queue, returns_elements_in_order_over_many_laps) {
  SpmcQueue<int> queue(4);
  int pushed = 0;
  int popped = 0;
  for (int lap = 0; lap < 100; ++lap) {
    for (int i = 0; i < 1 + lap % 4; ++i) {
      ASSERT_TRUE(queue.try_push(pushed++));
    }
    while (const auto value = queue.try_pop()) {
      ASSERT_EQ(*value, popped++);
    }
  }
  EXPECT_EQ(pushed, popped);
}

TEST(spmc_queue, holds_exactly_its_capacity) {
  SpmcQueue<int> queue(8);
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(queue.size(), static_cast<std::size_t>(i));
    EXPECT_TRUE(queue.try_push(i));
  }
  EXPECT_FALSE(queue.try_push(8));
  EXPECT_EQ(queue.try_pop(), 0);
  EXPECT_TRUE(queue.try_push(8));
  EXPECT_FALSE(queue.try_push(9));
  EXPECT_EQ(queue.size(), 8u);
}

TEST(spmc_queue, tells_data_from_empty) {
  SpmcQueue<int> queue(2);
  PopState state = PopState::data;
  EXPECT_EQ(queue.try_pop(state), std::nullopt);
  EXPECT_EQ(state, PopState::empty);
  queue.try_push(7);
  EXPECT_EQ(queue.try_pop(state), 7);
  EXPECT_EQ(state, PopState::data);
}

/// Its move into a consumer's hands stops until it is told to continue.
struct SlowToMove {
  std::atomic<int>* gate = nullptr;
  explicit SlowToMove(std::atomic<int>* g) noexcept : gate(g) {}
  SlowToMove(SlowToMove&& other) noexcept : gate(other.gate) {
    if (gate && gate->load() == 1) {
      gate->store(2);
      while (gate->load() == 2) {
        std::this_thread::yield();
      }
    }
  }
};

TEST(spmc_queue, tells_a_lagging_consumer_from_an_empty_queue) {
  SpmcQueue<SlowToMove> queue(2);
  std::atomic<int> gate{0};
  queue.try_push(SlowToMove(&gate));
  queue.try_push(SlowToMove(nullptr));
  gate = 1;
  std::thread laggard([&] { EXPECT_TRUE(queue.try_pop()); });
  while (gate.load() != 2) {
    std::this_thread::yield();
  }
  PopState state = PopState::empty;
  EXPECT_TRUE(queue.try_pop(state));  // the second element is not held up by the first
  EXPECT_EQ(state, PopState::data);
  EXPECT_FALSE(queue.try_pop(state));
  EXPECT_EQ(state, PopState::lagging);
  EXPECT_FALSE(queue.try_push(SlowToMove(nullptr)));  // its slot is not free yet
  gate = 3;
  laggard.join();
  EXPECT_FALSE(queue.try_pop(state));
  EXPECT_EQ(state, PopState::empty);
  EXPECT_TRUE(queue.try_push(SlowToMove(nullptr)));
}

TEST(spmc_queue, leaves_the_value_alone_when_full) {
  SpmcQueue<std::unique_ptr<int>> queue(2);
  queue.try_push(std::make_unique<int>(1));
  queue.try_push(std::make_unique<int>(2));
  auto third = std::make_unique<int>(3);
  EXPECT_FALSE(queue.try_push(std::move(third)));
  ASSERT_NE(third, nullptr);
  EXPECT_EQ(**queue.try_pop(), 1);
  EXPECT_TRUE(queue.try_push(std::move(third)));
  EXPECT_EQ(third, nullptr);
}

TEST(spmc_queue, copies_lvalues) {
  SpmcQueue<std::string> queue(2);
  const std::string text(100, 'x');
  queue.try_push(text);
  EXPECT_EQ(text.size(), 100u);
  EXPECT_EQ(queue.try_pop(), text);
}

/// Counts how many of it exist, moved-from ones too.
struct CountedItem {
  int* alive;
  explicit CountedItem(int* count) noexcept : alive(count) { ++*alive; }
  CountedItem(const CountedItem& other) noexcept : alive(other.alive) { ++*alive; }
  ~CountedItem() { --*alive; }
};

TEST(spmc_queue, destroys_what_it_held) {
  int alive = 0;
  {
    SpmcQueue<CountedItem> queue(4);
    for (int i = 0; i < 4; ++i) {
      queue.try_push(CountedItem(&alive));
    }
    EXPECT_EQ(alive, 4);
    queue.try_pop();
    EXPECT_EQ(alive, 3);
    queue.try_push(CountedItem(&alive));
    EXPECT_EQ(alive, 4);
  }
  EXPECT_EQ(alive, 0);
}

void gives_each_element_to_exactly_one_consumer(std::size_t capacity, std::size_t consumers) {
  constexpr std::uint64_t kCount = 100'000;
  SpmcQueue<std::unique_ptr<std::uint64_t>> queue(capacity);
  std::atomic<bool> ended{false};
  std::vector<std::vector<std::uint64_t>> taken(consumers);
  std::vector<std::thread> threads;
  for (std::size_t c = 0; c < consumers; ++c) {
    threads.emplace_back([&, c] {
      for (;;) {
        const bool last_look = ended.load(std::memory_order_acquire);
        if (const auto value = queue.try_pop()) {
          taken[c].push_back(**value);
        } else if (last_look) {
          return;
        } else {
          std::this_thread::yield();
        }
      }
    });
  }
  for (std::uint64_t i = 0; i < kCount; ++i) {
    auto value = std::make_unique<std::uint64_t>(i);
    while (!queue.try_push(std::move(value))) {
      std::this_thread::yield();
    }
  }
  ended.store(true, std::memory_order_release);
  for (std::thread& thread : threads) {
    thread.join();
  }
  std::vector<std::uint64_t> all;
  for (const auto& mine : taken) {
    EXPECT_TRUE(std::is_sorted(mine.begin(), mine.end()));
    all.insert(all.end(), mine.begin(), mine.end());
  }
  std::sort(all.begin(), all.end());
  ASSERT_EQ(all.size(), kCount);
  for (std::uint64_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(all[i], i);
  }
}

TEST(spmc_queue, gives_each_element_to_exactly_one_of_four_consumers) {
  gives_each_element_to_exactly_one_consumer(64, 4);
}

TEST(spmc_queue, works_at_the_smallest_capacity) { gives_each_element_to_exactly_one_consumer(2, 3); }

TEST(spmc_queue, keeps_head_and_tail_on_lines_of_their_own) {
  EXPECT_EQ(alignof(SpmcQueue<int>), kCacheLine);
  EXPECT_GE(sizeof(SpmcQueue<int>), 3 * kCacheLine);
}

}  // namespace
}  // namespace penstock::inline v0
