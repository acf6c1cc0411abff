#include "formats/brace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace penstock::inline v0 {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> expand(std::string_view pattern) {
  auto names = expand_braces(pattern);
  EXPECT_TRUE(names.ok()) << pattern << (names.ok() ? "" : names.error().to_string());
  return names.ok() ? std::move(*names) : std::vector<std::string>{"error"};
}

TEST(braces, expand_lists_and_ranges) {
  EXPECT_THAT(expand("plain.tar"), ElementsAre("plain.tar"));
  EXPECT_THAT(expand("a{b,c}d"), ElementsAre("abd", "acd"));
  EXPECT_THAT(expand("{,x}"), ElementsAre("", "x"));
  EXPECT_THAT(expand("t-{0..3}.tar"), ElementsAre("t-0.tar", "t-1.tar", "t-2.tar", "t-3.tar"));
  EXPECT_THAT(expand("{3..1}"), ElementsAre("3", "2", "1"));
  EXPECT_THAT(expand("{0..10..4}"), ElementsAre("0", "4", "8"));
  EXPECT_THAT(expand("{10..0..-5}"), ElementsAre("10", "5", "0"));
  EXPECT_THAT(expand("{-1..1}"), ElementsAre("-1", "0", "1"));
  EXPECT_THAT(expand("{a..e..2}"), ElementsAre("a", "c", "e"));
  EXPECT_EQ(expand("{000000..000146}").size(), 147u);
}

TEST(braces, pad_to_the_longer_end) {
  EXPECT_THAT(expand("{008..10}"), ElementsAre("008", "009", "010"));
  EXPECT_THAT(expand("{8..010}"), ElementsAre("008", "009", "010"));
  EXPECT_THAT(expand("{8..10}"), ElementsAre("8", "9", "10"));
  EXPECT_THAT(expand("{-01..1}"), ElementsAre("-01", "000", "001"));
}

TEST(braces, nest_and_vary_the_left_most_slowest) {
  EXPECT_THAT(expand("{a,b}{1,2}"), ElementsAre("a1", "a2", "b1", "b2"));
  EXPECT_THAT(expand("{a,b{1..2},c}"), ElementsAre("a", "b1", "b2", "c"));
}

TEST(braces, stay_literal_without_comma_or_range) {
  EXPECT_THAT(expand("{x}"), ElementsAre("{x}"));
  EXPECT_THAT(expand("{}"), ElementsAre("{}"));
  EXPECT_THAT(expand("{1..}"), ElementsAre("{1..}"));
  EXPECT_THAT(expand("{a..10}"), ElementsAre("{a..10}"));
  EXPECT_THAT(expand("\\{a,b\\}"), ElementsAre("{a,b}"));
  EXPECT_THAT(expand("{a\\,b,c}"), ElementsAre("a,b", "c"));
}

TEST(braces, are_refused_when_unbalanced_or_endless) {
  for (const std::string& bad :
       {std::string("{a,b"), std::string("a}"), std::string("{a,{b}"), std::string("{0..999999999}"),
        std::string("{0..999}{0..999}{0..999}"), std::string("{-9223372036854775808..9223372036854775807}"),
        std::string(100, '{') + "a,b" + std::string(100, '}')}) {
    const auto names = expand_braces(bad);
    ASSERT_FALSE(names.ok()) << bad;
    EXPECT_EQ(names.error().kind, ErrorKind::invalid);
    EXPECT_EQ(names.error().place.source, bad);
  }
}

TEST(braces, take_ends_that_are_far_apart) {
  EXPECT_THAT(expand("{-9223372036854775808..9223372036854775807..9223372036854775807}"),
              ElementsAre("-9223372036854775808", "-1", "9223372036854775806"));
}

}  // namespace
}  // namespace penstock::inline v0
