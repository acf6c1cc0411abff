// What is written, replaced and locked through a folder, and what is refused.

#include "io/folder.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "io/temporary_folder_for_test.hpp"

namespace penstock::inline v0 {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

ByteSpan as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

::mode_t mode_of(const std::string& path) {
  struct stat found {};
  EXPECT_EQ(::lstat(path.c_str(), &found), 0) << path;
  return found.st_mode & 07777;
}

/// The umask of the process while this lives.
class WithUmask {
 public:
  explicit WithUmask(::mode_t mask) : before_(::umask(mask)) {}
  WithUmask(const WithUmask&) = delete;
  WithUmask& operator=(const WithUmask&) = delete;
  ~WithUmask() { ::umask(before_); }

 private:
  ::mode_t before_;
};

TEST(folder, may_be_a_link_that_the_user_names) {
  const TemporaryFolder temporary;
  fs::create_directory(temporary / "real");
  fs::create_directory_symlink(temporary / "real", temporary / "named");
  const Folder folder = Folder::open(temporary / "named").value();
  ASSERT_TRUE(folder.replace_file("x", as_bytes("one")));
  EXPECT_EQ(read_text(temporary / "real/x"), "one");
}

TEST(folder, follows_no_link_in_it) {
  const TemporaryFolder temporary;
  temporary.write("precious", "keep me");
  fs::create_directory(temporary / "cache");
  fs::create_symlink(temporary / "precious", temporary / "cache/file");
  fs::create_directory(temporary / "target");
  fs::create_directory_symlink(temporary / "target", temporary / "cache/folder");
  const Folder folder = Folder::open(temporary / "cache").value();
  EXPECT_FALSE(folder.open_file("file", 0));
  EXPECT_THAT(folder.lock("file").error().message, HasSubstr("is a link"));
  EXPECT_THAT(folder.open_folder("folder").error().message, HasSubstr("is a link"));
  EXPECT_THAT(folder.open_folder("folder").error().advice, HasSubstr("put what it leads to in its place"));
  EXPECT_FALSE(folder.make_folder("folder"));
  EXPECT_FALSE(folder.lock_folder("folder"));
  EXPECT_FALSE(folder.copy_file(folder, "file"));
  EXPECT_FALSE(folder.link_file(folder, "file"));
  EXPECT_EQ(read_text(temporary / "precious"), "keep me");
  EXPECT_TRUE(fs::is_empty(temporary / "target"));
  // Replaced and deleted are the links themselves.
  ASSERT_TRUE(folder.replace_file("file", as_bytes("new")));
  ASSERT_TRUE(folder.remove_all("folder"));
  EXPECT_EQ(read_text(temporary / "precious"), "keep me");
  EXPECT_TRUE(fs::exists(temporary / "target"));
}

TEST(folder, stays_the_same_when_its_name_does_not) {
  const TemporaryFolder temporary;
  fs::create_directory(temporary / "a");
  const Folder folder = Folder::open(temporary / "a").value();
  fs::rename(temporary / "a", temporary / "b");
  fs::create_directory(temporary / "a");
  ASSERT_TRUE(folder.open_file("x", 0));
  EXPECT_TRUE(fs::exists(temporary / "b/x"));
  EXPECT_TRUE(fs::is_empty(temporary / "a"));
}

TEST(folder, takes_plain_names_alone) {
  const TemporaryFolder temporary;
  const Folder folder = Folder::open(temporary.path()).value();
  for (const std::string& name :
       {std::string(), std::string("."), std::string(".."), std::string("a/b"), std::string("a\0b", 3)}) {
    EXPECT_EQ(folder.open_file(name, 0).error().kind, ErrorKind::invalid) << name;
    EXPECT_EQ(folder.remove_all(name).error().kind, ErrorKind::invalid) << name;
  }
  EXPECT_EQ(Folder::open(std::string("a\0b", 3)).error().kind, ErrorKind::invalid);
  EXPECT_EQ(Folder::make(temporary / std::string_view("a\0b", 3), 0700).error().kind, ErrorKind::invalid);
  EXPECT_TRUE(fs::is_empty(temporary.path()));
}

TEST(folder, gives_others_no_more_than_its_rules_and_the_umask_say) {
  const WithUmask mask(027);
  const TemporaryFolder temporary;
  const auto make = [&](const char* name, const Permissions& permissions) {
    return Folder::make(temporary / name, 0777, {.permissions = permissions})->make_folder("in").value();
  };
  const Folder own = make("own", kForOneself);
  const Folder team = make("team", kForTheGroup);
  const Folder store = make("store", kAsTheUmaskSays);
  for (const Folder* folder : {&own, &team, &store}) {
    ASSERT_TRUE(folder->open_file("x", 0));
  }
  EXPECT_EQ(mode_of(temporary / "own"), 0750u);
  EXPECT_EQ(mode_of(temporary / "own/in"), 0700u);
  EXPECT_EQ(mode_of(temporary / "own/in/x"), 0600u);
  EXPECT_EQ(mode_of(temporary / "team/in"), 0750u);
  EXPECT_EQ(mode_of(temporary / "team/in/x"), 0640u);
  EXPECT_EQ(mode_of(temporary / "store/in"), 0700u);
  EXPECT_EQ(mode_of(temporary / "store/in/x"), 0640u);
  ASSERT_TRUE(own.share_as("x"));
  ASSERT_TRUE(store.share_as("x"));
  EXPECT_EQ(mode_of(temporary / "own/in"), 0700u);
  EXPECT_EQ(mode_of(temporary / "store/in"), 0750u);
}

TEST(folder, refuses_what_everyone_can_write) {
  const TemporaryFolder temporary;
  fs::create_directory(temporary / "open");
  fs::permissions(temporary / "open", fs::perms(0777));
  const Folder parent = Folder::open(temporary.path(), {.advice = "do this"}).value();
  const auto refused = parent.open_folder("open");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::invalid);
  EXPECT_THAT(refused.error().to_string(), HasSubstr("can be written by everyone"));
  EXPECT_EQ(refused.error().advice, "do this");
  EXPECT_FALSE(Folder::open(temporary / "open").value().check());
  ASSERT_EQ(::chmod((temporary / "open").c_str(), 01777), 0);
  EXPECT_TRUE(Folder::open(temporary / "open").value().check()) << "as /tmp is";
}

TEST(folder, removes_all_and_keeps_what_links_name) {
  const TemporaryFolder temporary;
  temporary.write("precious/file", "keep me");
  temporary.write("x/a/b", "1");
  temporary.write("x/c", "2");
  fs::create_directory_symlink(temporary / "precious", temporary / "x/a/link");
  const Folder folder = Folder::open(temporary.path()).value();
  ASSERT_TRUE(folder.remove_all("x"));
  ASSERT_TRUE(folder.remove_all("not there"));
  EXPECT_THAT(folder.names().value(), UnorderedElementsAre("precious"));
  EXPECT_EQ(read_text(temporary / "precious/file"), "keep me");
}

TEST(folder, a_lock_is_held_by_one) {
  const TemporaryFolder temporary;
  const Folder folder = Folder::open(temporary.path()).value();
  {
    const FileLock first = folder.lock("x").value();
    EXPECT_EQ(folder.lock("x").error().kind, ErrorKind::timeout);
    const auto other = folder.lock_folder("y").value();
    EXPECT_EQ(folder.lock_folder("y").error().kind, ErrorKind::timeout);
  }
  EXPECT_TRUE(folder.lock("x"));
  EXPECT_TRUE(folder.lock_folder("y"));
}

TEST(replace_file, makes_folders_replaces_and_leaves_nothing_else) {
  const TemporaryFolder temporary;
  const Folder folder = Folder::make(temporary / "a/b", 0700).value();
  ASSERT_TRUE(folder.replace_file("c", as_bytes("one")));
  ASSERT_TRUE(folder.replace_file("c", as_bytes("two")));
  EXPECT_EQ(read_text(temporary / "a/b/c"), "two");
  EXPECT_EQ(std::distance(fs::directory_iterator(temporary / "a/b"), {}), 1);
}

TEST(replace_file, removes_what_dead_processes_left_and_nothing_else) {
  const TemporaryFolder temporary;
  const std::string orphan = temporary.write("y.tmp-0123456789abcdef", "left by a killed process");
  const std::string owned = temporary.write("x.tmp-0123456789abcdef", "being written, slowly");
  const std::string young = temporary.write("x.tmp-fedcba9876543210", "not yet locked");
  const std::string other = temporary.write("x.tmp-0123", "somebody else's");
  for (const std::string& file : {orphan, owned, other}) {
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(3));
  }
  const int owner = ::open(owned.c_str(), O_RDONLY);
  ASSERT_EQ(::flock(owner, LOCK_EX), 0);
  const Folder folder = Folder::open(temporary.path()).value();
  ASSERT_TRUE(folder.replace_file("x", as_bytes("new")));
  EXPECT_FALSE(fs::exists(orphan));
  EXPECT_TRUE(fs::exists(owned));
  EXPECT_TRUE(fs::exists(young));
  EXPECT_TRUE(fs::exists(other));
  ::close(owner);
  ASSERT_TRUE(folder.replace_file("x", as_bytes("newer")));
  EXPECT_FALSE(fs::exists(owned));
}

TEST(replace_file, spares_what_others_left) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root can make a file of somebody else";
  }
  const TemporaryFolder temporary;
  const std::string foreign = temporary.write("y.tmp-0123456789abcdef", "theirs");
  fs::last_write_time(foreign, fs::file_time_type::clock::now() - std::chrono::hours(3));
  ASSERT_EQ(::chown(foreign.c_str(), 65534, 65534), 0);
  ASSERT_TRUE(Folder::open(temporary.path())->replace_file("x", as_bytes("new")));
  EXPECT_TRUE(fs::exists(foreign));
}

TEST(replace_file, readers_never_see_a_part) {
  const TemporaryFolder temporary;
  const std::string a(100'000, 'a');
  const std::string b(100'000, 'b');
  const Folder folder = Folder::open(temporary.path()).value();
  ASSERT_TRUE(folder.replace_file("x", as_bytes(a)));
  std::vector<std::thread> writers;
  for (const std::string* text : {&a, &b}) {
    writers.emplace_back([&folder, text] {
      for (int i = 0; i < 50; ++i) {
        EXPECT_TRUE(folder.replace_file("x", as_bytes(*text)));
      }
    });
  }
  for (int i = 0; i < 200; ++i) {
    const std::string text = read_text(temporary / "x");
    EXPECT_TRUE(text == a || text == b);
  }
  for (std::thread& writer : writers) {
    writer.join();
  }
}

TEST(make_folder, below_a_file_fails_with_the_systems_words) {
  const TemporaryFolder temporary;
  temporary.write("file", "");
  EXPECT_THAT(Folder::make(temporary / "file/below", 0700).error().message, HasSubstr("Not a directory"));
}

}  // namespace
}  // namespace penstock::inline v0
