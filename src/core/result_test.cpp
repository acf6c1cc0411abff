#include "penstock/result.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace penstock::inline v0 {
namespace {

Error broken(std::string message) {
  return {.kind = ErrorKind::corrupt, .message = std::move(message), .advice = {}, .place = {}};
}

TEST(result, holds_an_error) {
  const Result<int> result = broken("JPEG ends early");
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, ErrorKind::corrupt);
  EXPECT_EQ(result.error().message, "JPEG ends early");
}

TEST(result, moves_its_value_out) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(7);
  const std::unique_ptr<int> value = *std::move(result);
  EXPECT_EQ(*value, 7);
}

TEST(result, reaches_members) {
  Result<std::string> result = std::string("abc");
  EXPECT_EQ(result->size(), 3u);
}

TEST(result, status_is_success_or_an_error) {
  EXPECT_TRUE(Status().ok());
  const Status failed = broken("x");
  EXPECT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().message, "x");
}

Status check(int x) {
  if (x < 0) {
    return broken("negative");
  }
  return {};
}

Result<std::unique_ptr<int>> make(int x) {
  PENSTOCK_TRY(check(x));
  return std::make_unique<int>(x);
}

Result<std::string> show(int x, int y) {
  PENSTOCK_ASSIGN(const auto first, make(x));
  PENSTOCK_ASSIGN(const auto second, make(y));
  return std::to_string(*first) + "," + std::to_string(*second);
}

TEST(result, macros_pass_values_and_errors_on) {
  EXPECT_EQ(*show(1, 2), "1,2");
  EXPECT_EQ(show(-1, 2).error().message, "negative");
  EXPECT_EQ(show(1, -2).error().kind, ErrorKind::corrupt);
}

TEST(error, says_what_where_and_what_to_do) {
  const Error error{.kind = ErrorKind::corrupt,
                    .message = "JPEG ends early",
                    .advice = "pass on_error='skip' to continue",
                    .place = {.source = "data/*.tar",
                              .shard = "0003.tar",
                              .offset = 51200,
                              .key = "n01440764_10026.jpg",
                              .index = 812,
                              .stage = "decode"}};
  EXPECT_EQ(error.to_string(),
            "0003.tar, sample 812 (n01440764_10026.jpg), byte 51200: JPEG ends early; "
            "pass on_error='skip' to continue");
}

TEST(error, leaves_out_what_is_unknown) {
  Error error{.kind = ErrorKind::io, .message = "cannot open", .advice = {}, .place = {}};
  EXPECT_EQ(error.to_string(), "cannot open");
  error.place.source = "data/*.tar";
  EXPECT_EQ(error.to_string(), "data/*.tar: cannot open");
  error.place.key = "cat";
  EXPECT_EQ(error.to_string(), "data/*.tar, sample cat: cannot open");
  error.place.index = 3;
  error.place.key.clear();
  EXPECT_EQ(error.to_string(), "data/*.tar, sample 3: cannot open");
}

TEST(error, cannot_be_made_to_write_to_a_terminal_or_to_forge_lines) {
  const Error error{.kind = ErrorKind::corrupt,
                    .message = "member 'a\x1B]0;x\a\nok: all good' is bad",
                    .advice = "look at \u202egpj.x",
                    .place = {.shard = "/data/\x1B[2J.tar", .key = "x\ny\x9B", .index = 1},
                    .detail = "Traceback:\n  f\x1B[2J"};
  EXPECT_EQ(error.to_string(),
            "/data/\\x1b[2J.tar, sample 1 (x\\ny\\x9b): member 'a\\x1b]0;x\\x07\\nok: all good' is bad; "
            "look at \\u202egpj.x\n\nTraceback:\n  f\\x1b[2J");
}

TEST(error, shortens_names_without_end) {
  const std::string endless(1 << 20, 'k');
  const Error error{.kind = ErrorKind::corrupt,
                    .message = "'" + endless + "' is not a key",
                    .advice = "rename " + endless,
                    .place = {.shard = endless + ".tar", .key = endless + ".jpg"}};
  EXPECT_LT(error.to_string().size(), 10'000u);
  EXPECT_NE(error.to_string().find("kkk.tar, sample kkk"), std::string::npos) << error.to_string();
  EXPECT_NE(error.to_string().find("kkk' is not a key; rename kkk"), std::string::npos) << error.to_string();
}

TEST(error, names_every_kind) {
  const std::vector<std::string> names = {"not_found", "corrupt", "unsupported", "invalid",
                                          "io",        "timeout", "cancelled"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(name_of(static_cast<ErrorKind>(i)), names[i]);
  }
}

}  // namespace
}  // namespace penstock::inline v0
