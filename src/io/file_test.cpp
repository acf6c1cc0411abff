#include "io/file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <filesystem>
#include <thread>
#include <vector>

#include "io/temporary_folder_for_test.hpp"

namespace penstock {
namespace {

namespace fs = std::filesystem;

ByteSpan bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

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

TEST(replace_file, makes_folders_replaces_and_leaves_nothing_else) {
  const TemporaryFolder folder;
  const std::string path = folder / "a/b/c";
  ASSERT_TRUE(replace_file(path, bytes_of("one")).ok());
  ASSERT_TRUE(replace_file(path, bytes_of("two")).ok());
  EXPECT_EQ(read_text(path), "two");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder / "a/b"), {}), 1);
}

TEST(replace_file, removes_what_dead_processes_left_and_nothing_else) {
  const TemporaryFolder folder;
  const std::string path = folder / "x";
  const std::string orphan = folder.write("y.tmp-0123456789abcdef", "left by a killed process");
  const std::string owned = folder.write("x.tmp-0123456789abcdef", "being written, slowly");
  const std::string young = folder.write("x.tmp-fedcba9876543210", "not yet locked");
  const std::string other = folder.write("x.tmp-0123", "somebody else's");
  for (const std::string& file : {orphan, owned, other}) {
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(3));
  }
  const int owner = ::open(owned.c_str(), O_RDONLY);
  ASSERT_EQ(::flock(owner, LOCK_EX), 0);
  ASSERT_TRUE(replace_file(path, bytes_of("new")).ok());
  EXPECT_FALSE(fs::exists(orphan));
  EXPECT_TRUE(fs::exists(owned));
  EXPECT_TRUE(fs::exists(young));
  EXPECT_TRUE(fs::exists(other));
  ::close(owner);
  ASSERT_TRUE(replace_file(path, bytes_of("newer")).ok());
  EXPECT_FALSE(fs::exists(owned));
}

TEST(replace_file, fails_below_a_file_with_the_systems_words) {
  const TemporaryFolder folder;
  folder.write("file", "");
  const auto status = replace_file(folder / "file/below", bytes_of("x"));
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("Not a directory"), std::string::npos) << status.error().message;
}

TEST(replace_file, readers_never_see_a_part) {
  const TemporaryFolder folder;
  const std::string path = folder / "x";
  const std::string a(100'000, 'a');
  const std::string b(100'000, 'b');
  ASSERT_TRUE(replace_file(path, bytes_of(a)).ok());
  std::vector<std::thread> writers;
  for (const std::string* text : {&a, &b}) {
    writers.emplace_back([&path, text] {
      for (int i = 0; i < 50; ++i) {
        EXPECT_TRUE(replace_file(path, bytes_of(*text)).ok());
      }
    });
  }
  Scratch scratch;
  for (int i = 0; i < 200; ++i) {
    const auto bytes = read_file(path.c_str(), scratch);
    ASSERT_TRUE(bytes.ok());
    EXPECT_TRUE(as_text(*bytes) == a || as_text(*bytes) == b);
  }
  for (std::thread& writer : writers) {
    writer.join();
  }
}

}  // namespace
}  // namespace penstock
