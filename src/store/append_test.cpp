// Appending where others append at the same time, were killed, or came by another name.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "formats/store.hpp"
#include "formats/tar_for_test.hpp"
#include "io/folder.hpp"
#include "store/store_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

/// To make or to append to a store of kept files, with one thread.
BuildSettings kept(bool append) {
  BuildSettings settings;
  settings.image = StoreImage::keep;
  settings.workers = 1;
  settings.append = append;
  return settings;
}

TEST(append, builders_at_once_lose_nothing) {
  constexpr unsigned kBuilders = 4;
  constexpr unsigned kTurns = 5;
  const TemporaryFolder folder;
  const std::string path = folder / "s";
  ASSERT_TRUE(build_store(TableForTest(3), "first", path, kept(false)).ok());
  std::vector<std::thread> threads;
  std::atomic<unsigned> failures = 0;
  for (unsigned i = 0; i < kBuilders; ++i) {
    threads.emplace_back([&, i] {
      for (unsigned turn = 0; turn < kTurns;) {
        const TableForTest more(2, 100 + i * kTurns + turn);
        const auto report = build_store(more, "more", path, kept(true));
        if (report.ok()) {
          ++turn;
        } else if (report.error().kind != ErrorKind::timeout) {
          ADD_FAILURE() << report.error().to_string();
          ++failures;
          return;
        }
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  ASSERT_EQ(failures, 0u);
  const auto store = StoreFiles::open({path, path});
  ASSERT_TRUE(store.ok()) << store.error().to_string();
  EXPECT_EQ((*store)->size(), 3 + 2 * kBuilders * kTurns);
  EXPECT_TRUE(verify_store(path)->ok());
  EXPECT_FALSE(fs::exists(path + "/lock"));
  EXPECT_FALSE(fs::exists(path + ".building"));
}

TEST(append, a_lock_that_a_killed_build_left_is_no_obstacle) {
  const TemporaryFolder folder;
  const std::string path = folder / "s";
  const TableForTest source(3);
  ASSERT_TRUE(build_store(source, "first", path, kept(false)).ok());
  folder.write("s/lock", std::string_view());
  EXPECT_TRUE(build_store(TableForTest(2, 7), "more", path, kept(true)).ok());
  EXPECT_FALSE(fs::exists(path + "/lock"));
  folder.write("s/lock", std::string_view());
  EXPECT_TRUE(build_store(TableForTest(2, 7), "more", path, kept(true))->was_complete);
  EXPECT_FALSE(fs::exists(path + "/lock"));
}

TEST(append, a_store_in_its_last_step_is_another_process) {
  const TemporaryFolder folder;
  const std::string path = folder / "s";
  ASSERT_TRUE(build_store(TableForTest(3), "first", path, kept(false)).ok());
  {
    const FileLock held = Folder::open(path)->lock(kLockName).value();
    const auto report = build_store(TableForTest(2, 7), "more", path, kept(true));
    ASSERT_FALSE(report.ok());
    EXPECT_EQ(report.error().kind, ErrorKind::timeout);
  }
  EXPECT_EQ(build_store(TableForTest(2, 7), "more", path, kept(true))->samples, 5u);
}

TEST(append, what_a_kill_left_of_the_old_store_is_cleared) {
  const TemporaryFolder folder;
  const std::string path = folder / "s";
  ASSERT_TRUE(build_store(TableForTest(3), "first", path, kept(false)).ok());
  fs::copy(path, folder / "old");
  ASSERT_TRUE(build_store(TableForTest(2, 7), "more", path, kept(true)).ok());
  for (const char* const deleted : {"", "manifest.json"}) {
    fs::copy(folder / "old", path + ".building");
    *deleted != '\0' ? fs::remove(path + ".building/" + deleted) : false;
    EXPECT_TRUE(build_store(TableForTest(2, 7), "more", path, kept(true))->was_complete);
    EXPECT_FALSE(fs::exists(path + ".building"));
  }
  // A build that could be resumed is something else.
  folder.write("s.building/journal", "");
  EXPECT_TRUE(build_store(TableForTest(2, 7), "more", path, kept(true))->was_complete);
  EXPECT_TRUE(fs::exists(path + ".building"));
}

TEST(append, through_a_link_the_store_behind_it_grows) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "disk");
  const std::string path = folder / "disk/train";
  const std::string link = folder / "link";
  ASSERT_TRUE(build_store(TableForTest(3), "first", path, kept(false)).ok());
  fs::create_directory_symlink("disk/train", link);
  EXPECT_EQ(build_store(TableForTest(2, 7), "more", link, kept(true))->samples, 5u);
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_TRUE(verify_store(path)->ok());
  EXPECT_EQ(verify_store(path)->samples, 5u);
  EXPECT_FALSE(fs::exists(path + ".building"));

  fs::create_directory_symlink("nowhere", folder / "dangling");
  const auto refused = build_store(TableForTest(3), "first", folder / "dangling", kept(false));
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().to_string(), HasSubstr("a dangling link"));
}

TEST(append, masks_are_not_blended) {
  const TemporaryFolder folder;
  TarForTest tar;
  tar.file("a.jpg", as_text(jpeg_for_test(20, 20, 1))).file("a.seg.png", "\x89PNG\r\n\x1a\n").end();
  const std::string masks = folder.write("masks.tar", tar.bytes());
  for (const bool quality : {false, true}) {
    BuildSettings settings = kept(false);
    (quality ? settings.quality : settings.resize_shorter) = 16;
    const auto refused = build_store({masks}, folder / "s", settings);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().kind, ErrorKind::invalid);
    EXPECT_THAT(refused.error().to_string(), HasSubstr("'seg.png'"));
    EXPECT_FALSE(fs::exists(folder / "s.building"));
  }
  TarForTest pair;
  pair.file("a.left.jpg", as_text(jpeg_for_test(20, 20, 1)));
  pair.file("a.right.jpg", as_text(jpeg_for_test(20, 20, 2))).end();
  BuildSettings smaller = kept(false);
  smaller.resize_shorter = 16;
  const auto both = build_store({folder.write("pair.tar", pair.bytes())}, folder / "p", smaller);
  EXPECT_TRUE(both.ok()) << both.error().to_string();
}

TEST(append, keeps_what_the_user_put_into_the_store) {
  const TableForTest source(10);
  const TableForTest more(40, 9);
  const TemporaryFolder folder;
  BuildSettings append = kept(false);
  append.shard_bytes = 16384;  // several shards, hence progress before the end
  ASSERT_TRUE(build_store(source, "a", folder / "s", append).ok());
  append.append = true;
  int progress = 0;
  append.progress = [&](const BuildProgress&) { return ++progress > 0; };
  const auto before = files_in(folder / "s");
  const auto refusal = [&] {
    const auto report = build_store(more, "a", folder / "s", append);
    EXPECT_FALSE(report.ok());
    return report.ok() ? std::string() : report.error().to_string();
  };
  for (const char* const name : {"notes.txt", "mine/precious", "journal", "shard-00077.bin/x"}) {
    SCOPED_TRACE(name);
    const std::string first = fs::path(name).begin()->string();
    folder.write(std::string("s/") + name, std::string_view("mine"));
    EXPECT_THAT(refusal(), testing::AllOf(HasSubstr("'" + first + "'"), HasSubstr("move that out of")));
    EXPECT_EQ(progress, 0) << "no work is lost";
    EXPECT_FALSE(fs::exists(folder / "s.building"));
    EXPECT_EQ(read_text(folder / ("s/" + std::string(name))), "mine");
    fs::remove_all(folder / ("s/" + first));
    EXPECT_EQ(files_in(folder / "s"), before);
  }
  // Put there while the build runs: what was built waits for the next attempt.
  append.progress = [&](const BuildProgress&) {
    folder.write("s/notes.txt", std::string_view("mine"));
    return true;
  };
  EXPECT_THAT(refusal(), HasSubstr("'notes.txt'"));
  fs::rename(folder / "s/notes.txt", folder / "notes.txt");
  append.progress = nullptr;
  const BuildReport report = build_store(more, "a", folder / "s", append).value();
  EXPECT_EQ(report.resumed_at, more.size());
  EXPECT_EQ(report.samples, 50u);
  EXPECT_EQ(read_text(folder / "notes.txt"), "mine");
  EXPECT_FALSE(fs::exists(folder / "s.building"));
}

TEST(append, goes_by_the_settings_of_the_store) {
  const TableForTest source(10);
  const TableForTest more(10, 9);
  const TemporaryFolder folder;
  BuildSettings settings = kept(false);
  settings.quality = 60;
  settings.shard_bytes = 16384;
  ASSERT_TRUE(build_store(source, "", folder / "s", settings).ok());
  const BuildSettings append{.append = true};
  EXPECT_EQ(build_store(more, "", folder / "s", append)->added, 10u);
  EXPECT_TRUE(build_store(more, "", folder / "s", append)->was_complete);
  EXPECT_TRUE(store_info(folder / "s")->image == "keep");
  const auto why = [&](BuildSettings given) {
    given.append = true;
    const auto report = build_store(TableForTest(5, 3), "", folder / "s", given);
    return report.ok() ? "it was built" : report.error().to_string();
  };
  EXPECT_THAT(why({.image = StoreImage::raw}), HasSubstr("image is raw and was keep"));
  EXPECT_THAT(why({.resize_longest = 20}), HasSubstr("resize (longest side) is 20 and was not given"));
  EXPECT_THAT(why({.quality = 61}), HasSubstr("quality is 61 and was 60"));
  EXPECT_THAT(why({.shard_bytes = 8192}), HasSubstr("shard_bytes is 8192 and was 16384"));
}

}  // namespace
}  // namespace penstock::inline v0
