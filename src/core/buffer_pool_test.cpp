#include "core/buffer_pool.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <optional>
#include <thread>
#include <vector>

#include "core/counting_new_for_test.hpp"

namespace penstock::inline v0 {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

long page_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

TEST(buffer_pool, gives_aligned_memory_with_slack_of_every_size) {
  BufferPool pool;
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{63}, std::size_t{64}, std::size_t{65}, std::size_t{5000},
        kMiB - 1, kMiB, kMiB + 1, 4 * kMiB - 1, 4 * kMiB, 19 * kMiB + 12345}) {
    const Slab slab = pool.acquire(size);
    ASSERT_TRUE(slab);
    EXPECT_EQ(slab.size(), size);
    const std::size_t alignment = size >= BufferPool::kMapFrom ? 4096 : Slab::kAlignment;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(slab.data()) % alignment, 0u) << size;
    std::memset(slab.data(), 0x5A, size + Slab::kSlack);
    EXPECT_EQ(slab.data()[size + Slab::kSlack - 1], 0x5A);
  }
}

TEST(buffer_pool, page_alignment_holds_for_buffers_that_served_smaller_requests) {
  BufferPool pool;
  pool.acquire(kMiB - 1).reset();
  const Slab slab = pool.acquire(kMiB);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(slab.data()) % 4096, 0u);
}

TEST(buffer_pool, uses_memory_again) {
  BufferPool pool;
  for (const std::size_t size : {std::size_t{1000}, 2 * kMiB, 8 * kMiB}) {
    Slab slab = pool.acquire(size);
    std::uint8_t* const data = slab.data();
    data[0] = 77;
    slab.reset();
    const Slab again = pool.acquire(size);
    EXPECT_EQ(again.data(), data);
    EXPECT_EQ(again.data()[0], 77);  // and does not zero it
  }
}

TEST(buffer_pool, never_hands_out_memory_in_use) {
  BufferPool pool;
  std::vector<Slab> held;
  for (int i = 0; i < 50; ++i) {
    held.push_back(pool.acquire(10'000));
    std::memset(held.back().data(), i, 10'000 + Slab::kSlack);
    if (i % 3 == 0) {
      pool.acquire(10'000);
    }
  }
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(held[i].data()[0], i);
    EXPECT_EQ(held[i].data()[9'999], i);
  }
  EXPECT_EQ(pool.stats().slabs_in_use, 50u);
}

TEST(buffer_pool, last_of_several_handles_gives_back) {
  BufferPool pool;
  Slab first = pool.acquire(100);
  Slab second = first;
  EXPECT_EQ(first.data(), second.data());
  EXPECT_EQ(first.holders(), 2u);
  Slab third = std::move(second);
  EXPECT_FALSE(second);
  EXPECT_EQ(first.holders(), 2u);
  first.reset();
  EXPECT_EQ(first.data(), nullptr);
  EXPECT_EQ(first.size(), 0u);
  EXPECT_EQ(pool.stats().slabs_in_use, 1u);
  third = Slab();
  EXPECT_EQ(pool.stats().slabs_in_use, 0u);
  EXPECT_EQ(pool.stats().slabs_free, 1u);
}

TEST(buffer_pool, survives_assignment_to_itself) {
  BufferPool pool;
  Slab slab = pool.acquire(100);
  Slab& same = slab;
  slab = same;
  EXPECT_EQ(slab.holders(), 1u);
  slab = std::move(same);
  EXPECT_EQ(slab.holders(), 1u);
}

TEST(buffer_pool, handles_may_outlive_the_pool) {
  std::optional<BufferPool> pool(std::in_place);
  Slab small = pool->acquire(100);
  Slab big = pool->acquire(5 * kMiB);
  pool->acquire(100).reset();
  pool.reset();
  std::memset(small.data(), 1, 100 + Slab::kSlack);
  std::memset(big.data(), 1, 5 * kMiB + Slab::kSlack);
  Slab copy = big;
  big.reset();
  EXPECT_EQ(copy.data()[5 * kMiB - 1], 1);
}

TEST(buffer_pool, a_steady_state_allocates_nothing) {
  BufferPool pool(4);
  const auto cycle = [&pool] {  // two batches in flight, a kept copy, small and big, sizes that vary a little
    for (std::size_t i = 0; i < 50; ++i) {
      Slab first = pool.acquire(6 * kMiB - i % 7 * 1000);
      const Slab second = pool.acquire(6 * kMiB);
      const Slab labels = pool.acquire(256 + i % 3);
      const Slab kept = first;
      first.reset();
      kept.data()[0] = second.data()[i * 4096 + 100] = labels.data()[0] = 1;
      for (std::size_t at = 0; at < 6 * kMiB - 6000; at += 4096) {
        kept.data()[at] = 1;
        second.data()[at] = 1;
      }
    }
  };
  cycle();
  const BufferPoolStats before = pool.stats();
  const std::uint64_t news_before = allocations;
  const long faults_before = page_faults();
  for (int i = 0; i < 20; ++i) {
    cycle();
  }
  EXPECT_EQ(allocations - news_before, 0u);
  EXPECT_EQ(pool.stats().allocations, before.allocations);
  EXPECT_EQ(pool.stats().acquisitions, before.acquisitions + 20 * 150);
  EXPECT_EQ(pool.stats().bytes_allocated(), before.bytes_allocated());
  EXPECT_LT(page_faults() - faults_before, 1000);  // fresh memory would fault on every page: 3 million times
}

TEST(buffer_pool, takes_the_smallest_buffer_that_will_do) {
  BufferPool pool;
  Slab big = pool.acquire(3 * kMiB);
  Slab middle = pool.acquire(2 * kMiB);
  Slab small = pool.acquire(kMiB);
  std::uint8_t* const expected = middle.data();
  big.reset();
  middle.reset();
  small.reset();
  EXPECT_EQ(pool.acquire(3 * kMiB / 2).data(), expected);
}

TEST(buffer_pool, does_not_waste_a_far_too_big_buffer) {
  BufferPool pool;
  pool.acquire(10 * kMiB).reset();
  EXPECT_EQ(pool.acquire(5 * kMiB).size(), 5 * kMiB);
  EXPECT_EQ(pool.stats().allocations, 1u);
  pool.acquire(4 * kMiB).reset();
  EXPECT_EQ(pool.stats().allocations, 2u);
  pool.acquire(1).reset();
  EXPECT_EQ(pool.stats().allocations, 3u);
}

TEST(buffer_pool, keeps_no_more_free_buffers_than_told) {
  BufferPool pool(3);
  std::vector<Slab> held;
  for (int i = 0; i < 10; ++i) {
    held.push_back(pool.acquire(1000));
  }
  held.clear();
  EXPECT_EQ(pool.stats().slabs_free, 3u);
  pool.set_keep_free(1);
  EXPECT_EQ(pool.stats().slabs_free, 1u);
  pool.set_keep_free(0);
  EXPECT_EQ(pool.stats(), (BufferPoolStats{.allocations = 10, .acquisitions = 10}));
  pool.acquire(1000).reset();
  EXPECT_EQ(pool.stats().slabs_free, 0u);
}

TEST(buffer_pool, lets_go_of_the_buffer_unused_for_longest) {
  BufferPool pool(2);
  Slab old = pool.acquire(100'000);
  Slab recent = pool.acquire(10'000);
  Slab last = pool.acquire(1'000);
  old.reset();
  recent.reset();
  last.reset();
  const std::uint64_t allocations = pool.stats().allocations;
  const Slab a = pool.acquire(10'000);
  const Slab b = pool.acquire(1'000);
  EXPECT_EQ(pool.stats().allocations, allocations);
  const Slab c = pool.acquire(100'000);
  EXPECT_EQ(pool.stats().allocations, allocations + 1);
}

TEST(buffer_pool, counts_bytes) {
  BufferPool pool;
  Slab slab = pool.acquire(64);
  EXPECT_EQ(pool.stats().bytes_in_use, 64u);
  EXPECT_EQ(pool.stats().bytes_free, 0u);
  slab.reset();
  EXPECT_EQ(pool.stats().bytes_in_use, 0u);
  EXPECT_EQ(pool.stats().bytes_free, 64u);
  EXPECT_EQ(pool.stats().bytes_allocated(), 64u);
  EXPECT_EQ(pool.stats().allocations, 1u);
}

TEST(buffer_pool, throws_when_there_is_no_such_memory_and_lives_on) {
  BufferPool pool;
  EXPECT_THROW(pool.acquire(std::numeric_limits<std::size_t>::max()), std::bad_alloc);
  EXPECT_THROW(pool.acquire(std::size_t{1} << 60), std::bad_alloc);
  EXPECT_EQ(pool.stats(), BufferPoolStats{});
  EXPECT_TRUE(pool.acquire(10));
}

TEST(buffer_pool, takes_buffers_back_from_any_thread) {
  BufferPool pool(4);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&pool, t] {
      for (unsigned i = 0; i < 300; ++i) {
        const std::size_t size = 1000 + 500 * (i % 5);
        Slab slab = pool.acquire(size);
        std::memset(slab.data(), static_cast<int>(t), size);
        std::thread other;
        if (i % 50 == 0) {
          other = std::thread([copy = slab, t] { EXPECT_EQ(copy.data()[0], t); });
        }
        EXPECT_TRUE(std::all_of(slab.data(), slab.data() + size, [t](std::uint8_t b) { return b == t; }));
        slab.reset();
        if (other.joinable()) {
          other.join();
        }
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(pool.stats().slabs_in_use, 0u);
  EXPECT_LE(pool.stats().slabs_free, 4u);
}

}  // namespace
}  // namespace penstock::inline v0
