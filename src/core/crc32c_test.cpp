#include "core/crc32c.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string_view>
#include <vector>

namespace penstock::inline v0 {
namespace {

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

TEST(crc32c, equals_published_values) {
  EXPECT_EQ(crc32c({}), 0u);
  EXPECT_EQ(crc32c(bytes_of("123456789")), 0xe3069283u);
  // RFC 3720, B.4.
  EXPECT_EQ(crc32c(std::vector<std::uint8_t>(32, 0)), 0x8a9136aau);
  EXPECT_EQ(crc32c(std::vector<std::uint8_t>(32, 0xFF)), 0x62a8ab43u);
}

TEST(crc32c, instruction_and_tables_agree_at_every_length_and_alignment) {
  std::mt19937 random(1);
  std::vector<std::uint8_t> bytes(20'000);
  for (auto& byte : bytes) {
    byte = static_cast<std::uint8_t>(random());
  }
  for (std::size_t begin = 0; begin < 9; ++begin) {
    // Short ones, and those around one and several rounds of three lanes.
    for (const std::size_t least : {0u, 3060u, 6130u, 18'400u}) {
      for (std::size_t size = least; size < least + 300; ++size) {
        const auto part = std::span<const std::uint8_t>(bytes).subspan(begin, size);
        ASSERT_EQ(crc32c(part, 7), detail::crc32c_portable(part, 7)) << size;
      }
    }
  }
}

TEST(crc32c, pieces_give_the_checksum_of_the_whole) {
  const auto whole = bytes_of("a store is a folder that penstock writes once");
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    ASSERT_EQ(crc32c(whole.subspan(cut), crc32c(whole.first(cut))), crc32c(whole));
  }
}

}  // namespace
}  // namespace penstock::inline v0
