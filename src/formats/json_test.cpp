#include "formats/json.hpp"

#include <gtest/gtest.h>

namespace penstock::inline v0 {
namespace {

TEST(json, what_was_written_is_read_back) {
  const Json value(Json::Members{{"n", Json()},
                                 {"t", true},
                                 {"whole", std::uint64_t{18446744073709551615ull}},
                                 {"negative", std::int64_t{-5}},
                                 {"real", 0.25},
                                 {"text", "a \"b\" \\ \n \x01 \xC3\xA9 \xFF\x80"},
                                 {"list", Json::List{1, 2, Json::List{}, Json::Members{}}}});
  for (const int indent : {0, 2}) {
    const auto parsed = Json::parse(value.text(indent));
    ASSERT_TRUE(parsed.ok()) << parsed.error().to_string();
    EXPECT_EQ(parsed->text(), value.text());
    EXPECT_EQ(*parsed->find("text")->string(), *value.find("text")->string());
    EXPECT_EQ(parsed->find("whole")->whole(), 18446744073709551615ull);
  }
  EXPECT_EQ(Json("\xFF").text(), "\"\\udcff\"");
}

TEST(json, more_values_than_are_wanted_are_refused) {
  EXPECT_TRUE(Json::parse(R"({"a": [1, 2]})", 4));
  const auto parsed = Json::parse(R"({"a": [1, 2]})", 3);
  ASSERT_FALSE(parsed.ok());
  EXPECT_EQ(parsed.error().kind, ErrorKind::corrupt);
  EXPECT_NE(parsed.error().message.find("too many values"), std::string::npos);
  EXPECT_EQ(parsed.error().place.offset, 9u);
}

TEST(json, escapes_are_understood) {
  const auto parsed = Json::parse(R"( "\u0041\u00e9\u20ac\ud83d\ude00\t\/" )");
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(*parsed->string(), "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\t/");
}

TEST(json, anything_else_is_refused_with_its_place) {
  for (const char* const text : {"",
                                 " ",
                                 "{",
                                 "[",
                                 "[1",
                                 "[1,",
                                 "[1,]",
                                 "{\"a\"}",
                                 "{\"a\":}",
                                 "{\"a\":1,}",
                                 "{a:1}",
                                 "01",
                                 "-",
                                 "1.",
                                 "1e",
                                 "+1",
                                 "tru",
                                 "nul",
                                 "\"",
                                 "\"\\\"",
                                 "\"\\x\"",
                                 "\"\\u12\"",
                                 "\"\\ud800\"",
                                 "\"\\ud800\\u0041\"",
                                 "\"\\udc00\"",
                                 "\"\x01\"",
                                 "\"\xFF\"",
                                 "\"\xED\xA0\x80\"",
                                 "1 2",
                                 "{\"a\":1,\"a\":2}",
                                 "1e999",
                                 "NaN",
                                 "'a'",
                                 "// x\n1"}) {
    const auto parsed = Json::parse(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.error().kind, ErrorKind::corrupt);
    EXPECT_TRUE(parsed.error().place.offset.has_value());
  }
}

TEST(json, members_are_limited) {
  const auto object_of = [](int members) {
    std::string text = "{";
    for (int i = 0; i < members; ++i) {
      text += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":0";
    }
    return Json::parse(text + "}");
  };
  EXPECT_TRUE(object_of(256).ok());
  EXPECT_FALSE(object_of(257).ok());
}

TEST(json, depth_is_limited) {
  EXPECT_TRUE(Json::parse(std::string(30, '[') + std::string(30, ']')).ok());
  EXPECT_FALSE(Json::parse(std::string(100000, '[')).ok());
}

TEST(json, writes_nothing_that_a_terminal_obeys) {
  const std::string hostile = "\x1B[2J\x7F\u009b5m\u2028\u202e\x9B\n\u00fc";
  const std::string text = Json(Json::Members{{hostile, hostile}}).text();
  const std::string escaped = R"("\u001b[2J\u007f\u009b5m\u2028\u202e\udc9b\n)"
                              "\u00fc\"";
  EXPECT_EQ(text, "{" + escaped + ": " + escaped + "}");
  const auto read = Json::parse(text);
  ASSERT_TRUE(read.ok());
  ASSERT_NE(read->find(hostile), nullptr);
  EXPECT_EQ(*read->find(hostile)->string(), hostile);
}

}  // namespace
}  // namespace penstock::inline v0
