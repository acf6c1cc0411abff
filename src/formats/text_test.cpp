#include "formats/text.hpp"

#include <gtest/gtest.h>

namespace penstock::inline v0 {
namespace {

TEST(text, parses_integers_as_python_does) {
  EXPECT_EQ(parse_integer(" 12\n"), 12);
  EXPECT_EQ(parse_integer("-3"), -3);
  EXPECT_EQ(parse_integer("+7\t"), 7);
  EXPECT_EQ(parse_integer("007"), 7);
  EXPECT_EQ(parse_integer("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(parse_integer("-9223372036854775808"), INT64_MIN);
  for (const char* bad :
       {"", " ", "x", "1 2", "1.0", "+-1", "--1", "+", "-", "9223372036854775808", "0x1", "1a"}) {
    EXPECT_EQ(parse_integer(bad), std::nullopt) << bad;
  }
}

TEST(text, parses_decimals_without_sign_or_space) {
  EXPECT_EQ(parse_decimal("18446744073709551615"), UINT64_MAX);
  for (const char* bad : {"", "-1", "+1", " 1", "1 ", "18446744073709551616"}) {
    EXPECT_EQ(parse_decimal(bad), std::nullopt) << bad;
  }
}

TEST(text, knows_integers_of_any_length) {
  for (const char* good : {"1", " -9223372036854775809\n", "+99999999999999999999999"}) {
    EXPECT_TRUE(is_integer(good)) << good;
  }
  for (const char* bad : {"", " ", "-", "+", "+-1", "--1", "1a", "1 2", "1.0"}) {
    EXPECT_FALSE(is_integer(bad)) << bad;
  }
}

}  // namespace
}  // namespace penstock::inline v0
