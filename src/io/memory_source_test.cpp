#include "io/memory_source.hpp"

#include <gtest/gtest.h>

#include "io/temporary_folder_for_test.hpp"

namespace penstock::inline v0 {
namespace {

TEST(memory_source, lends_its_bytes_and_refuses_ranges_past_the_end) {
  const MemorySource source("memory", {'a', 'b', 'c'});
  EXPECT_EQ(as_text(*source.read(1, 2)), "bc");
  EXPECT_TRUE(source.read(3, 0).ok());
  for (const auto& [offset, size] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
           {0, 4}, {3, 1}, {4, 0}, {UINT64_MAX, 2}, {2, UINT64_MAX}}) {
    EXPECT_EQ(source.read(offset, size).error().kind, ErrorKind::corrupt);
  }
}

}  // namespace
}  // namespace penstock::inline v0
