#include "core/turn_lock.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace penstock::inline v0 {
namespace {

TEST(TurnLock, who_takes_it_again_at_once_lets_those_who_wait_go_first) {
  int in_between = 0;
  for (int time = 0; time < 10; ++time) {
    TurnLock lock;
    std::atomic<bool> asks{false};
    std::atomic<bool> had_it{false};
    lock.lock();
    std::thread other([&] {
      asks = true;
      const std::lock_guard held(lock);
      had_it = true;
    });
    while (!asks) {
      std::this_thread::yield();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // most likely it waits by now
    lock.unlock();
    lock.lock();
    in_between += had_it ? 1 : 0;
    lock.unlock();
    other.join();
  }
  EXPECT_GE(in_between, 5);
}

TEST(TurnLock, one_thread_at_a_time) {
  TurnLock lock;
  int sum = 0;  // a race would be seen by ThreadSanitizer, and lose some
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int time = 0; time < 500; ++time) {
        const std::lock_guard held(lock);
        ++sum;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(sum, 2000);
}

}  // namespace
}  // namespace penstock::inline v0
