#include "store/ordered_run.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <span>
#include <stdexcept>
#include <thread>
#include <vector>

namespace penstock::inline v0 {
namespace {

/// Takes its time, so that results come out of order.
int slow_square(std::uint64_t number) {
  std::this_thread::sleep_for(std::chrono::microseconds(number * 7919 % 200));
  return static_cast<int>(number * number);
}

TEST(ordered_run, results_are_written_in_order_once_each) {
  for (const unsigned threads : {1u, 2u, 7u}) {
    std::vector<int> slots(4 * threads);
    std::vector<int> written;
    std::vector<double> waited(threads, 0);
    const Status status = run_in_order(
        5, 300, {.threads = threads, .waited = waited}, std::span(slots),
        [](std::size_t, std::uint64_t number, int& square) { square = slow_square(number); },
        [](int) -> std::uint64_t { return 1; },
        [&](std::size_t worker, std::uint64_t number, int& square) -> Status {
          EXPECT_LT(worker, threads);
          EXPECT_EQ(square, static_cast<int>(number * number));
          written.push_back(static_cast<int>(number));
          return {};
        });
    EXPECT_TRUE(status.ok());
    ASSERT_EQ(written.size(), 295u);
    for (std::size_t i = 0; i < written.size(); ++i) {
      EXPECT_EQ(written[i], static_cast<int>(i) + 5);
    }
  }
}

TEST(ordered_run, a_slot_belongs_to_one_item_until_it_is_written) {
  std::vector<std::uint64_t> slots(3);
  const Status status = run_in_order(
      0, 500, {.threads = 5}, std::span(slots),
      [](std::size_t, std::uint64_t number, std::uint64_t& slot) {
        slot = number;
        slow_square(number);
      },
      [](std::uint64_t) -> std::uint64_t { return 0; },
      [](std::size_t, std::uint64_t number, std::uint64_t& slot) -> Status {
        slow_square(number);
        EXPECT_EQ(slot, number);
        return {};
      });
  EXPECT_TRUE(status.ok());
}

TEST(ordered_run, waiting_results_stay_within_the_limits) {
  constexpr std::uint64_t kThreads = 4;
  std::atomic<std::uint64_t> made{0};
  std::atomic<std::uint64_t> written{0};
  std::uint64_t most = 0;
  std::vector<int> slots(64);
  std::vector<double> waited(kThreads, 0);
  const Status status = run_in_order(
      0, 200, {.threads = kThreads, .bytes = 1000, .waited = waited}, std::span(slots),
      [&](std::size_t, std::uint64_t, int&) { ++made; }, [](int) -> std::uint64_t { return 100; },
      [&](std::size_t, std::uint64_t, int&) -> Status {
        std::this_thread::sleep_for(std::chrono::microseconds(200));
        most = std::max(most, made.load() - written.load());
        ++written;
        return {};
      });
  EXPECT_TRUE(status.ok());
  EXPECT_LE(most, 1000 / 100 + kThreads);
  EXPECT_GT(std::accumulate(waited.begin(), waited.end(), 0.0), 0.0);
}

TEST(ordered_run, one_result_above_the_limit_goes_through) {
  std::uint64_t written = 0;
  std::vector<int> slots(8);
  EXPECT_TRUE(run_in_order(
                  0, 20, {.threads = 3, .bytes = 10}, std::span(slots),
                  [](std::size_t, std::uint64_t, int&) {}, [](int) -> std::uint64_t { return 1000; },
                  [&](std::size_t, std::uint64_t, int&) -> Status {
                    ++written;
                    return {};
                  })
                  .ok());
  EXPECT_EQ(written, 20u);
}

TEST(ordered_run, first_error_in_order_ends_it) {
  for (const unsigned threads : {1u, 3u}) {
    std::uint64_t written = 0;
    std::vector<int> slots(8);
    const Status status = run_in_order(
        0, 1000, {.threads = threads}, std::span(slots),
        [](std::size_t, std::uint64_t number, int& square) { square = slow_square(number); },
        [](int) -> std::uint64_t { return 1; },
        [&](std::size_t, std::uint64_t number, int&) -> Status {
          ++written;
          return number >= 40 ? Status(Error{.kind = ErrorKind::corrupt, .message = std::to_string(number)})
                              : Status();
        });
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().message, "40");
    EXPECT_EQ(written, 41u);
  }
}

TEST(ordered_run, exceptions_reach_the_caller) {
  const auto run = [](bool while_making) {
    std::vector<int> slots(8);
    return run_in_order(
        0, 100, {.threads = 3}, std::span(slots),
        [&](std::size_t, std::uint64_t number, int&) {
          if (while_making && number == 30) {
            throw std::runtime_error("made");
          }
        },
        [](int) -> std::uint64_t { return 1; },
        [&](std::size_t, std::uint64_t number, int&) -> Status {
          if (!while_making && number == 30) {
            throw std::runtime_error("written");
          }
          return {};
        });
  };
  EXPECT_THROW((void)run(true), std::runtime_error);
  EXPECT_THROW((void)run(false), std::runtime_error);
}

}  // namespace
}  // namespace penstock::inline v0
