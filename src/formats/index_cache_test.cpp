#include "formats/index_cache.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include "formats/sample_table.hpp"
#include "formats/tar_for_test.hpp"
#include "io/faulty_storage_for_test.hpp"
#include "io/memory_storage_for_test.hpp"
#include "io/temporary_folder_for_test.hpp"

namespace penstock::inline v0 {
namespace {

namespace fs = std::filesystem;
using ::testing::StartsWith;

class IndexCache : public ::testing::Test {
 protected:
  void SetUp() override {
    ::setenv("PENSTOCK_CACHE_DIR", cache_.path().c_str(), 1);
    write_shard("key");
  }
  void TearDown() override { ::unsetenv("PENSTOCK_CACHE_DIR"); }

  /// One sample, or these; waits until the file system's clock has moved on, so that the index may be kept.
  void write_shard(const std::string& key) { write_shard(TarForTest().file(key + ".jpg", "A").end()); }
  void write_shard(const TarForTest& tar) {
    shard_ = folder_.write("x.tar", tar.bytes());
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
  }
  std::string open_key() const {
    const auto table = open_samples({shard_}, {});
    EXPECT_TRUE(table.ok()) << (table.ok() ? "" : table.error().to_string());
    return table.ok() ? (*table)->key(0) : "";
  }
  std::string index_file() const {
    const fs::directory_iterator entry(cache_.path());
    return entry == fs::directory_iterator() ? "" : entry->path().string();
  }
  /// Changes the key inside the kept index, so that its use shows.
  void mark_index() const {
    std::string bytes = read_text(index_file());
    const std::size_t at = bytes.find("key");
    ASSERT_NE(at, std::string::npos);
    bytes.replace(at, 3, "old");
    const std::uint64_t checksum = tar_index_checksum(
        ByteSpan(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()).subspan(32));
    std::memcpy(bytes.data() + 24, &checksum, 8);
    write_index(bytes);
  }
  void write_index(const std::string& bytes) const {
    cache_.write(fs::path(index_file()).filename().string(), bytes);
  }
  /// As version 3 would have kept it, were there no difference. The layout is the same.
  void make_index_earlier() const {
    std::string bytes = read_text(index_file());
    bytes[8] = kTarIndexEarlierVersion;
    write_index(bytes);
  }

  TemporaryFolder folder_;
  TemporaryFolder cache_;
  std::string shard_;
};

TEST_F(IndexCache, is_used_while_the_shard_is_unchanged) {
  EXPECT_EQ(open_key(), "key");
  ASSERT_NE(index_file(), "");
  mark_index();
  EXPECT_EQ(open_key(), "old") << "the cached index was not used";
}

TEST_F(IndexCache, is_rebuilt_when_the_shard_changes) {
  open_key();
  mark_index();
  write_shard("new");
  EXPECT_EQ(open_key(), "new");
  EXPECT_EQ(open_key(), "new");
}

TEST_F(IndexCache, is_rebuilt_when_only_the_inode_tells_of_a_change) {
  open_key();
  mark_index();
  struct stat before {};
  ASSERT_EQ(::stat(shard_.c_str(), &before), 0);
  write_shard("new");
  const struct timespec times[2] = {before.st_atim, before.st_mtim};
  ASSERT_EQ(::utimensat(AT_FDCWD, shard_.c_str(), times, 0), 0);
  EXPECT_EQ(open_key(), "new");
}

TEST_F(IndexCache, is_rebuilt_when_damaged_cut_or_foreign) {
  open_key();
  const std::string file = index_file();
  const std::string name = fs::path(file).filename().string();
  const std::string intact = read_text(file);
  for (const std::string& bytes :
       {std::string(), intact.substr(0, intact.size() / 2), std::string(500, 'x'),
        intact + std::string(32, '\0'), intact.substr(0, intact.size() - 1) + "x"}) {
    cache_.write(name, bytes);
    EXPECT_EQ(open_key(), "key");
    EXPECT_EQ(read_text(file), intact) << "not written again";
  }
}

TEST_F(IndexCache, of_the_earlier_version_is_used_where_no_member_was_left_out) {
  for (const TarForTest& tar :
       {TarForTest().file("key.jpg", "A").file("key.cls", "1").file("z.jpg", std::string(1000, 'B')).end(),
        TarForTest().file("key.jpg", std::string(512, 'C'))}) {  // without a mark at the end
    write_shard(tar);
    open_key();
    make_index_earlier();
    mark_index();
    EXPECT_EQ(open_key(), "old") << "the cached index was not used";
    EXPECT_EQ(read_text(index_file())[8], kTarIndexEarlierVersion) << "and is left to that version";
  }
}

TEST_F(IndexCache, of_the_earlier_version_is_rebuilt_where_a_member_may_have_been_left_out) {
  const TarForTest tars[] = {
      TarForTest().file("._x.jpg", "no sample of version 3").file("key.jpg", "A").end(),
      TarForTest().file("key.jpg", "A").file("__MACOSX/x.jpg", "").file("z.jpg", "B").end(),
      TarForTest().file("key.jpg", "A").file("Thumbs.db", "").end(),
      TarForTest().raw(TarForTest::header("key/", 0, '5')).file("key.jpg", "A").end(),
  };
  for (const TarForTest& tar : tars) {
    write_shard(tar);
    open_key();
    make_index_earlier();
    mark_index();
    EXPECT_NE(open_key(), "old");
    EXPECT_EQ(read_text(index_file())[8], kTarIndexVersion);
  }
}

TEST_F(IndexCache, of_other_shards_is_not_used) {
  open_key();
  mark_index();
  const std::string marked = read_text(index_file());
  const std::string other = folder_.write("y.tar", TarForTest().file("other.jpg", "A").end().bytes());
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  const std::string name = fs::path(index_cache_path({other})).filename().string();
  cache_.write(name, marked);
  const auto table = open_samples({other}, {});
  EXPECT_EQ((*table)->key(0), "other");
}

TEST_F(IndexCache, costs_only_time_when_the_folder_cannot_be_written) {
  ::setenv("PENSTOCK_CACHE_DIR", "/proc/no/such/folder", 1);
  EXPECT_EQ(open_key(), "key");
  ::setenv("PENSTOCK_CACHE_DIR", folder_.write("a_file", "").c_str(), 1);
  EXPECT_EQ(open_key(), "key");
}

TEST_F(IndexCache, is_not_kept_for_a_shard_that_was_written_just_now) {
  const std::int64_t changed = 1'700'000'000'123'000'000;
  EXPECT_TRUE(could_change_unnoticed({.size = 1, .modified = 0, .changed = changed}, changed + 1'000'000));
  EXPECT_FALSE(could_change_unnoticed({.size = 1, .modified = 0, .changed = changed}, changed + 30'000'000));
  const std::int64_t whole_seconds = 1'700'000'000'000'000'000;
  EXPECT_TRUE(could_change_unnoticed({.size = 1, .modified = 0, .changed = whole_seconds},
                                     whole_seconds + 1'000'000'000));
}

TEST_F(IndexCache, lies_where_the_environment_says) {
  EXPECT_EQ(cache_folder(), cache_.path());
  ::unsetenv("PENSTOCK_CACHE_DIR");
  ::setenv("XDG_CACHE_HOME", "/xdg", 1);
  EXPECT_EQ(cache_folder(), "/xdg/penstock");
  ::setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(cache_folder(), std::string(std::getenv("HOME")) + "/.cache/penstock");
  ::unsetenv("XDG_CACHE_HOME");
  EXPECT_THAT(index_cache_path({"/a"}), StartsWith(cache_folder() + "/tar-"));
  EXPECT_NE(index_cache_path({"/a", "/b"}), index_cache_path({"/b", "/a"}));
  EXPECT_NE(index_cache_path({"/ab"}), index_cache_path({"/a", "b"}));
}

TEST_F(IndexCache, is_safe_for_many_openers_at_once) {
  std::vector<std::thread> openers;
  for (int i = 0; i < 8; ++i) {
    openers.emplace_back([this] {
      for (int round = 0; round < 20; ++round) {
        EXPECT_EQ(open_key(), "key");
        std::error_code ignored;
        fs::remove(index_file(), ignored);
      }
    });
  }
  for (std::thread& opener : openers) {
    opener.join();
  }
}

TEST_F(IndexCache, is_not_written_for_a_shard_that_cannot_be_read) {
  folder_.write("bad.tar", "no archive");
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  const auto table = open_samples({folder_ / "*.tar"}, {});
  ASSERT_FALSE(table.ok());
  EXPECT_EQ(table.error().place.source, folder_ / "*.tar");
  EXPECT_EQ(table.error().place.shard, folder_ / "bad.tar");
  EXPECT_EQ(index_file(), "");
}

/// Objects have no times: what tells them apart is the tag that their storage gives them.
TEST_F(IndexCache, knows_objects_by_their_tags) {
  const auto memory = std::make_shared<MemoryStorage>();
  const auto storage = std::make_shared<FaultyStorage>(memory, std::vector<Fault>{});
  Storages storages = Storages::standard();
  storages.set("memory", storage);
  const auto key_of = [&](const TarForTest& tar) {
    memory->put("x.tar", tar.bytes());
    const auto table = open_samples({"memory:x.tar"}, {}, storages);
    EXPECT_TRUE(table.ok()) << (table.ok() ? "" : table.error().to_string());
    return table.ok() ? (*table)->key(0) + " " + (*table)->fingerprint() : "";
  };
  const TarForTest one = TarForTest().file("key.jpg", "A").end();
  const TarForTest other = TarForTest().file("yek.jpg", "A").end();
  const std::string first = key_of(one);
  EXPECT_THAT(first, StartsWith("key "));
  ASSERT_NE(index_file(), "");
  mark_index();
  EXPECT_THAT(key_of(one), StartsWith("old ")) << "the kept index is used";
  EXPECT_THAT(key_of(other), StartsWith("yek ")) << "an object of the same size and name, and another tag";
  EXPECT_EQ(key_of(one), first) << "and back again";
  EXPECT_EQ(std::distance(fs::directory_iterator(cache_.path()), fs::directory_iterator()), 1)
      << "of the versions of an object one index is kept";
}

TEST_F(IndexCache, gives_the_same_table_as_a_fresh_scan) {
  const auto fresh = open_samples({shard_}, {});
  const auto kept = open_samples({shard_}, {});
  EXPECT_EQ((*fresh)->fingerprint(), (*kept)->fingerprint());
  EXPECT_EQ((*fresh)->fields(), (*kept)->fields());
  EXPECT_EQ((*fresh)->warnings(), (*kept)->warnings());
}

}  // namespace
}  // namespace penstock::inline v0
