#include "formats/text_syntax.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "formats/json_reader.hpp"

namespace penstock::inline v0 {
namespace {

ByteSpan bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

TEST(TextSyntax, takes_the_json_that_python_takes) {
  using namespace std::string_view_literals;
  for (const std::string_view good :
       {"0"sv, "-0.5e+10"sv, " [1, 2 , []]\n"sv, "{}"sv,
        R"({"a": {"b": [null, true, false]}, "c": "\u00e9\n\\"})"sv, "\"\xC3\xA9\""sv, "NaN"sv,
        "[Infinity,-Infinity]"sv, "\xEF\xBB\xBF[1]"sv, "\"\xED\xA0\x80\""sv, "\xFF\xFE\x31\x00"sv, "1\0"sv}) {
    EXPECT_EQ(json_problem(bytes_of(good)), std::nullopt) << good;
  }
}

TEST(TextSyntax, finds_what_is_no_json) {
  for (const std::string_view bad :
       {"",   " ",  "{bad", "[1,]",   "[1 2]",   "{\"a\"}",     "{\"a\":}", "{1: 2}",      "{\"a\": 1,}",
        "[",  "[1", "]",    "\"open", "\"\\x\"", "\"\\u12g4\"", "\"\n\"",   "01",          "1.",
        "1e", "-",  "+1",   "tru",    "1 1",     "\"\xC3\"",    "\"\xFF\"", "\"\xC0\x80\""}) {
    EXPECT_NE(json_problem(bytes_of(bad)), std::nullopt) << bad;
  }
  EXPECT_EQ(json_problem(bytes_of("[1, x]")), "expected a value at byte 4 of the json");
}

TEST(TextSyntax, wide_json_is_read_like_narrow) {
  using namespace std::string_view_literals;
  for (const std::string_view good :
       {"\xFE\xFF\0[\0]"sv, "\xFF\xFE[\0]\0"sv, "[\0]\0"sv, "\0[\0]"sv, "\0001"sv, "[\0\0\0]\0\0\0"sv,
        "\0\0\0[\0\0\0]"sv, "\xFF\xFE\0\0001\0\0\0"sv, "\0\0\xFE\xFF\0\0\0001"sv, "\"\0\0\xD8\"\0"sv,
        "\"\0\x3D\xD8\0\xDE\"\0"sv, "\"\0\0\0\0\xF6\1\0\"\0\0\0"sv, "\0\"\x20\xAC\0\""sv}) {
    EXPECT_EQ(json_problem(bytes_of(good)), std::nullopt) << testing::PrintToString(good);
  }
  for (const std::string_view bad :
       {"\xFE\xFF"sv, "\xFF\xFE[\0"sv, "\xFF\xFE[\0]"sv, "\xFF\xFE[\0]\0\0"sv, "[\0]\0,\0"sv,
        "[\0\0\0]\0\0"sv, "\"\0\0\0\0\0\x11\0\"\0\0\0"sv, "\xFE\xFF\xFE\xFF\0001"sv, "1\0\0"sv, "\0"sv,
        "{}\0\0"sv, "\0\0\0\0"sv}) {
    EXPECT_NE(json_problem(bytes_of(bad)), std::nullopt) << testing::PrintToString(bad);
  }
  EXPECT_EQ(json_problem(bytes_of("[\0,\0]\0"sv)), "expected a value at byte 1 of the json's UTF-8 form");
}

TEST(TextSyntax, integers_have_a_limit_and_other_numbers_none) {
  const std::string longest(kMaxIntegerDigits, '7');
  for (const std::string& good : {longest, "-" + longest, "[" + longest + "]", longest + "7.0",
                                  longest + "7e0", "0." + longest + "7"}) {
    EXPECT_EQ(json_problem(bytes_of(good)), std::nullopt);
  }
  for (const std::string& bad : {longest + "7", "-7" + longest, "{\"a\": 7" + longest + "}"}) {
    EXPECT_NE(json_problem(bytes_of(bad)), std::nullopt);
  }
}

TEST(TextSyntax, depth_has_a_limit) {
  const std::string deep(kMaxJsonDepth, '[');
  EXPECT_EQ(json_problem(bytes_of(deep + "1" + std::string(kMaxJsonDepth, ']'))), std::nullopt);
  EXPECT_NE(json_problem(bytes_of("[" + deep + "1" + std::string(kMaxJsonDepth + 1, ']'))), std::nullopt);
  EXPECT_NE(json_problem(bytes_of(std::string(200'000, '['))), std::nullopt);
}

TEST(TextSyntax, text_is_utf8) {
  EXPECT_EQ(text_problem(bytes_of("")), std::nullopt);
  EXPECT_EQ(text_problem(bytes_of("sample \xC3\xA9 \xF0\x9F\x98\x80")), std::nullopt);
  for (const std::string_view bad :
       {"a\xFF", "\xC3", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE0\x80\x80"}) {
    EXPECT_NE(text_problem(bytes_of(bad)), std::nullopt);
  }
}

}  // namespace
}  // namespace penstock::inline v0
