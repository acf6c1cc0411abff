#include "io/faulty_source.hpp"

#include <gtest/gtest.h>

#include "io/memory_source.hpp"
#include "io/temporary_folder_for_test.hpp"

namespace penstock::inline v0 {
namespace {

FaultySource with(std::vector<Fault> faults) {
  return FaultySource(
      std::make_unique<MemorySource>("m", std::vector<std::uint8_t>{'0', '1', '2', '3', '4', '5'}),
      std::move(faults));
}

TEST(faulty_source, without_faults_copies_into_the_scratch) {
  const FaultySource source = with({});
  Scratch scratch;
  const auto bytes = source.read(2, 3, scratch);
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(as_text(*bytes), "234");
  EXPECT_EQ(bytes->data(), scratch.data());
  EXPECT_EQ(source.reads(), 1u);
}

TEST(faulty_source, fails_reads_that_touch_an_offset) {
  const FaultySource source = with({{.offset = 3, .error = ErrorKind::timeout}});
  Scratch scratch;
  EXPECT_TRUE(source.read(0, 3, scratch).ok());
  EXPECT_TRUE(source.read(4, 2, scratch).ok());
  const auto struck = source.read(2, 2, scratch);
  ASSERT_FALSE(struck.ok());
  EXPECT_EQ(struck.error().kind, ErrorKind::timeout);
  EXPECT_EQ(struck.error().place.offset, 2u);
}

TEST(faulty_source, fails_only_the_reads_asked_for) {
  const FaultySource source = with({{.after = 1, .times = 2}});
  Scratch scratch;
  std::string seen;
  for (int i = 0; i < 5; ++i) {
    seen += source.read(0, 1, scratch).ok() ? '.' : 'x';
  }
  EXPECT_EQ(seen, ".xx..");
}

TEST(faulty_source, shortens_and_delays) {
  using namespace std::chrono_literals;
  const FaultySource source = with({{.kind = Fault::Kind::shorten, .length = 4},
                                    {.kind = Fault::Kind::delay, .offset = 0, .delay = 20ms}});
  Scratch scratch;
  EXPECT_EQ(source.read(2, 3, scratch).error().kind, ErrorKind::corrupt);
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_TRUE(source.read(0, 4, scratch).ok());
  EXPECT_GE(std::chrono::steady_clock::now() - begun, 20ms);
}

}  // namespace
}  // namespace penstock::inline v0
