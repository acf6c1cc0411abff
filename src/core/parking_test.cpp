#include "core/parking.hpp"

#include <gtest/gtest.h>
#include <time.h>

#include <optional>
#include <vector>

#include "core/spmc_queue.hpp"
#include "core/spsc_ring.hpp"

namespace penstock::inline v0 {
namespace {

using namespace std::chrono_literals;
using Clock = Parking::Clock;

/// Long enough for any loaded machine; a lost wake-up makes a test fail instead of hanging.
Clock::time_point patience() { return Clock::now() + 60s; }

double thread_cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

TEST(parking, gives_up_at_the_deadline) {
  Parking parking;
  const auto start = Clock::now();
  const Parking::Ticket ticket = parking.prepare();
  EXPECT_FALSE(parking.wait(ticket, start + 30ms));
  EXPECT_GE(Clock::now() - start, 30ms);
  EXPECT_EQ(parking.waiters(), 0u);
}

TEST(parking, does_not_sleep_when_woken_between_prepare_and_wait) {
  Parking parking;
  const Parking::Ticket first = parking.prepare();
  parking.wake_one();
  EXPECT_TRUE(parking.wait(first, patience()));
  const Parking::Ticket second = parking.prepare();
  parking.wake_all();
  EXPECT_TRUE(parking.wait(second, patience()));
}

TEST(parking, does_not_remember_wakes_from_before_prepare) {
  Parking parking;
  parking.wake_one();
  parking.wake_all();
  const Parking::Ticket ticket = parking.prepare();
  EXPECT_FALSE(parking.wait(ticket, Clock::now() + 5ms));
}

TEST(parking, counts_waiters) {
  Parking parking;
  static_cast<void>(parking.prepare());
  EXPECT_EQ(parking.waiters(), 1u);
  static_cast<void>(parking.prepare());
  EXPECT_EQ(parking.waiters(), 2u);
  parking.cancel();
  parking.cancel();
  EXPECT_EQ(parking.waiters(), 0u);
}

TEST(parking, wake_one_wakes_a_sleeper_each_time) {
  Parking parking;
  std::atomic<int> awake{0};
  std::vector<std::thread> sleepers;
  for (int i = 0; i < 3; ++i) {
    sleepers.emplace_back([&] {
      const Parking::Ticket ticket = parking.prepare();
      EXPECT_TRUE(parking.wait(ticket, patience()));
      ++awake;
    });
  }
  while (parking.waiters() < 3) {
    std::this_thread::yield();
  }
  for (int i = 0; i < 3; ++i) {
    parking.wake_one();
  }
  for (std::thread& thread : sleepers) {
    thread.join();
  }
  EXPECT_EQ(awake, 3);
}

TEST(parking, wake_all_wakes_every_sleeper) {
  Parking parking;
  std::atomic<bool> open{false};
  std::vector<std::thread> sleepers;
  for (int i = 0; i < 4; ++i) {
    sleepers.emplace_back([&] {
      EXPECT_TRUE(wait_until(
          parking, [&] { return open.load(); }, patience()));
    });
  }
  while (parking.waiters() < 4) {
    std::this_thread::yield();
  }
  open = true;
  parking.wake_all();
  for (std::thread& thread : sleepers) {
    thread.join();
  }
  EXPECT_EQ(parking.waiters(), 0u);
}

TEST(parking, wait_until_says_false_after_the_deadline) {
  Parking parking;
  EXPECT_FALSE(wait_until(
      parking, [] { return false; }, Clock::now() + 10ms));
  EXPECT_FALSE(wait_until(
      parking, [] { return false; }, Clock::now() - 1s));
  EXPECT_EQ(parking.waiters(), 0u);
}

TEST(parking, wait_until_asks_no_more_after_a_yes) {
  Parking parking;
  int asked = 0;
  EXPECT_TRUE(wait_until(parking, [&] { return ++asked == 1; }));
  EXPECT_EQ(asked, 1);
  asked = 0;
  EXPECT_TRUE(wait_until(parking, [&] { return ++asked == 101; }));  // the last look before sleeping
  EXPECT_EQ(asked, 101);
  EXPECT_EQ(parking.waiters(), 0u);
}

TEST(parking, an_idle_waiter_burns_no_cpu) {
  Parking parking;
  const double before = thread_cpu_seconds();
  EXPECT_FALSE(wait_until(
      parking, [] { return false; }, Clock::now() + 200ms));
  EXPECT_LT(thread_cpu_seconds() - before, 0.02);
}

/// Waits without the spinning, so that nearly every round goes through the handshake.
template <class Predicate>
bool park_until(Parking& parking, Predicate&& ready) {
  const auto deadline = patience();
  for (;;) {
    const Parking::Ticket ticket = parking.prepare();
    if (ready()) {
      parking.cancel();
      return true;
    }
    if (!parking.wait(ticket, deadline)) {
      return ready();
    }
  }
}

TEST(parking, loses_no_wake_up_in_a_ping_pong) {
  constexpr int kRounds = 20'000;
  SpscRing<int> there(2);
  SpscRing<int> back(2);
  Parking there_parking;
  Parking back_parking;
  std::thread echo([&] {
    for (int i = 0; i < kRounds; ++i) {
      std::optional<int> token;
      if (!park_until(there_parking, [&] { return (token = there.try_pop()).has_value(); })) {
        ADD_FAILURE() << "lost a wake-up on the way there, round " << i;
        return;
      }
      back.try_push(*token);
      back_parking.wake_one();
    }
  });
  for (int i = 0; i < kRounds; ++i) {
    there.try_push(i);
    there_parking.wake_one();
    std::optional<int> token;
    if (!park_until(back_parking, [&] { return (token = back.try_pop()).has_value(); })) {
      ADD_FAILURE() << "lost a wake-up on the way back, round " << i;
      break;
    }
    ASSERT_EQ(*token, i);
  }
  echo.join();
}

TEST(parking, feeds_many_consumers_through_a_small_queue) {
  constexpr int kCount = 30'000;
  SpmcQueue<int> queue(4);
  Parking filled;
  Parking freed;
  std::atomic<bool> ended{false};
  std::atomic<long> sum{0};
  std::vector<std::thread> consumers;
  for (int c = 0; c < 3; ++c) {
    consumers.emplace_back([&] {
      for (;;) {
        std::optional<int> item;
        const bool in_time = wait_until(
            filled,
            [&] {
              const bool last_look = ended.load();
              return (item = queue.try_pop()).has_value() || last_look;
            },
            patience());
        EXPECT_TRUE(in_time) << "lost a wake-up";
        if (!item) {
          return;
        }
        freed.wake_one();
        sum += *item;
      }
    });
  }
  for (int i = 1; i <= kCount; ++i) {
    ASSERT_TRUE(wait_until(
        freed, [&] { return queue.try_push(i); }, patience()));
    filled.wake_one();
  }
  ended = true;
  filled.wake_all();
  for (std::thread& thread : consumers) {
    thread.join();
  }
  EXPECT_EQ(sum, static_cast<long>(kCount) * (kCount + 1) / 2);
}

}  // namespace
}  // namespace penstock::inline v0
