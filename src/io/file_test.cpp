#include "io/file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <thread>

#include "io/temporary_folder_for_test.hpp"

namespace penstock::inline v0 {
namespace {

TEST(object_state, tells_size_and_change) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", "12345");
  const auto before = object_state(path.c_str())->identity;
  EXPECT_EQ(before.size, 5u);
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  struct timespec times[2] = {{0, before.modified % 1'000'000'000},
                              {before.modified / 1'000'000'000, before.modified % 1'000'000'000}};
  folder.write("a", "54321");
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  const auto after = object_state(path.c_str())->identity;
  EXPECT_EQ(after.modified, before.modified);
  EXPECT_NE(after.changed, before.changed) << "a restored mtime must still show";
}

TEST(object_state, of_what_cannot_be_looked_at_is_an_error) {
  const std::string long_name(5000, 'x');
  const auto state = object_state(long_name.c_str());
  ASSERT_FALSE(state.ok());
  EXPECT_EQ(state.error().kind, ErrorKind::io);
  EXPECT_EQ(state.error().place.shard, long_name);
}

TEST(read_file, gives_all_bytes_or_says_that_the_file_shrank) {
  const TemporaryFolder folder;
  Scratch scratch;
  const std::string path = folder.write("a", std::string(100, 'x'));
  const auto file = OpenFile::open_regular(path.c_str());
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(as_text(*read_file(*file, path.c_str(), scratch)), std::string(100, 'x'));
  std::filesystem::resize_file(path, 50);
  EXPECT_EQ(read_file(*file, path.c_str(), scratch).error().kind, ErrorKind::corrupt);
  const std::string nothing = folder.write("empty", "");
  const auto empty = OpenFile::open_regular(nothing.c_str());
  EXPECT_TRUE(read_file(*empty, nothing.c_str(), scratch)->empty());
}

TEST(open_file, names_what_is_missing) {
  const auto file = OpenFile::open_regular("/nowhere/at/all");
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().kind, ErrorKind::not_found);
  EXPECT_EQ(file.error().place.shard, "/nowhere/at/all");
  EXPECT_NE(file.error().message.find("No such file"), std::string::npos);
}

}  // namespace
}  // namespace penstock::inline v0
