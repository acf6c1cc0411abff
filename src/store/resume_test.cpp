// Builds that end early, at every point, and are begun again.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "formats/tar_for_test.hpp"
#include "io/folder.hpp"
#include "store/store_for_test.hpp"

namespace penstock::inline v0 {
namespace {

namespace fs = std::filesystem;

BuildSettings settings_for_test() {
  BuildSettings settings;
  settings.workers = 2;
  settings.shard_bytes = 8192;
  settings.image = StoreImage::repack;
  return settings;
}

void expect_built(const SampleTable& source, const std::string& path, const BuildSettings& settings) {
  const auto report = build_store(source, "test", path, settings);
  ASSERT_TRUE(report.ok()) << report.error().to_string();
}

/// Leaves s.building as it is just before the last samples are done.
void build_nearly(const SampleTable& source, const std::string& path, BuildSettings settings) {
  settings.progress = [](const BuildProgress& progress) { return progress.samples + 8 < progress.total; };
  const auto report = build_store(source, "test", path, settings);
  ASSERT_FALSE(report.ok());
  ASSERT_EQ(report.error().kind, ErrorKind::cancelled);
}

TEST(resume, a_build_is_cancelled_while_it_learns_its_tables) {
  const TableForTest source(90);
  const TemporaryFolder folder;
  BuildSettings settings = settings_for_test();
  std::vector<std::uint64_t> told;
  settings.progress = [&](const BuildProgress& progress) {
    told.push_back(progress.samples);
    return told.size() < 3;
  };
  const auto report = build_store(source, "test", folder / "s", settings);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().kind, ErrorKind::cancelled);
  EXPECT_EQ(told, (std::vector<std::uint64_t>{0, 0, 0})) << "nobody is asked again";
  EXPECT_FALSE(fs::exists(folder / "s.building/tables.bin"));
  expect_built(source, folder / "s", settings_for_test());
}

TEST(resume, from_every_line_of_the_journal_gives_the_same_bytes) {
  const TableForTest source(90);
  const TemporaryFolder folder;
  expect_built(source, folder / "whole", settings_for_test());
  build_nearly(source, folder / "cut", settings_for_test());
  const std::string journal = read_text(folder / "cut.building/journal");
  std::vector<std::size_t> cuts = {0};
  for (std::size_t at = journal.find('\n'); at != std::string::npos; at = journal.find('\n', at + 1)) {
    cuts.push_back(at + 1);      // killed before the next line
    cuts.push_back(at + 1 + 9);  // killed in the middle of it
  }
  ASSERT_GT(cuts.size(), 20u);
  for (const std::size_t cut : cuts) {
    SCOPED_TRACE(cut);
    fs::remove_all(folder / "again");
    fs::remove_all(folder / "again.building");
    fs::copy(folder / "cut.building", folder / "again.building");
    fs::resize_file(folder / "again.building/journal", std::min(cut, journal.size()));
    expect_built(source, folder / "again", settings_for_test());
    expect_same_files(folder / "whole", folder / "again");
  }
}

TEST(resume, continues_where_it_stopped) {
  const TableForTest source(90);
  const TemporaryFolder folder;
  build_nearly(source, folder / "s", settings_for_test());
  const auto report = build_store(source, "test", folder / "s", settings_for_test());
  ASSERT_TRUE(report.ok());
  EXPECT_GT(report->resumed_at, 40u);
  EXPECT_EQ(report->added, 90u);
}

TEST(resume, a_source_that_was_written_again_begins_anew) {
  const TemporaryFolder folder;
  const auto write = [&folder](char letter) {
    TarForTest tar;
    for (int i = 0; i < 90; ++i) {
      tar.file("key" + std::to_string(i) + ".txt", std::string(1000, letter));
    }
    return folder.write("x.tar", tar.end().bytes());
  };
  const std::string source = write('a');
  build_nearly(*open_samples({source}, {}).value(), folder / "s", settings_for_test());
  write('b');  // of the same size
  const auto table = open_samples({source}, {}).value();
  const auto report = build_store(*table, "test", folder / "s", settings_for_test());
  ASSERT_TRUE(report.ok()) << report.error().to_string();
  EXPECT_EQ(report->resumed_at, 0u);
  EXPECT_TRUE(verify_store(folder / "s", {.sources = {source}})->ok());
}

TEST(identity, of_a_store_is_that_of_its_files) {
  const TemporaryFolder folder;
  expect_built(TableForTest(9), folder / "s", settings_for_test());
  const auto identity = [&folder] { return open_samples({folder / "s"}, {}).value()->identity(); };
  const std::string before = identity();
  EXPECT_EQ(before.size(), 64u);
  EXPECT_EQ(identity(), before);
  for (const char* const name : {"shard-000000.bin", "index.bin", "keys.bin", "tables.bin"}) {
    const std::string now = identity();
    fs::last_write_time(folder / (std::string("s/") + name), fs::file_time_type::clock::now());
    EXPECT_NE(identity(), now) << name;
  }
  EXPECT_NE(identity(), before);
}

TEST(resume, damaged_files_are_not_trusted) {
  const TableForTest source(90);
  const TemporaryFolder folder;
  expect_built(source, folder / "whole", settings_for_test());
  for (const char* const name : {"index.bin", "keys.bin", "shard-000000.bin", "journal"}) {
    SCOPED_TRACE(name);
    fs::remove_all(folder / "s");
    build_nearly(source, folder / "s", settings_for_test());
    fs::resize_file(folder / (std::string("s.building/") + name), 70);
    expect_built(source, folder / "s", settings_for_test());
    expect_same_files(folder / "whole", folder / "s");
  }
}

TEST(resume, another_source_or_other_settings_begin_anew) {
  const TableForTest source(90);
  const TableForTest other(90, 5);
  const TemporaryFolder folder;
  BuildSettings keep = settings_for_test();
  keep.image = StoreImage::keep;
  expect_built(other, folder / "other", settings_for_test());
  expect_built(source, folder / "keep", keep);
  build_nearly(source, folder / "s", settings_for_test());
  expect_built(other, folder / "s", settings_for_test());
  expect_same_files(folder / "other", folder / "s");
  build_nearly(source, folder / "t", settings_for_test());
  expect_built(source, folder / "t", keep);
  expect_same_files(folder / "keep", folder / "t");
  build_nearly(source, folder / "u", settings_for_test());
  BuildSettings again = settings_for_test();
  again.resume = false;
  const auto report = build_store(source, "test", folder / "u", again);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->resumed_at, 0u);
}

TEST(resume, a_build_that_raises_takes_over_none_that_left_samples_out) {
  TableForTest source(90);
  source.bad = {1, 5};
  const TemporaryFolder folder;
  BuildSettings skip = settings_for_test();
  skip.skip_errors = true;
  build_nearly(source, folder / "s", skip);
  const auto refused = build_store(source, "test", folder / "s", settings_for_test());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::invalid);
  EXPECT_NE(refused.error().message.find("2 bad samples"), std::string::npos) << refused.error().message;
  BuildSettings again = settings_for_test();
  again.resume = false;
  EXPECT_EQ(build_store(source, "test", folder / "s", again).error().kind, ErrorKind::corrupt);

  build_nearly(source, folder / "s", skip);
  const auto resumed = build_store(source, "test", folder / "s", skip);
  ASSERT_TRUE(resumed.ok()) << resumed.error().to_string();
  EXPECT_EQ(resumed->skipped, 2u);
  fs::copy(folder / "s", folder / "t.building");
  EXPECT_EQ(build_store(source, "test", folder / "t", settings_for_test()).error().kind, ErrorKind::invalid);
  EXPECT_TRUE(build_store(source, "test", folder / "t", skip).ok());
}

TEST(resume, max_errors_counts_what_was_left_out_before) {
  TableForTest source(300);
  source.bad = {1, 5, 255};
  const TemporaryFolder folder;
  BuildSettings skip = settings_for_test();
  skip.skip_errors = true;
  BuildSettings fewer = skip;
  fewer.max_errors = 2;
  // The third is the last of a checkpoint: behind it no sample is bad.
  EXPECT_EQ(build_store(source, "test", folder / "s", fewer).error().kind, ErrorKind::corrupt);
  const auto refused = build_store(source, "test", folder / "s", fewer);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("3 bad samples, more than max_errors allows"), std::string::npos)
      << refused.error().message;
  expect_built(source, folder / "s", skip);
  EXPECT_EQ(build_store(source, "test", folder / "s", fewer).error().kind, ErrorKind::invalid);
  fs::copy(folder / "s", folder / "t.building");
  EXPECT_EQ(build_store(source, "test", folder / "t", fewer).error().kind, ErrorKind::invalid);
  fewer.max_errors = 3;
  EXPECT_TRUE(build_store(source, "test", folder / "t", fewer).ok());
  fewer.max_errors.reset();
  fewer.max_error_share = 0.009;
  EXPECT_EQ(build_store(source, "test", folder / "s", fewer).error().kind, ErrorKind::invalid);
  fewer.max_error_share = 0.01;
  EXPECT_TRUE(build_store(source, "test", folder / "s", fewer).ok());
}

TEST(resume, finished_but_not_renamed_is_renamed) {
  const TableForTest source(30);
  const TemporaryFolder folder;
  expect_built(source, folder / "whole", settings_for_test());
  fs::copy(folder / "whole", folder / "s.building");
  const auto report = build_store(source, "test", folder / "s", settings_for_test());
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->resumed_at, 30u);
  expect_same_files(folder / "whole", folder / "s");
}

TEST(resume, killed_at_any_moment_gives_the_same_bytes) {
  const TableForTest source(400);
  const TableForTest more(100, 3);
  const TemporaryFolder folder;
  BuildSettings append = settings_for_test();
  append.append = true;
  const auto begun = std::chrono::steady_clock::now();
  expect_built(source, folder / "whole", settings_for_test());
  expect_built(more, folder / "whole", append);
  const auto whole = std::chrono::steady_clock::now() - begun;
  std::mt19937 random(1);
  for (int round = 0; round < 6; ++round) {
    fs::remove_all(folder / "s");
    int kills = 0;
    for (bool complete = false; !complete;) {
      const ::pid_t child = ::fork();
      ASSERT_GE(child, 0);
      if (child == 0) {
        const bool built =
            fs::exists(folder / "s") || build_store(source, "test", folder / "s", settings_for_test()).ok();
        ::_exit(built && build_store(more, "test", folder / "s", append).ok() ? 0 : 1);
      }
      if (kills < 8) {
        std::this_thread::sleep_for(whole * (random() % 100) / 300);
        ::kill(child, SIGKILL);
        ++kills;
      }
      int status = 0;
      ASSERT_EQ(::waitpid(child, &status, 0), child);
      ASSERT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
      complete = WIFEXITED(status);
    }
    expect_same_files(folder / "whole", folder / "s");
    EXPECT_FALSE(fs::exists(folder / "s.building"));
  }
}

TEST(resume, second_builder_is_refused) {
  const TableForTest source(5);
  const TemporaryFolder folder;
  const auto lock = Folder::open(folder.path())->lock_folder("s.building");
  ASSERT_TRUE(lock.ok());
  const auto report = build_store(source, "test", folder / "s", settings_for_test());
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().kind, ErrorKind::timeout);
}

}  // namespace
}  // namespace penstock::inline v0
