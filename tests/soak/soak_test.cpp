// Mixed loads with faults for PENSTOCK_SOAK_SECONDS: made for ThreadSanitizer, which sees what threads do to
// each other only when they meet in many ways. The seed is fixed; how threads meet is up to the system.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "soak_loads.hpp"

namespace penstock::inline v0 {
namespace {

std::chrono::seconds duration() {
  const char* const given = std::getenv("PENSTOCK_SOAK_SECONDS");
  return std::chrono::seconds(given == nullptr ? 2 : std::atoi(given));
}

std::ptrdiff_t threads_of_this_process() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

/// Once they are no more than that, or some seconds have passed: a thread that was joined may be listed for a
/// moment more.
std::ptrdiff_t threads_when_quiet(std::ptrdiff_t wanted) {
  for (int wait = 0; wait < 500 && threads_of_this_process() > wanted; ++wait) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return threads_of_this_process();
}

TEST(Soak, no_row_is_lost_repeated_or_different_and_no_thread_stays) {
  constexpr std::size_t kAtATime = 2;
  SoakData data;
  std::mt19937_64 random(1);
  std::thread([] {}).join();  // with the first of all threads ThreadSanitizer starts one of its own
  const std::ptrdiff_t before = threads_of_this_process();
  const auto end = std::chrono::steady_clock::now() + duration();
  std::uint64_t rounds = 0;
  // Every load once at least, however slow the machine is.
  while ((std::chrono::steady_clock::now() < end || rounds < SoakLoad::count()) && !HasFailure()) {
    std::vector<std::thread> threads;
    for (std::size_t slot = 0; slot < kAtATime; ++slot) {
      const std::size_t number = slot == 0 ? rounds % SoakLoad::count() : random() % SoakLoad::count();
      threads.emplace_back([&data, number, seed = random()] {
        try {
          SoakLoad(data, seed).run(number);
        } catch (const std::exception& error) {
          ADD_FAILURE() << SoakLoad::name(number) << ", seed " << seed << ": " << error.what();
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    ASSERT_EQ(threads_when_quiet(before), before) << "after round " << rounds;
    ++rounds;
  }
  RecordProperty("rounds", std::to_string(rounds));
}

}  // namespace
}  // namespace penstock::inline v0
