#include "formats/text.hpp"

#include <gtest/gtest.h>

namespace penstock {
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

TEST(text, cuts_between_characters) {
  EXPECT_EQ(printable("a\u00FC", 2), "a...");
  EXPECT_EQ(printable("a\u00FC", 3), "a\u00FC");
  EXPECT_EQ(printable("a\U0001F600b", 4), "a...");
  EXPECT_EQ(printable("a\U0001F600b", 5), "a\U0001F600...");
  EXPECT_EQ(printable(std::string(9, '\x80'), 4), std::string(4, '\x80') + "...") << "not UTF-8";
}

TEST(text, shows_hostile_names_safely) {
  EXPECT_EQ(printable("a\x1B[31m\n"), "a?[31m?");
  EXPECT_EQ(printable(std::string(500, 'x')), std::string(120, 'x') + "...");
}

}  // namespace
}  // namespace penstock
