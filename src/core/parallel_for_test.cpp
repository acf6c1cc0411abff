#include "core/parallel_for.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace penstock::inline v0 {
namespace {

TEST(parallel_for, takes_each_index_exactly_once) {
  for (const unsigned threads : {0u, 1u, 2u, 5u, 64u}) {
    for (const std::size_t count : {0u, 1u, 2u, 7u, 1000u}) {
      std::vector<std::atomic<int>> taken(count);
      parallel_for(count, threads, [&](std::size_t i) { ++taken.at(i); });
      for (const auto& times : taken) {
        ASSERT_EQ(times, 1);
      }
    }
  }
}

TEST(parallel_for, one_thread_is_the_caller_in_order) {
  const std::thread::id caller = std::this_thread::get_id();
  std::vector<std::size_t> order;
  parallel_for(5, 1, [&](std::size_t i) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    order.push_back(i);
  });
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
}

TEST(parallel_for, really_runs_on_several_threads) {
  std::atomic<int> present{0};
  parallel_for(3, 3, [&](std::size_t) {
    ++present;
    while (present < 3) {  // ends only if all three are inside at once
      std::this_thread::yield();
    }
  });
  EXPECT_EQ(present, 3);
}

TEST(parallel_for, uses_no_more_threads_than_asked_for) {
  std::mutex mutex;
  std::set<std::thread::id> seen;
  parallel_for(2000, 3, [&](std::size_t) {
    const std::lock_guard lock(mutex);
    seen.insert(std::this_thread::get_id());
  });
  EXPECT_LE(seen.size(), 3u);
}

TEST(parallel_for, carries_an_exception_to_the_caller) {
  for (const unsigned threads : {1u, 4u}) {
    std::atomic<int> calls{0};
    try {
      parallel_for(100'000, threads, [&](std::size_t i) {
        ++calls;
        if (i == 10) {
          throw std::runtime_error("shard 10");
        }
      });
      ADD_FAILURE() << "swallowed the exception";
    } catch (const std::runtime_error& e) {
      EXPECT_STREQ(e.what(), "shard 10");
    }
    if (threads == 1) {
      EXPECT_EQ(calls, 11);
    }
  }
}

TEST(parallel_for, carries_one_of_many_exceptions) {
  EXPECT_THROW(parallel_for(100, 4, [](std::size_t) { throw std::logic_error("each"); }), std::logic_error);
}

}  // namespace
}  // namespace penstock::inline v0
