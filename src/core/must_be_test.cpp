#include "core/must_be.hpp"

#include <gtest/gtest.h>

namespace penstock::inline v0 {
namespace {

TEST(must_be, says_what_is_expected_and_what_was_given) {
  const Error error = must_be("batch_size", "a positive integer", "-1", "options");
  EXPECT_EQ(error.kind, ErrorKind::invalid);
  EXPECT_EQ(error.place.stage, "options");
  EXPECT_EQ(error.to_string(), "batch_size must be a positive integer, got -1");
}

}  // namespace
}  // namespace penstock::inline v0
