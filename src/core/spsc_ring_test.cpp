#include "core/spsc_ring.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>

namespace penstock::inline v0 {
namespace {

TEST(spsc_ring, refuses_capacities_that_are_no_power_of_two) {
  for (const std::size_t capacity : {0u, 1u, 3u, 6u, 100u, 1023u}) {
    try {
      SpscRing<int> ring(capacity);
      ADD_FAILURE() << "accepted " << capacity;
    } catch (const std::invalid_argument& e) {
      EXPECT_THAT(e.what(), testing::HasSubstr("got " + std::to_string(capacity)));
    }
  }
  EXPECT_EQ(SpscRing<int>(2).capacity(), 2u);
  EXPECT_EQ(SpscRing<int>(1024).capacity(), 1024u);
}

TEST(spsc_ring, returns_elements_in_order_over_many_laps) {
  SpscRing<int> ring(4);
  int pushed = 0;
  int popped = 0;
  for (int lap = 0; lap < 100; ++lap) {
    for (int i = 0; i < 1 + lap % 4; ++i) {
      ASSERT_TRUE(ring.try_push(pushed++));
    }
    while (const auto value = ring.try_pop()) {
      ASSERT_EQ(*value, popped++);
    }
  }
  EXPECT_EQ(pushed, popped);
}

TEST(spsc_ring, holds_exactly_its_capacity) {
  SpscRing<int> ring(8);
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(ring.size(), static_cast<std::size_t>(i));
    EXPECT_TRUE(ring.try_push(i));
  }
  EXPECT_FALSE(ring.try_push(8));
  EXPECT_EQ(ring.try_pop(), 0);
  EXPECT_TRUE(ring.try_push(8));
  EXPECT_FALSE(ring.try_push(9));
  EXPECT_EQ(ring.size(), 8u);
}

TEST(spsc_ring, says_when_empty) {
  SpscRing<int> ring(2);
  EXPECT_EQ(ring.try_pop(), std::nullopt);
  ring.try_push(1);
  EXPECT_EQ(ring.try_pop(), 1);
  EXPECT_EQ(ring.try_pop(), std::nullopt);
}

TEST(spsc_ring, leaves_the_value_alone_when_full) {
  SpscRing<std::unique_ptr<int>> ring(2);
  ring.try_push(std::make_unique<int>(1));
  ring.try_push(std::make_unique<int>(2));
  auto third = std::make_unique<int>(3);
  EXPECT_FALSE(ring.try_push(std::move(third)));
  ASSERT_NE(third, nullptr);
  EXPECT_EQ(**ring.try_pop(), 1);
  EXPECT_TRUE(ring.try_push(std::move(third)));
  EXPECT_EQ(third, nullptr);
}

TEST(spsc_ring, copies_lvalues) {
  SpscRing<std::string> ring(2);
  const std::string text(100, 'x');
  ring.try_push(text);
  EXPECT_EQ(text.size(), 100u);
  EXPECT_EQ(ring.try_pop(), text);
}

/// Counts how many of it exist, moved-from ones too.
struct Counted {
  int* alive;
  explicit Counted(int* count) noexcept : alive(count) { ++*alive; }
  Counted(const Counted& other) noexcept : alive(other.alive) { ++*alive; }
  ~Counted() { --*alive; }
};

TEST(spsc_ring, destroys_what_it_held) {
  int alive = 0;
  {
    SpscRing<Counted> ring(4);
    for (int i = 0; i < 4; ++i) {
      ring.try_push(Counted(&alive));
    }
    EXPECT_EQ(alive, 4);
    ring.try_pop();
    EXPECT_EQ(alive, 3);
    ring.try_push(Counted(&alive));
    EXPECT_EQ(alive, 4);
  }
  EXPECT_EQ(alive, 0);
}

TEST(spsc_ring, carries_everything_between_two_threads) {
  constexpr std::uint64_t kCount = 200'000;
  SpscRing<std::unique_ptr<std::uint64_t>> ring(16);
  std::thread producer([&ring] {
    for (std::uint64_t i = 0; i < kCount; ++i) {
      auto value = std::make_unique<std::uint64_t>(i);
      while (!ring.try_push(std::move(value))) {
        std::this_thread::yield();
      }
    }
  });
  bool in_order = true;
  for (std::uint64_t i = 0; i < kCount;) {
    if (const auto value = ring.try_pop()) {
      in_order = in_order && **value == i;
      ++i;
    } else {
      std::this_thread::yield();
    }
  }
  producer.join();
  EXPECT_TRUE(in_order);
  EXPECT_EQ(ring.try_pop(), std::nullopt);
}

TEST(spsc_ring, keeps_its_two_sides_on_lines_of_their_own) {
  EXPECT_EQ(alignof(SpscRing<int>), kCacheLine);
  EXPECT_GE(sizeof(SpscRing<int>), 3 * kCacheLine);
}

}  // namespace
}  // namespace penstock::inline v0
