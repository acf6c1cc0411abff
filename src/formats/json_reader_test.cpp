#include "formats/json_reader.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace penstock::inline v0 {
namespace {

using Token = JsonReader::Token;

/// Every token as a letter; names, texts and numbers as they are read.
std::string read(std::string_view text, const JsonRules& rules = {}) {
  JsonReader reader(text, rules);
  std::string out;
  while (true) {
    const Token token = reader.next();
    switch (token) {
      case Token::wrong:
        return out + "!";
      case Token::end:
        return out + ".";
      case Token::name:
        out += reader.unescaped() + "=";
        break;
      case Token::text:
        out += "'" + reader.unescaped() + "'";
        break;
      case Token::begin_list:
      case Token::end_list:
        out += token == Token::begin_list ? "[" : "]";
        break;
      case Token::begin_object:
      case Token::end_object:
        out += token == Token::begin_object ? "{" : "}";
        break;
      default:
        out += std::string(reader.written()) + " ";
    }
  }
}

TEST(json_reader, gives_marks_and_values_in_their_order) {
  EXPECT_EQ(read(R"( {"a": [1, -2.5e3, "x\n"], "\u0062": {}, "c": [], "d": [true, null, false]} )"),
            "{a=[1 -2.5e3 'x\n']b={}c=[]d=[true null false ]}.");
  EXPECT_EQ(read("7"), "7 .");
}

TEST(json_reader, stays_wrong_where_the_text_goes_wrong) {
  JsonReader reader("[1 2]");
  EXPECT_EQ(reader.next(), Token::begin_list);
  EXPECT_EQ(reader.next(), Token::number);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(reader.next(), Token::wrong);
    EXPECT_EQ(reader.position(), 3u);
    EXPECT_STREQ(reader.problem(), "expected a comma or the end of the list");
  }
  EXPECT_EQ(reader.error().kind, ErrorKind::corrupt);
}

TEST(json_reader, takes_what_python_takes_if_asked_to) {
  const JsonRules python{.like_python = true};
  EXPECT_EQ(read("[NaN, Infinity, -Infinity]", python), "[NaN Infinity -Infinity ].");
  EXPECT_EQ(read("NaN"), "!");
  EXPECT_EQ(read(R"("\ud800 \udc80 \ud83d\ude00")", python), "'\xED\xA0\x80 \xED\xB2\x80 \xF0\x9F\x98\x80'.");
  EXPECT_EQ(read(R"("\udc80")"), "'\x80'.");
  EXPECT_EQ(read(R"("\ud800")"), "!");
  const std::string longest(kMaxIntegerDigits, '7');
  EXPECT_EQ(read(longest, python), longest + " .");
  EXPECT_EQ(read(longest + "7", python), "!");
  EXPECT_EQ(read(longest + "7"), longest + "7 .");
}

TEST(json_reader, counts_depth_by_what_holds_something) {
  EXPECT_EQ(read("[[]]", {.max_depth = 1}), "[[]].");
  EXPECT_EQ(read("[[1]]", {.max_depth = 1}), "[[!");
  EXPECT_EQ(read("[{\"a\": 1}]", {.max_depth = 1}), "[{!");
  EXPECT_EQ(read("[1, 2]", {.max_values = 2}), "[1 !");
}

}  // namespace
}  // namespace penstock::inline v0
