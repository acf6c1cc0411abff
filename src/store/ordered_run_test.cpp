#include "store/ordered_run.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

namespace penstock::inline v0 {
namespace {

/// Takes its time, so that results come out of order.
int slow_square(std::uint64_t number) {
  std::this_thread::sleep_for(std::chrono::microseconds(number * 7919 % 200));
  return static_cast<int>(number * number);
}

TEST(ordered_run, results_are_taken_in_order_once_each) {
  for (const unsigned threads : {1u, 2u, 7u}) {
    std::vector<int> taken;
    const Status status = run_in_order<int>(
        5, 300, {.threads = threads, .window = 4 * threads},
        [](std::size_t, std::uint64_t number) { return slow_square(number); },
        [](int) -> std::uint64_t { return 1; },
        [&](std::uint64_t number, int square) -> Status {
          EXPECT_EQ(square, static_cast<int>(number * number));
          taken.push_back(static_cast<int>(number));
          return {};
        });
    EXPECT_TRUE(status.ok());
    ASSERT_EQ(taken.size(), 295u);
    for (std::size_t i = 0; i < taken.size(); ++i) {
      EXPECT_EQ(taken[i], static_cast<int>(i) + 5);
    }
  }
}

TEST(ordered_run, waiting_results_stay_within_the_limits) {
  constexpr std::uint64_t kThreads = 4;
  std::atomic<std::uint64_t> made{0};
  std::atomic<std::uint64_t> taken{0};
  std::uint64_t most = 0;
  const Status status = run_in_order<int>(
      0, 200, {.threads = kThreads, .window = 64, .bytes = 1000},
      [&](std::size_t, std::uint64_t) {
        ++made;
        return 0;
      },
      [](int) -> std::uint64_t { return 100; },
      [&](std::uint64_t, int) -> Status {
        std::this_thread::sleep_for(std::chrono::microseconds(200));
        most = std::max(most, made.load() - taken.load());
        ++taken;
        return {};
      });
  EXPECT_TRUE(status.ok());
  EXPECT_LE(most, 1000 / 100 + kThreads);
}

TEST(ordered_run, one_result_above_the_limit_goes_through) {
  std::uint64_t taken = 0;
  EXPECT_TRUE(run_in_order<int>(
                  0, 20, {.threads = 3, .window = 8, .bytes = 10},
                  [](std::size_t, std::uint64_t) { return 0; }, [](int) -> std::uint64_t { return 1000; },
                  [&](std::uint64_t, int) -> Status {
                    ++taken;
                    return {};
                  })
                  .ok());
  EXPECT_EQ(taken, 20u);
}

TEST(ordered_run, first_error_in_order_ends_it) {
  for (const unsigned threads : {1u, 3u}) {
    std::uint64_t taken = 0;
    const Status status = run_in_order<int>(
        0, 1000, {.threads = threads, .window = 8},
        [](std::size_t, std::uint64_t number) { return slow_square(number); },
        [](int) -> std::uint64_t { return 1; },
        [&](std::uint64_t number, int) -> Status {
          ++taken;
          return number >= 40 ? Status(Error{.kind = ErrorKind::corrupt, .message = std::to_string(number)})
                              : Status();
        });
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().message, "40");
    EXPECT_EQ(taken, 41u);
  }
}

TEST(ordered_run, exceptions_reach_the_caller) {
  const auto run = [](bool while_making) {
    return run_in_order<int>(
        0, 100, {.threads = 3, .window = 8},
        [&](std::size_t, std::uint64_t number) {
          if (while_making && number == 30) {
            throw std::runtime_error("made");
          }
          return 0;
        },
        [](int) -> std::uint64_t { return 1; },
        [&](std::uint64_t number, int) -> Status {
          if (!while_making && number == 30) {
            throw std::runtime_error("taken");
          }
          return {};
        });
  };
  EXPECT_THROW((void)run(true), std::runtime_error);
  EXPECT_THROW((void)run(false), std::runtime_error);
}

}  // namespace
}  // namespace penstock::inline v0
