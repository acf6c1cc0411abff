// What killed processes leave in a folder of caches, and what becomes of it.

#include "pipeline/cache/cache_orphans.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <random>
#include <thread>

#include "formats/tar_for_test.hpp"
#include "io/temporary_folder_for_test.hpp"
#include "penstock/loader.hpp"
#include "pipeline/test_images.hpp"

namespace penstock::inline v0 {
namespace {

namespace fs = std::filesystem;
using testing::StartsWith;
using testing::UnorderedElementsAre;

constexpr std::chrono::seconds kMaxLength{300};

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

void make_older(const fs::path& folder, std::chrono::hours age) {
  const auto then = fs::file_time_type::clock::now() - age;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    fs::last_write_time(entry.path(), then);
  }
  fs::last_write_time(folder, then);
}

TEST(cache_orphans, locks_that_nobody_holds_and_forgotten_builds_are_deleted) {
  const TemporaryFolder folder;
  folder.write("a-0123456789abcdef.store.lock", "");
  folder.write("a-0123abcd.store.lock/lock", "");
  folder.write("b-0123abcd.store.lock/lock", "");
  folder.write("c-0123456789abcdef.store.building/journal", "half");
  folder.write("c-0123abcd.store.building/journal", "half");
  folder.write("d-0123abcd.store.building/journal", "half");
  folder.write("e-0123abcd.store/manifest.json", "{}");
  folder.write("mine.lock/lock", "");
  folder.write("x-0123abcX.store.lock/lock", "");
  make_older(folder / "c-0123456789abcdef.store.building", std::chrono::hours(15 * 24));
  make_older(folder / "c-0123abcd.store.building", std::chrono::hours(15 * 24));
  make_older(folder / "d-0123abcd.store.building", std::chrono::hours(13 * 24));
  make_older(folder / "e-0123abcd.store", std::chrono::hours(1000 * 24));
  const Folder caches = Folder::open(folder.path()).value();
  const FileLock held = caches.lock("b-0123456789abcdef.store.lock").value();
  const auto old_held = caches.lock_folder("b-0123abcd.store.lock").value();
  remove_cache_orphans(caches);
  EXPECT_THAT(names_in(folder / ""),
              UnorderedElementsAre("b-0123456789abcdef.store.lock", "b-0123abcd.store.lock",
                                   "d-0123abcd.store.building", "e-0123abcd.store", "mine.lock",
                                   "x-0123abcX.store.lock"));
}

class Killed : public testing::Test {
 protected:
  std::string write_source(const std::string& name, unsigned seed) const {
    TarForTest tar;
    for (unsigned i = 0; i < 60; ++i) {
      const auto image = make_jpeg(60 + static_cast<int>(i), 90, seed + i);
      tar.file(fmt::format("{:03}.jpg", i), {reinterpret_cast<const char*>(image.data()), image.size()});
    }
    return folder_.write(name, tar.end().bytes());
  }

  /// Two epochs, the second from the cache: the number of samples.
  std::uint64_t run(const std::string& source) const {
    LoaderOptions options{.batch_size = 8, .shuffle = true, .num_workers = 1};
    options.cache = folder_ / "cache";
    Loader loader = Loader::open(Dataset::open(source).value(), presets::imagenet_train(32), options).value();
    std::uint64_t samples = 0;
    for (int epoch = 0; epoch < 2; ++epoch) {
      const std::uint64_t ticket = loader.start_epoch().value();
      while (const std::optional<Batch> batch = loader.next(ticket).value()) {
        samples += batch->rows();
      }
      loader.cache_building(kMaxLength);
    }
    const bool whole = loader.stats().cache.starts_with("complete");
    return whole ? samples : 0;
  }

  ::pid_t run_in_child(const std::string& source) const {
    const ::pid_t child = ::fork();
    if (child == 0) {
      // Another program's exit: that of this one would be searched for leaks.
      ::execlp(run(source) == 120 ? "true" : "false", "ran", nullptr);
      ::_exit(2);
    }
    return child;
  }

  TemporaryFolder folder_;
};

TEST_F(Killed, the_next_start_continues_and_leaves_nothing_else) {
  ::setenv("PENSTOCK_CACHE_DIR", (folder_ / "cache").c_str(), 1);
  const std::string source = write_source("x.tar", 1);
  const std::string other = write_source("y.tar", 100);
  std::mt19937 random(3);
  for (int kills = 0; kills < 20; ++kills) {
    if (kills % 5 == 0) {
      fs::remove_all(folder_ / "cache");  // so that every part of a build is met
    }
    const ::pid_t child = run_in_child(kills % 2 == 0 ? source : other);
    ASSERT_GE(child, 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 60));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
  }
  EXPECT_EQ(run(source), 120u);
  EXPECT_EQ(run(other), 120u);
  for (const std::string& name : names_in(folder_ / "cache")) {
    EXPECT_TRUE(name.ends_with(".store") || name.ends_with(".index") ||
                name.find(".index.tmp-") != std::string::npos)
        << name << " (a temporary goes when it is 10 s old)";
  }
  ::unsetenv("PENSTOCK_CACHE_DIR");
}

TEST_F(Killed, processes_share_a_folder) {
  ::setenv("PENSTOCK_CACHE_DIR", (folder_ / "cache").c_str(), 1);
  const std::string source = write_source("x.tar", 1);
  const std::string other = write_source("y.tar", 100);
  std::vector<::pid_t> children;
  for (int i = 0; i < 6; ++i) {
    children.push_back(run_in_child(i % 2 == 0 ? source : other));
    ASSERT_GE(children.back(), 0);
  }
  for (const ::pid_t child : children) {
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  for (const std::string& name : names_in(folder_ / "cache")) {
    EXPECT_TRUE(name.ends_with(".store") || name.ends_with(".index")) << name;
  }
  ::unsetenv("PENSTOCK_CACHE_DIR");
}

}  // namespace
}  // namespace penstock::inline v0
