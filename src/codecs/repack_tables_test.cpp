// The code tables that repacked images share, and how they are learnt.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codecs/repacked.hpp"
#include "codecs/test_repacked.hpp"

namespace penstock::test {
namespace {

TEST(RepackTables, survive_serialising) {
  const Bytes bytes = serialise(*drawn_tables());
  const auto parsed = parse_repack_tables(bytes);
  ASSERT_TRUE(parsed.ok());
  EXPECT_TRUE(serialise(**parsed) == bytes);
}

TEST(RepackTables, damaged_ones_are_refused) {
  const Bytes bytes = serialise(*drawn_tables());
  for (std::size_t size = 0; size < bytes.size(); size += 97) {
    ASSERT_FALSE(parse_repack_tables(ByteSpan(bytes).first(size)).ok());
  }
  for (std::size_t at = 12; at < 12 + 20480; at += 31) {
    Bytes changed = bytes;
    changed[at] ^= 0x31;
    ASSERT_FALSE(parse_repack_tables(changed).ok()) << at;
  }
  Bytes newer = bytes;
  newer[4] = 2;
  EXPECT_EQ(parse_repack_tables(newer).error().kind, ErrorKind::unsupported);
}

TEST(RepackTables, large_dictionaries_are_refused) {
  Bytes bytes = serialise(*drawn_tables());
  const auto with_dictionary = [&](std::size_t size) {
    bytes.resize(12 + 20480 + size);
    for (std::size_t i = 0; i < 4; ++i) {
      bytes[8 + i] = static_cast<std::uint8_t>(size >> 8 * i);
    }
    return parse_repack_tables(bytes);
  };
  EXPECT_TRUE(with_dictionary(std::size_t{1} << 20).ok());
  const auto larger = with_dictionary((std::size_t{1} << 20) + 1);
  ASSERT_FALSE(larger.ok());
  EXPECT_THAT(larger.error().message, testing::HasSubstr("have a wrong size"));
}

TEST(RepackTrainer, depends_on_the_files_only) {
  const auto train = [](unsigned threads) {
    RepackTrainer trainer;
    for (const int quality : {50, 70, 80, 90}) {
      EXPECT_TRUE(trainer.add(*make_jpeg({.width = 80, .height = 60, .quality = quality})));
    }
    EXPECT_FALSE(trainer.add(Bytes{1, 2, 3}));
    EXPECT_FALSE(trainer.add(*make_jpeg({.width = 50, .height = 50, .color = JpegColor::cmyk})));
    return serialise(*trainer.train(threads));
  };
  EXPECT_TRUE(train(1) == train(3));
}

TEST(RepackTrainer, without_files_makes_tables_that_still_work) {
  const auto tables = RepackTrainer().train();
  ASSERT_NE(tables, nullptr);
  RepackEncoder encoder(tables);
  Bytes record;
  const auto file = make_jpeg({.width = 200, .height = 200, .quality = 95});
  const auto kept = encoder.encode(*file, RepackFidelity::file, record);
  EXPECT_TRUE(!kept || *kept == "larger");
}

}  // namespace
}  // namespace penstock::test
