#include "formats/field_value.hpp"

#include <gtest/gtest.h>

#include <string>

namespace penstock::inline v0 {
namespace {

Result<std::int64_t> parse(const std::string& text) {
  return integer_of({.bytes = {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}});
}

TEST(IntegerOf, reads_decimal_with_sign_and_white_space) {
  EXPECT_EQ(parse("12").value(), 12);
  EXPECT_EQ(parse(" -7\n").value(), -7);
  EXPECT_EQ(parse("+5").value(), 5);
  EXPECT_EQ(parse("9223372036854775807").value(), 9223372036854775807);
}

TEST(IntegerOf, refuses_everything_else) {
  for (const char* text : {"", " ", "x", "1.5", "12a", "+-3", "--1", "9223372036854775808", "0x10", "1 2"}) {
    const auto number = parse(text);
    ASSERT_FALSE(number) << text;
    EXPECT_EQ(number.error().kind, ErrorKind::corrupt) << text;
  }
}

TEST(IntegerOf, says_what_is_wrong) {
  EXPECT_EQ(parse("9223372036854775808").error().message, "'9223372036854775808' does not fit in 64 bits");
  EXPECT_EQ(parse("cat").error().message, "'cat' is not an integer");
  EXPECT_EQ(parse(std::string(39, 'x') + "\u00FC").error().message,
            "'" + std::string(20, 'x') + "..." + std::string(18, 'x') + "\u00FC' is not an integer");
}

TEST(CheckValue, refuses_what_a_loader_could_not_deliver) {
  const auto check = [](FieldKind kind, const std::string& text) {
    return check_value(kind, {.bytes = {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}});
  };
  EXPECT_FALSE(check(FieldKind::integer, "cat"));
  EXPECT_FALSE(check(FieldKind::json, "{"));
  EXPECT_FALSE(check(FieldKind::text, "\xFF"));
  EXPECT_TRUE(check(FieldKind::integer, "3\n"));
  EXPECT_TRUE(check(FieldKind::json, "{}"));
  EXPECT_TRUE(check(FieldKind::bytes, "\xFF{"));
  EXPECT_TRUE(check_value(FieldKind::integer, {.bytes = {}, .number = 3, .is_number = true}));
}

TEST(IntegerOf, takes_numbers_as_they_are) {
  EXPECT_EQ(integer_of({.bytes = {}, .number = 3, .is_number = true}).value(), 3);
}

}  // namespace
}  // namespace penstock::inline v0
