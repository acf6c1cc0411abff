#include "core/scratch.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

namespace penstock::inline v0 {
namespace {

TEST(scratch, gives_aligned_memory_with_slack) {
  for (const std::size_t size : {0u, 1u, 63u, 64u, 65u, 100'000u}) {
    Scratch scratch;
    std::uint8_t* const data = scratch.reserve(size);
    ASSERT_NE(data, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % Scratch::kAlignment, 0u);
    EXPECT_GE(scratch.capacity(), size + Scratch::kSlack);
    std::memset(data, 0xAB, size + Scratch::kSlack);
  }
}

TEST(scratch, keeps_its_memory_for_smaller_requests) {
  Scratch scratch;
  std::uint8_t* const data = scratch.reserve(1000);
  data[999] = 42;
  EXPECT_EQ(scratch.reserve(10), data);
  EXPECT_EQ(scratch.reserve(1000), data);
  EXPECT_EQ(scratch.data()[999], 42);
}

TEST(scratch, grows_when_asked_for_more) {
  Scratch scratch;
  scratch.reserve(10);
  std::uint8_t* const data = scratch.reserve(100'000);
  std::memset(data, 1, 100'000 + Scratch::kSlack);
  EXPECT_GE(scratch.capacity(), 100'000 + Scratch::kSlack);
}

TEST(scratch, gives_memory_back) {
  Scratch scratch;
  scratch.reserve(1000);
  scratch.release();
  EXPECT_EQ(scratch.data(), nullptr);
  EXPECT_EQ(scratch.capacity(), 0u);
  EXPECT_NE(scratch.reserve(5), nullptr);
}

TEST(scratch, refuses_sizes_that_do_not_exist_and_lives_on) {
  Scratch scratch;
  for (const std::size_t spare : {std::size_t{0}, std::size_t{63}, std::size_t{64}, std::size_t{1000}}) {
    EXPECT_THROW(scratch.reserve(std::numeric_limits<std::size_t>::max() - spare), std::bad_alloc);
  }
  EXPECT_NE(scratch.reserve(5), nullptr);
}

}  // namespace
}  // namespace penstock::inline v0
