#include "formats/field_value.hpp"

#include <gtest/gtest.h>

#include <cmath>

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
    return check_value(FieldSpec::of({"x", kind}),
                       {.bytes = {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}});
  };
  EXPECT_FALSE(check(FieldKind::integer, "cat"));
  EXPECT_FALSE(check(FieldKind::json, "{"));
  EXPECT_FALSE(check(FieldKind::text, "\xFF"));
  EXPECT_TRUE(check(FieldKind::integer, "3\n"));
  EXPECT_TRUE(check(FieldKind::json, "{}"));
  EXPECT_TRUE(check(FieldKind::bytes, "\xFF{"));
  EXPECT_TRUE(check_value(FieldSpec::of({"x", FieldKind::integer}), {.bytes = {}, .number = 3}));
}

TEST(IntegerOf, takes_numbers_as_they_are) { EXPECT_EQ(integer_of({.bytes = {}, .number = 3}).value(), 3); }

TEST(real_of, reads_numbers_as_python_does) {
  const auto real = [](std::string_view text) {
    return real_of({.bytes = {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}});
  };
  EXPECT_EQ(*real("0.5"), 0.5);
  EXPECT_EQ(*real(" -1e3\n"), -1000.0);
  EXPECT_EQ(*real("+3"), 3.0);
  EXPECT_EQ(*real(".25"), 0.25);
  EXPECT_EQ(*real("0.1"), 0.1);
  EXPECT_EQ(*real("1e-999"), 0.0);
  EXPECT_EQ(*real("-inf"), -HUGE_VAL);
  EXPECT_EQ(*real("Infinity"), HUGE_VAL);
  EXPECT_TRUE(std::isnan(*real("nan")));
  for (const char* const text : {"", " ", "x", "1,5", "1.5 2", "+-1", "1_0", "--1", "0x10"}) {
    EXPECT_EQ(real(text).error().kind, ErrorKind::corrupt) << text;
  }
  EXPECT_EQ(*real_of({.bytes = {}, .number = 3}), 3.0);
}

TEST(real_of, a_number_that_is_too_large_is_corrupt) {
  for (const std::string_view text : {"1e400", " -1e400\n", "+1e999"}) {
    const auto read = real_of({.bytes = {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}});
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_EQ(read.error().kind, ErrorKind::corrupt);
    EXPECT_NE(read.error().message.find("does not fit in float64"), std::string::npos);
  }
}

}  // namespace
}  // namespace penstock::inline v0
