#include "codecs/huffman_lookup.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace penstock::inline v0::detail {
namespace {

constexpr unsigned kLook = HuffmanLookup::kLookBits;

struct Table {
  std::array<std::uint8_t, 17> counts{};
  std::array<std::uint8_t, 256> symbols{};
};

/// A prefix code with room left at its end, as JPEG wants; short and long codes, any symbol.
Table random_table(std::mt19937& random) {
  Table table;
  unsigned free = 1;
  unsigned used = 0;
  for (unsigned length = 1; length <= 16; ++length) {
    free *= 2;
    const unsigned limit = std::min(free - 1, 256 - used);
    const unsigned count = limit == 0 ? 0 : static_cast<unsigned>(random() % (std::min(limit, 60u) + 1));
    table.counts[length] = static_cast<std::uint8_t>(count);
    free -= count;
    used += count;
  }
  for (std::uint8_t& symbol : table.symbols) {
    symbol = random() % 4 == 0 ? std::uint8_t{0xF0}
                               : static_cast<std::uint8_t>(random() % 3 == 0 ? random() : random() % 6);
  }
  return table;
}

struct Code {
  unsigned length = 0;
  unsigned symbol = 0;
};

/// Bit by bit, as the standard describes it.
Code read_code(const Table& table, std::uint32_t bits, unsigned available) {
  unsigned code = 0;
  unsigned first = 0;
  unsigned index = 0;
  for (unsigned length = 1; length <= std::min(available, 16u); ++length) {
    code = bits >> (available - length);
    if (code - first < table.counts[length]) {
      return {length, table.symbols[index + code - first]};
    }
    index += table.counts[length];
    first = (first + table.counts[length]) << 1;
  }
  return {};
}

int extend(unsigned bits, unsigned length) {
  return bits < (1u << (length - 1)) ? static_cast<int>(bits) - (1 << length) + 1 : static_cast<int>(bits);
}

TEST(HuffmanLookup, entries_say_what_the_codes_say) {
  std::mt19937 random(11);
  HuffmanLookup lookup;
  for (int round = 0; round < 60; ++round) {
    const Table table = random_table(random);
    lookup.build(table.counts.data(), table.symbols.data(), true);
    for (std::uint32_t bits = 0; bits < HuffmanLookup::kSize; ++bits) {
      unsigned at = 0;
      unsigned passed = 0;
      std::vector<std::pair<unsigned, int>> values;  // place and value, of codes that fit with their values
      unsigned length_of_two = 0;
      bool two_ends = false;
      bool ends = false;
      while (at < kLook && passed < 64 && !ends) {
        const Code code = read_code(table, bits & ((1u << (kLook - at)) - 1), kLook - at);
        if (code.length == 0) {
          break;
        }
        const unsigned size = code.symbol & 15;
        ends = size == 0 && code.symbol >> 4 != 15;
        passed += ends ? 0 : (code.symbol >> 4) + 1;
        at += code.length;
        if (at + size <= kLook && values.size() < 2 && !two_ends) {
          const unsigned raw = (bits >> (kLook - at - size)) & ((1u << size) - 1);
          if (ends) {
            two_ends = true;
          }
          values.emplace_back(passed, size == 0 ? 0 : extend(raw, size));
          length_of_two = at + size;
        }
        at += size;
      }
      const unsigned several = lookup.several()[bits];
      ASSERT_EQ(several & 63, at);
      ASSERT_EQ((several >> 8) & 127, at == 0 ? 127 : passed);
      ASSERT_EQ(several >> 15, ends ? 1 : 0);
      const std::uint64_t two = lookup.two()[bits];
      if (values.empty()) {
        ASSERT_EQ((two >> 16) & 255, 255u);
        continue;
      }
      ASSERT_EQ(two & 255, length_of_two);
      ASSERT_EQ((two >> 24) & 1, two_ends ? 1u : 0u);
      const auto& last = values.size() == 2 && !two_ends ? values[1] : values[0];
      const bool only_end = two_ends && values.size() == 1;
      ASSERT_EQ((two >> 8) & 255, only_end ? 1u : values[0].first);
      ASSERT_EQ((two >> 16) & 255, only_end ? 1u : last.first);
      ASSERT_EQ(static_cast<std::int16_t>(two >> 32), values[0].second);
      ASSERT_EQ(static_cast<std::int16_t>(two >> 48), last.second);
    }
  }
}

TEST(HuffmanLookup, long_codes_are_found) {
  std::mt19937 random(12);
  HuffmanLookup lookup;
  int found = 0;
  for (int round = 0; round < 50; ++round) {
    const Table table = random_table(random);
    lookup.build(table.counts.data(), table.symbols.data(), false);
    for (std::uint32_t bits = 0; bits < 1u << 16; bits += 3) {
      const Code code = read_code(table, bits, 16);
      const std::uint32_t entry = lookup.find_long(std::uint64_t{bits} << 48);
      ASSERT_EQ(entry == 0, code.length == 0);
      ASSERT_EQ(entry & 63, code.length + (code.symbol & 15));
      found += code.length > kLook ? 1 : 0;
    }
  }
  EXPECT_GT(found, 0);
}

}  // namespace
}  // namespace penstock::inline v0::detail
