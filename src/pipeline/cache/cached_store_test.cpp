// Loaders with a cache: what is delivered, counted and left on disk.

#include "pipeline/cache/cached_store.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <new>
#include <stdexcept>
#include <thread>

#include "formats/tar_for_test.hpp"
#include "io/folder.hpp"
#include "io/temporary_folder_for_test.hpp"
#include "penstock/loader.hpp"
#include "pipeline/cache/cached_store_for_test.hpp"
#include "pipeline/memory_table_for_test.hpp"
#include "pipeline/test_images.hpp"

namespace penstock::inline v0 {
namespace {

namespace fs = std::filesystem;
using test::Cache;
using test::kCachedSamples;
using test::kLong;
using testing::HasSubstr;
using testing::StartsWith;

/// What an epoch delivered, and the error that ended it.
struct Epoch {
  std::vector<std::uint8_t> pixels;
  std::vector<std::int64_t> order;
  std::string error;
  bool operator==(const Epoch&) const = default;
};

Epoch read_epoch(Loader& loader) {
  Epoch epoch;
  const std::uint64_t ticket = loader.start_epoch().value();
  for (;;) {
    auto batch = loader.next(ticket);
    if (!batch.ok()) {
      epoch.error = batch.error().to_string();
    }
    if (!batch.ok() || !*batch) {
      return epoch;
    }
    const auto* const data = static_cast<const std::uint8_t*>((*batch)->find("image")->data);
    epoch.pixels.insert(epoch.pixels.end(), data, data + (*batch)->rows() * 3 * 32 * 32 * sizeof(float));
    epoch.order.insert(epoch.order.end(), (*batch)->index().begin(), (*batch)->index().end());
  }
}

void flip_a_bit(const fs::path& file, std::streamoff place) {
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekg(place);
  const int byte = bytes.get();
  bytes.seekp(place);
  bytes.put(static_cast<char>(byte ^ 4));
}

/// Without the words that it begins with.
std::string cache_problem(const Loader& loader) {
  const std::vector<Loader::Problem> problems = loader.problems();
  return problems.empty() ? "" : problems[0].text.substr(std::string("the cache ").size());
}

TEST_F(Cache, the_epoch_after_a_whole_one_waits_for_it) {
  Loader loader = open(write_source());
  EXPECT_FALSE(loader.await_cache(kLong)) << "before the first epoch there is nothing to wait for";
  read_epoch(loader);
  read_epoch(loader);
  EXPECT_THAT(loader.stats().cache, StartsWith("complete"));
  std::uint64_t repacked = 0;
  for (const LoaderStats::Decoded& by : loader.stats().decoded) {
    repacked += by.codec == "repacked" ? by.count : 0;
  }
  EXPECT_GE(repacked, static_cast<std::uint64_t>(kCachedSamples));
}

TEST_F(Cache, totals_and_errors_continue_when_the_cache_is_read) {
  Loader loader = open(write_source(5));
  read_epoch(loader);
  ASSERT_FALSE(loader.cache_building(kLong)) << loader.stats().cache;
  const Epoch second = read_epoch(loader);
  const LoaderStats stats = loader.stats();
  EXPECT_EQ(second.order.size(), kCachedSamples - 1u);
  EXPECT_EQ(stats.samples, 2 * (kCachedSamples - 1u));
  EXPECT_EQ(stats.batches, 6u);
  EXPECT_EQ(stats.errors, 2u);
  EXPECT_EQ(loader.errors().size(), 2u);
  ASSERT_EQ(stats.decoded.size(), 2u);  // JPEG in the first epoch, repacked in the second
  EXPECT_GE(stats.decoded[0].count, kCachedSamples - 1u);
}

TEST_F(Cache, a_ticket_of_the_source_is_old_when_the_cache_is_read) {
  Loader loader = open(write_source());
  const std::uint64_t first = loader.start_epoch().value();
  ASSERT_FALSE(loader.cache_building(kLong));
  const std::uint64_t second = loader.start_epoch().value();
  EXPECT_NE(first, second);
  EXPECT_EQ(loader.next(first).error().kind, ErrorKind::cancelled);
  EXPECT_TRUE(loader.next(second).ok());
}

TEST_F(Cache, a_closed_loader_stays_closed) {
  Loader loader = open(write_source());
  ASSERT_FALSE(loader.cache_building(kLong));
  loader.close();
  EXPECT_EQ(loader.start_epoch().error().kind, ErrorKind::cancelled);
}

TEST_F(Cache, what_is_damaged_comes_from_the_source_and_is_built_again) {
  const std::string source = write_source();
  const fs::path store = build(source);
  const fs::path shard = store / "shard-000000.bin";
  // Neither the time nor the length of the file shows it.
  const auto written = fs::last_write_time(shard);
  flip_a_bit(shard, 1000);
  fs::last_write_time(shard, written);
  Loader plain = open(source, false);
  {
    Loader loader = open(source);
    EXPECT_EQ(loader.stats().cache, "complete: " + store.string());
    EXPECT_EQ(cache_problem(loader), "");
    for (int epoch = 0; epoch < 2; ++epoch) {
      EXPECT_TRUE(read_epoch(loader) == read_epoch(plain));
    }
    EXPECT_THAT(loader.stats().cache, StartsWith("is damaged: "));
    EXPECT_THAT(cache_problem(loader), HasSubstr(store.string()));
    EXPECT_EQ(loader.stats().errors, 0u);
  }
  EXPECT_FALSE(open(source).cache_building(kLong));
  EXPECT_TRUE(verify_store(store.string(), {.sources = {source}})->ok());
}

TEST_F(Cache, damage_seen_late_spares_the_store_that_was_built_since) {
  const std::string source = write_source();
  const fs::path store = build(source);
  Loader late = open(source);
  flip_a_bit(store / "shard-000000.bin", 1000);
  {
    Loader loader = open(source);
    read_epoch(loader);
  }
  EXPECT_FALSE(open(source).cache_building(kLong));
  read_epoch(late);
  EXPECT_THAT(late.stats().cache, StartsWith("is damaged: "));
  EXPECT_TRUE(verify_store(store.string())->ok());
}

TEST_F(Cache, a_copied_cache_is_opened_without_reading_it) {
  const std::string source = write_source();
  const fs::path store = build(source);
  const fs::path shard = store / "shard-000000.bin";
  flip_a_bit(shard, 1000);  // would be found by reading
  fs::last_write_time(shard, fs::last_write_time(store / "manifest.json") + std::chrono::seconds(9));
  EXPECT_EQ(open(source).stats().cache, "complete: " + store.string());
}

TEST_F(Cache, a_damaged_index_is_built_again) {
  const std::string source = write_source();
  const fs::path store = build(source);
  flip_a_bit(store / "index.bin", 64 + 8 + 20);  // the width of an image
  EXPECT_FALSE(open(source).cache_building(kLong));
  EXPECT_TRUE(verify_store(store.string(), {.sources = {source}})->ok());
}

TEST_F(Cache, a_build_that_fails_leaves_nothing_and_is_told) {
  TarForTest tar;
  for (int i = 0; i < kCachedSamples; ++i) {
    const auto image = make_jpeg(60, 40, static_cast<unsigned>(i));
    tar.file(fmt::format("{:03}.jpg", i), as_text(image));
    if (i != 7) {
      tar.file(fmt::format("{:03}.cls", i), "1");
    }
  }
  const std::string source = folder_.write("x.tar", tar.end().bytes());
  LoaderOptions options{.batch_size = 4, .on_error = OnError::skip};
  options.cache = folder_ / "cache";
  const Dataset chosen = Dataset::open(source, {.fields = {{"image", "jpg"}, {"label", "cls"}}}).value();
  Loader loader = Loader::open(chosen, presets::imagenet_train(32), options).value();
  ASSERT_FALSE(loader.cache_building(kLong));
  EXPECT_THAT(cache_problem(loader), StartsWith("could not be built"));
  EXPECT_EQ(read_epoch(loader).order.size(), kCachedSamples - 1u);
  EXPECT_TRUE(fs::is_empty(folder_ / "cache"));
}

TEST_F(Cache, a_fork_does_not_wait_for_it) {
  const std::string source = write_source();
  const std::string store = build(source).string();
  fs::remove(store + "/manifest.json");
  const Folder caches = Folder::open(folder_ / "cache").value();
  // The build begins when it is free.
  const FileLock elsewhere = caches.lock(fs::path(store).filename().string() + ".lock").value();
  Loader loader = open(source);
  ASSERT_TRUE(loader.cache_building(std::chrono::milliseconds(10)));
  const ::pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const bool waits = loader.cache_building(std::chrono::seconds(20));
    const auto refused = loader.start_epoch();
    const bool told = !waits && cache_problem(loader).empty() && !refused.ok();
    // Another program's exit: that of this one would be searched for leaks by valgrind.
    ::execlp(told ? "true" : "false", "told", nullptr);
    ::_exit(2);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(Cache, is_written_where_it_was_when_the_process_changes_its_folder) {
  const Dataset source = Dataset::open(write_source()).value();
  fs::create_directory(folder_ / "elsewhere");
  std::shared_ptr<CachedStore> cache;
  {
    const InFolder here(folder_.path());
    cache = CachedStore::start(source, "relative", {}, 1);
  }
  const InFolder there(folder_ / "elsewhere");
  ASSERT_FALSE(cache->building(kLong));
  EXPECT_THAT(cache->state(), StartsWith("complete: relative/"));  // as it was named
  EXPECT_TRUE(fs::exists(folder_ / "relative"));
  EXPECT_TRUE(fs::is_empty(folder_ / "elsewhere"));
}

TEST_F(Cache, without_a_name_is_refused) {
  LoaderOptions options;
  options.cache = "";
  ASSERT_FALSE(options.validate());
  EXPECT_EQ(options.validate().error().kind, ErrorKind::invalid);
}

TEST_F(Cache, of_a_source_that_no_store_can_hold_says_why) {
  TarForTest tar;
  tar.file("a.jpg", as_text(make_jpeg(60, 90, 1))).file("a.", "more").end();
  Loader loader = open(folder_.write("x.tar", tar.bytes()));
  EXPECT_EQ(read_epoch(loader).order.size(), 1u);
  ASSERT_FALSE(loader.cache_building(kLong));
  EXPECT_THAT(cache_problem(loader), HasSubstr("a field of the source has no name"));
}

TEST_F(Cache, keeps_labels_that_are_no_numbers) {
  TarForTest tar;
  for (int i = 0; i < 3; ++i) {
    tar.file(fmt::format("{}.jpg", i), as_text(make_jpeg(60, 90, static_cast<unsigned>(i))));
    tar.file(fmt::format("{}.cls", i), i == 1 ? "cat" : "1");
  }
  Loader loader = open(folder_.write("x.tar", tar.end().bytes()));
  read_epoch(loader);
  ASSERT_FALSE(loader.cache_building(kLong));
  EXPECT_THAT(loader.stats().cache, StartsWith("complete: "));
  EXPECT_EQ(read_epoch(loader).order.size(), 2u);
  EXPECT_THAT(loader.errors().back().message, HasSubstr("'cat' is not an integer"));
}

/// Throws what a build may meet.
class ThrowingTable final : public MemoryTable {
 public:
  explicit ThrowingTable(int what) : MemoryTable(kCachedSamples), what_(what) {}
  std::string identity() const override { return "of memory"; }
  Result<StoredValue> read(std::uint64_t, std::size_t) const override {
    switch (what_) {
      case 0:
        throw std::bad_alloc();
      case 1:
        throw std::runtime_error("something else");
      default:
        throw 7;
    }
  }

 private:
  int what_;
};

TEST_F(Cache, ends_alone_with_whatever_its_threads_meet) {
  const char* const told[] = {"not enough memory", "something else", "unknown exception"};
  for (int what = 0; what < 3; ++what) {
    const auto cache = CachedStore::start(Dataset::of(std::make_shared<ThrowingTable>(what), "memory"),
                                          folder_ / "cache", {}, 2);
    ASSERT_FALSE(cache->building(kLong));
    EXPECT_TRUE(cache->troubled());
    EXPECT_THAT(cache->state(), HasSubstr(told[what]));
    EXPECT_THAT(cache->state(), HasSubstr("the source is read instead"));
  }
}

TEST_F(Cache, that_gets_no_thread_leaves_the_run_alone) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer starts no threads after a fork";
#endif
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root can become a user without processes";
  }
  constexpr ::uid_t kUser = 61007;
  const std::string source = write_source();
  ASSERT_EQ(::chown(folder_.path().c_str(), kUser, kUser), 0);
  const ::pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const struct rlimit none { 0, 0 };
    LoaderOptions options{.batch_size = 4, .num_workers = 0};
    options.cache = folder_ / "cache";
    const Dataset dataset = Dataset::open(source).value();
    if (::setresuid(kUser, kUser, kUser) != 0 || ::setrlimit(RLIMIT_NPROC, &none) != 0) {
      ::_exit(2);
    }
    auto loader = Loader::open(dataset, presets::imagenet_train(32), options);
    const bool ran = loader && read_epoch(*loader).order.size() == kCachedSamples;
    const bool told =
        loader && cache_problem(*loader).find("the source is read instead") != std::string::npos;
    ::_exit(ran && told ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace penstock::inline v0
