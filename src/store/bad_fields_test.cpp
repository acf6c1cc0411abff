// Fields that no loader could deliver, or that a store cannot name.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/store.hpp"
#include "formats/tar_for_test.hpp"
#include "store/store_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using testing::HasSubstr;

/// A label that is not a number and JSON that ends early, beside an intact sample.
std::string tar_with_bad_fields(const TemporaryFolder& folder) {
  TarForTest tar;
  tar.file("a.cls", "cat").file("a.json", "{}");
  tar.file("b.cls", "1").file("b.json", "{");
  tar.file("c.cls", "2").file("c.json", "{}");
  return folder.write("x.tar", tar.end().bytes());
}

TEST(bad_fields, fail_a_build_or_are_left_out) {
  const TemporaryFolder folder;
  const std::string source = tar_with_bad_fields(folder);
  const auto raised = build_store({source}, folder / "s");
  ASSERT_FALSE(raised.ok());
  EXPECT_EQ(raised.error().kind, ErrorKind::corrupt);
  EXPECT_THAT(raised.error().to_string(), HasSubstr("field 'label': 'cat' is not an integer"));
  const auto skipped = build_store({source}, folder / "s", {.skip_errors = true});
  ASSERT_TRUE(skipped.ok()) << skipped.error().to_string();
  EXPECT_EQ(skipped->samples, 1u);
  ASSERT_EQ(skipped->errors.size(), 2u);
  EXPECT_THAT(skipped->errors[1].to_string(), HasSubstr("field 'json': not JSON"));
}

TEST(bad_fields, are_found_by_verify) {
  const TemporaryFolder folder;
  ASSERT_TRUE(build_store({tar_with_bad_fields(folder)}, folder / "s", {.keep_damaged = true}).ok());
  const auto report = verify_store(folder / "s");
  ASSERT_TRUE(report.ok());
  ASSERT_EQ(report->problems, 2u);
  EXPECT_EQ(report->errors[0].place.key, "a");
  EXPECT_EQ(report->errors[1].place.key, "b");
}

TEST(bad_fields, without_a_name_are_refused_before_anything_is_written) {
  const TemporaryFolder folder;
  TarForTest tar;
  tar.file("a.txt", "words").file("a.", "more").end();
  const std::string source = folder.write("x.tar", tar.bytes());
  const auto refused = build_store({source}, folder / "s");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::invalid);
  EXPECT_THAT(refused.error().to_string(), HasSubstr("--field NAME=EXTENSION"));
  EXPECT_FALSE(std::filesystem::exists(folder / "s.building"));
  const auto named = open_samples({source}, {{{"text", "txt"}, {"rest", ""}}});
  ASSERT_TRUE(named.ok());
  ASSERT_TRUE(build_store(**named, "x", folder / "s").ok());
  EXPECT_TRUE(open_samples({folder / "s"}, {}).ok());
}

TEST(bad_fields, of_a_source_without_samples_are_not_the_problem) {
  const TemporaryFolder folder;
  const std::string source = folder.write("x.tar", TarForTest().end().bytes());
  const auto refused = build_store({source}, folder / "s");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::invalid);
  EXPECT_THAT(refused.error().to_string(), HasSubstr("has no samples"));
}

}  // namespace
}  // namespace penstock::inline v0
