#include "formats/source_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "formats/glob.hpp"
#include "io/temporary_folder_for_test.hpp"
#include "io/without_rights_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SourceList : public ::testing::Test {
 protected:
  /// Names of what is found, without the folder.
  std::vector<std::string> resolve(const std::vector<std::string>& sources) const {
    auto found = resolve_sources(sources);
    EXPECT_TRUE(found.ok()) << (found.ok() ? "" : found.error().to_string());
    std::vector<std::string> names;
    if (found.ok()) {
      for (const NamedPath& entry : *found) {
        names.push_back(std::filesystem::relative(entry.path, folder_.path()).string());
      }
    }
    return names;
  }
  void expect_error(const std::string& source, ErrorKind kind, const std::string& text) const {
    const auto found = resolve_sources({source});
    ASSERT_FALSE(found.ok()) << source;
    EXPECT_EQ(found.error().kind, kind) << found.error().to_string();
    EXPECT_THAT(found.error().to_string(), HasSubstr(text));
    EXPECT_EQ(found.error().place.source, source);
  }

  TemporaryFolder folder_;
};

TEST_F(SourceList, keeps_the_order_given_and_sorts_globs) {
  for (const char* name : {"b.tar", "a.tar", "10.tar", "9.tar", "x.txt", ".h.tar"}) {
    folder_.write(name, "");
  }
  EXPECT_THAT(resolve({folder_ / "b.tar", folder_ / "a.tar"}), ElementsAre("b.tar", "a.tar"));
  EXPECT_THAT(resolve({folder_ / "*.tar"}), ElementsAre("10.tar", "9.tar", "a.tar", "b.tar"));
  EXPECT_THAT(resolve({folder_ / "{b,a}.tar"}), ElementsAre("b.tar", "a.tar"));
  EXPECT_THAT(resolve({folder_ / "[ab].tar", folder_ / "9.tar"}), ElementsAre("a.tar", "b.tar", "9.tar"));
  EXPECT_THAT(resolve({folder_ / "a.tar::" + (folder_ / "b.tar")}), ElementsAre("a.tar", "b.tar"));
  EXPECT_THAT(resolve({folder_ / "a.tar", folder_ / "a.tar"}), ElementsAre("a.tar", "a.tar"));
  EXPECT_THAT(resolve({folder_ / "{9..10}.t?r"}), ElementsAre("9.tar", "10.tar"));
}

TEST_F(SourceList, matches_folders_and_any_depth) {
  folder_.write("p/1.tar", "");
  folder_.write("p/q/2.tar", "");
  folder_.write("r/3.tar", "");
  folder_.write(".git/4.tar", "");
  EXPECT_THAT(resolve({folder_ / "*/*.tar"}), ElementsAre("p/1.tar", "r/3.tar"));
  EXPECT_THAT(resolve({folder_ / "**/*.tar"}), ElementsAre("p/1.tar", "p/q/2.tar", "r/3.tar"));
}

TEST_F(SourceList, takes_a_name_that_exists_as_it_is) {
  folder_.write("odd{1,2}[x]*.tar", "");
  EXPECT_THAT(resolve({folder_ / "odd{1,2}[x]*.tar"}), ElementsAre("odd{1,2}[x]*.tar"));
}

TEST_F(SourceList, expands_home_file_urls_and_variables) {
  folder_.write("a.tar", "");
  const std::string home = std::getenv("HOME") != nullptr ? std::getenv("HOME") : "";
  ::setenv("HOME", folder_.path().c_str(), 1);
  ::setenv("WDS_BASE", "${INNER}", 1);
  ::setenv("WDS_INNER", folder_.path().c_str(), 1);
  ::setenv("WDS_LOOP", "${LOOP}x", 1);
  EXPECT_THAT(resolve({"~/a.tar"}), ElementsAre("a.tar"));
  EXPECT_THAT(resolve({"file:" + (folder_ / "a.tar")}), ElementsAre("a.tar"));
  EXPECT_THAT(resolve({"file://" + (folder_ / "a.tar")}), ElementsAre("a.tar"));
  EXPECT_THAT(resolve({"${BASE}/a.tar"}), ElementsAre("a.tar"));
  expect_error("${NOT_SET_AT_ALL}/a.tar", ErrorKind::invalid, "WDS_NOT_SET_AT_ALL");
  expect_error("${LOOP}/a.tar", ErrorKind::invalid, "in a cycle");
  ::setenv("HOME", home.c_str(), 1);
}

TEST_F(SourceList, says_what_is_missing) {
  folder_.write("t-0.tar", "");
  expect_error(folder_ / "none.tar", ErrorKind::not_found, "none.tar");
  expect_error(folder_ / "*.none", ErrorKind::not_found, "nothing matches");
  expect_error(folder_ / "t-{0..2}.tar", ErrorKind::not_found, "t-1.tar' (2 of the 3 names are missing)");
}

TEST_F(SourceList, a_path_that_cannot_be_looked_at_is_not_missing) {
  std::filesystem::create_directory_symlink("circle", folder_ / "circle");
  expect_error(folder_ / "circle/a.tar", ErrorKind::io, "symbolic links");
  expect_error(folder_ / "circle/*.tar", ErrorKind::io, "symbolic links");
}

TEST_F(SourceList, says_which_folder_may_not_be_read) {
  folder_.write("open/a.tar", "");
  folder_.write("shut/b.tar", "");
  const WithoutRights nobody(folder_, "shut");
  if (!nobody.ok()) {
    GTEST_SKIP() << "the rights of root cannot be given up here";
  }
  for (const char* source :
       {"shut/b.tar", "shut/*.tar", "*/b.tar", "*/*.tar", "**/*.tar", "shut/{a,b}.tar"}) {
    expect_error(folder_ / source, ErrorKind::io, "Permission denied");
    EXPECT_THAT(resolve_sources({folder_ / source}).error().place.shard, HasSubstr(folder_ / "shut"))
        << source;
  }
}

TEST_F(SourceList, refuses_commands_urls_and_nothing) {
  expect_error("pipe:cat x.tar", ErrorKind::unsupported, "not supported");
  expect_error("-", ErrorKind::unsupported, "standard input");
  for (const char* url : {"http://a/b.tar", "https://a/b.tar", "s3://a/b.tar", "gs://a/{0..3}.tar", "hf:x"}) {
    expect_error(url, ErrorKind::unsupported, "sources yet");
  }
  expect_error("", ErrorKind::invalid, "empty");
  EXPECT_EQ(resolve_sources({}).error().kind, ErrorKind::invalid);
}

}  // namespace
}  // namespace penstock::inline v0
