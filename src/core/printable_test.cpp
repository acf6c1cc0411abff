#include "core/printable.hpp"

#include <gtest/gtest.h>

#include <string>

namespace penstock::inline v0 {
namespace {

TEST(printable, leaves_ordinary_names_alone) {
  for (const std::string_view name :
       {"", "n01440764/10026.jpg", "\u00fc\u4e2d\u6587 \U0001F600", "\u05e9\u05dc\u05d5\u05dd"}) {
    EXPECT_EQ(printable(name), name);
    EXPECT_EQ(printable_lines(name), name);
  }
}

TEST(printable, escapes_control_characters) {
  using namespace std::string_view_literals;
  EXPECT_EQ(printable("a\x1B[31m\r\n\tb\x7F\0c"sv), "a\\x1b[31m\\r\\n\\tb\\x7f\\x00c");
  EXPECT_EQ(printable("\u0080 \u009b31m \u009f \u00a0"), "\\u0080 \\u009b31m \\u009f \u00a0");
}

TEST(printable, escapes_separators_and_changes_of_direction) {
  EXPECT_EQ(printable("\u2027\u2028\u2029\u202a\u202e\u202f"), "\u2027\\u2028\\u2029\\u202a\\u202e\u202f");
  EXPECT_EQ(printable("\u2065\u2066\u2069\u206a"), "\u2065\\u2066\\u2069\u206a");
  EXPECT_EQ(printable("\u061b\u061c\u200d\u200e\u200f\u2010"), "\u061b\\u061c\u200d\\u200e\\u200f\u2010");
}

TEST(printable, escapes_bytes_that_are_not_utf8) {
  EXPECT_EQ(printable("\x9B"
                      "31m \xFF \xC3"),
            "\\x9b31m \\xff \\xc3");
  EXPECT_EQ(printable("\xC0\x8A \xED\xA0\x80"), "\\xc0\\x8a \\xed\\xa0\\x80") << "overlong, surrogate";
}

TEST(printable, no_two_names_look_the_same) {
  EXPECT_EQ(printable("a\nb"), "a\\nb");
  EXPECT_EQ(printable("a\\nb"), "a\\\\nb");
  EXPECT_EQ(printable_path("C:\\data\\x\x1B"), "C:\\\\data\\\\x\\x1b");
}

TEST(printable, a_line_that_holds_printable_names_stays) {
  const std::string once = printable("\x1B\n\\n\u202e\xFF");
  EXPECT_EQ(printable_line(once), once);
  EXPECT_EQ(printable_lines(once), once);
  EXPECT_EQ(printable_line("0123456789\\", 10), "01234...6789\\");
  EXPECT_EQ(printable_line("\\\n"), "\\\\n");
}

TEST(printable, leaves_out_the_middle_of_long_texts) {
  EXPECT_EQ(printable("0123456789", 10), "0123456789");
  EXPECT_EQ(printable("0123456789x", 10), "01234...6789x");
  EXPECT_EQ(printable("0123456789x", 3), "01...x");
  const std::string shown = printable("head" + std::string(1 << 20, '\n') + "tail");
  EXPECT_LT(shown.size(), 500u);
  EXPECT_TRUE(shown.starts_with("head\\n"));
  EXPECT_TRUE(shown.ends_with("\\ntail"));
}

TEST(printable, cuts_between_characters) {
  EXPECT_EQ(printable("a\u00FC\u00FCb", 4), "a...\u00FCb");
  EXPECT_EQ(printable("\U0001F600\U0001F600\U0001F600", 6), "...\U0001F600");
  EXPECT_EQ(printable(std::string(9, '\x80'), 4), "\\x80\\x80...\\x80\\x80") << "not UTF-8";
}

TEST(printable, keeps_the_lines_of_a_traceback) {
  EXPECT_EQ(printable_lines("File x\n\tline\r\x1B[2J\u009b"), "File x\n\tline\\r\\x1b[2J\\u009b");
}

}  // namespace
}  // namespace penstock::inline v0
