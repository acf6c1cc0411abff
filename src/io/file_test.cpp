#include "io/file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>

#include "io/temporary_folder_for_test.hpp"

namespace penstock::inline v0 {
namespace {

TEST(file_state, tells_size_and_change) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", "12345");
  const auto before = file_state(path);
  ASSERT_TRUE(before.ok());
  EXPECT_EQ(before->size, 5u);
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  struct timespec times[2] = {{0, before->modified % 1'000'000'000},
                              {before->modified / 1'000'000'000, before->modified % 1'000'000'000}};
  folder.write("a", "54321");
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  const auto after = file_state(path);
  EXPECT_EQ(after->modified, before->modified);
  EXPECT_NE(after->changed, before->changed) << "a restored mtime must still show";
}

TEST(file_state, names_what_is_missing) {
  const auto state = file_state("/nowhere/at/all");
  ASSERT_FALSE(state.ok());
  EXPECT_EQ(state.error().kind, ErrorKind::not_found);
  EXPECT_EQ(state.error().place.shard, "/nowhere/at/all");
  EXPECT_NE(state.error().message.find("No such file"), std::string::npos);
}

TEST(read_file, gives_all_bytes_and_refuses_folders) {
  const TemporaryFolder folder;
  Scratch scratch;
  const auto bytes = read_file(folder.write("a", "hello").c_str(), scratch);
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(as_text(*bytes), "hello");
  const auto empty = read_file(folder.write("empty", "").c_str(), scratch);
  ASSERT_TRUE(empty.ok());
  EXPECT_TRUE(empty->empty());
  EXPECT_EQ(read_file(folder.path().c_str(), scratch).error().kind, ErrorKind::io);
  EXPECT_EQ(read_file((folder / "none").c_str(), scratch).error().kind, ErrorKind::not_found);
}

TEST(read_file, does_not_wait_for_a_fifo) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  Scratch scratch;
  EXPECT_EQ(read_file((folder / "fifo").c_str(), scratch).error().kind, ErrorKind::io);
}

}  // namespace
}  // namespace penstock::inline v0
