#include "core/out_of_memory.hpp"

#include <gtest/gtest.h>

#include "core/buffer_pool.hpp"
#include "core/scratch.hpp"

namespace penstock::inline v0 {
namespace {

template <class Ask>
std::string words_of(Ask ask) {
  try {
    ask();
  } catch (const std::bad_alloc& lack) {
    return lack.what();
  }
  return "nothing was thrown";
}

TEST(OutOfMemory, sizes_are_written_with_their_unit) {
  EXPECT_EQ(as_size(999), "999 bytes");
  EXPECT_EQ(as_size(1'540'000'000), "1.5 GB");
}

TEST(OutOfMemory, says_how_much_was_wanted_and_for_what) {
  EXPECT_STREQ(OutOfMemory("a batch", 2000, "use a smaller one").what(),
               "not enough memory for a batch, 2.0 kB; use a smaller one");
  EXPECT_STREQ(OutOfMemory("a batch", 2000).what(), "not enough memory for a batch, 2.0 kB");
  EXPECT_EQ(std::string(OutOfMemory(std::string(1000, 'x'), 1).what()).size(), 399u)
      << "cut off, not overrun";
}

TEST(OutOfMemory, is_what_buffers_throw) {
  BufferPool pool;
  EXPECT_EQ(words_of([&] { pool.acquire(std::size_t{1} << 60); }),
            "not enough memory for a buffer, 1152.9 PB");
  Scratch scratch;
  EXPECT_EQ(words_of([&] { scratch.reserve(~std::size_t{0}); }),
            "not enough memory for working memory, 18446.7 PB");
}

}  // namespace
}  // namespace penstock::inline v0
