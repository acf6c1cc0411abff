#include "io/path.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "io/temporary_folder_for_test.hpp"

namespace penstock::inline v0 {
namespace {

TEST(path, is_joined_and_taken_apart) {
  EXPECT_EQ(join_path("a", "b"), "a/b");
  EXPECT_EQ(join_path("a/", "b"), "a/b");
  EXPECT_EQ(join_path("", "b"), "b");
  EXPECT_EQ(last_name("a/b.tar"), "b.tar");
  EXPECT_EQ(last_name("a/"), "");
  EXPECT_EQ(normal_path("/a/./b//../c"), "/a/c");
  EXPECT_EQ(normal_path("s3://bucket//a/../b"), "s3://bucket//a/../b") << "keys are taken literally";
}

TEST(path, says_what_a_link_stands_for) {
  const TemporaryFolder folder;
  folder.write("real/file", "x");
  std::filesystem::create_symlink(folder / "real", folder / "link");
  std::filesystem::create_symlink(folder / "none", folder / "broken");
  EXPECT_TRUE(is_taken(folder / "broken"));
  EXPECT_FALSE(is_taken(folder / "none"));
  EXPECT_EQ(*behind_link(folder / "real"), folder / "real");
  EXPECT_EQ(*behind_link(folder / "link"), std::filesystem::canonical(folder / "real").string());
  EXPECT_EQ(behind_link(folder / "broken").error().kind, ErrorKind::not_found);
  EXPECT_TRUE(lies_inside(folder / "link/new", folder / "real"));
  EXPECT_TRUE(lies_inside(folder / "real", folder / "link"));
  EXPECT_FALSE(lies_inside(folder / "realm", folder / "real"));
  EXPECT_FALSE(lies_inside(folder.path(), folder / "real"));
}

}  // namespace
}  // namespace penstock::inline v0
