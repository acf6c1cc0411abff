// Builds that were interrupted, or met another.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>

#include "core/parallel_for.hpp"
#include "io/machine.hpp"
#include "penstock/audio_build.hpp"
#include "store/audio_journal.hpp"
#include "store/build_options.hpp"
#include "store/recordings_for_test.hpp"

namespace penstock::inline v0 {
namespace {

namespace fs = std::filesystem;
using test::bytes_of;
using test::has_hdf5;
using test::recordings_in;
using test::wav;
using test::write;
using testing::HasSubstr;

TEST(audio_build, continues_after_it_was_cancelled) {
  if (!has_hdf5()) {
    GTEST_SKIP() << "built without HDF5";
  }
  const TemporaryFolder folder;
  const std::string source = recordings_in(folder, 40);
  write(source + "/a/00.wav", "RIFF");  // rows behind it have other numbers than files
  AudioBuildSettings settings{.duration = 10, .batch_files = 1, .workers = 1, .device = "test"};
  int left = 1000;
  settings.compute = [&](const float*, std::size_t count, void* out) -> Status {
    std::memset(out, 1, count * 64 * 2);
    return left-- == 0 ? Status(Error{.kind = ErrorKind::io, .message = "stopped"}) : Status();
  };
  const auto whole = build_audio(source, folder / "whole.h5", settings);
  ASSERT_TRUE(whole.ok()) << whole.error().to_string();
  left = 20;
  EXPECT_FALSE(build_audio(source, folder / "cut.h5", settings).ok());
  EXPECT_FALSE(fs::exists(folder / "cut.h5"));
  left = 1000;
  const auto report = build_audio(source, folder / "cut.h5", settings);
  ASSERT_TRUE(report.ok()) << report.error().to_string();
  EXPECT_GT(report->resumed_at, 10U);
  EXPECT_LT(report->resumed_at, 41U);
  EXPECT_LT(report->bytes_read, whole->bytes_read);
  EXPECT_TRUE(bytes_of(folder / "whole.h5") == bytes_of(folder / "cut.h5"));

  left = 20;
  EXPECT_FALSE(build_audio(source, folder / "again.h5", settings).ok());
  left = 1000;
  settings.resume = false;
  EXPECT_EQ(build_audio(source, folder / "again.h5", settings)->resumed_at, 0U);
  EXPECT_TRUE(bytes_of(folder / "whole.h5") == bytes_of(folder / "again.h5"));
}

TEST(audio_build, a_journal_without_its_rows_is_no_hindrance) {
  if (!has_hdf5()) {
    GTEST_SKIP() << "built without HDF5";
  }
  const TemporaryFolder folder;
  const std::string source = recordings_in(folder, 4);
  const std::string data = folder / "x.h5.building/data.h5";
  AudioBuildSettings settings{.duration = 10, .batch_files = 1, .workers = 1, .device = "test"};
  int left = 2;
  settings.compute = [&left](const float*, std::size_t count, void* out) -> Status {
    std::memset(out, 0, count * 64 * 2);
    return left-- == 0 ? Status(Error{.kind = ErrorKind::io, .message = "stopped"}) : Status();
  };
  EXPECT_FALSE(build_audio(source, folder / "x.h5", settings).ok());
  ASSERT_TRUE(fs::remove(data));  // as a kill after the last step leaves it
  left = 2;
  EXPECT_FALSE(build_audio(source, folder / "x.h5", settings).ok());
  fs::resize_file(data, 20'000);
  left = 1000;
  const auto report = build_audio(source, folder / "x.h5", settings);
  ASSERT_TRUE(report) << report.error().to_string();
  EXPECT_EQ(report->samples, 4U);
  EXPECT_EQ(report->resumed_at, 0U);
}

TEST(audio_build, what_another_version_or_start_of_the_machine_left_is_not_trusted) {
  if (!has_hdf5() || boot_name().empty()) {
    GTEST_SKIP() << "built without HDF5, or the machine does not say when it was started";
  }
  const TemporaryFolder folder;
  const std::string source = recordings_in(folder, 4);
  AudioBuildSettings settings{.duration = 1, .batch_files = 1, .workers = 1, .device = "test"};
  int left = 0;
  settings.compute = [&left](const float*, std::size_t count, void* out) -> Status {
    std::memset(out, 0, count * 64 * 2);
    return left-- == 0 ? Status(Error{.kind = ErrorKind::io, .message = "stopped"}) : Status();
  };
  for (const std::string& changed : {std::string(), boot_name(), penstock_name()}) {
    const std::string out = folder / ("without" + changed + ".h5");
    left = 2;
    EXPECT_FALSE(build_audio(source, out, settings).ok());
    const std::string path = out + ".building/journal";
    const std::string journal = bytes_of(path);
    const std::size_t first_line = journal.find('\n');
    std::string build = journal.substr(9, first_line - 9);  // behind the checksum
    const std::size_t place = build.find(changed);
    ASSERT_NE(place, std::string::npos);
    build.erase(place, changed.size());
    fs::remove(path);
    const Folder building = Folder::open(out + ".building").value();
    ASSERT_TRUE(AudioJournal::begin(building, build).ok());
    write(path, bytes_of(path) + journal.substr(first_line + 1));
    ASSERT_EQ((*AudioJournal::resume(building, build))->progress.files, 2U);
    left = 1000;
    EXPECT_EQ(build_audio(source, out, settings)->resumed_at, changed.empty() ? 2U : 0U) << changed;
  }
}

TEST(audio_build, continues_after_a_kill_in_its_last_steps) {
  if (!has_hdf5()) {
    GTEST_SKIP() << "built without HDF5";
  }
  const TemporaryFolder folder;
  const std::string source = recordings_in(folder, 30);
  write(source + "/a/12.wav", "RIFF");
  write(source + "/b/99.wav", "RIFF");
  AudioBuildSettings settings{.duration = 1, .batch_files = 4, .workers = 1, .device = "test"};
  std::string taken;
  settings.compute = [&taken](const float*, std::size_t count, void* out) -> Status {
    std::memset(out, 1, count * 64 * 2);
    if (!taken.empty()) {
      write(taken, "mine");
    }
    return {};
  };
  ASSERT_TRUE(build_audio(source, folder / "whole.h5", settings).ok());
  const std::string whole = bytes_of(folder / "whole.h5");

  // Somebody takes the name meanwhile: all is done but the last step, and nothing is overwritten.
  const std::string data = folder / "x.h5.building/data.h5";
  taken = folder / "x.h5";
  EXPECT_THAT(build_audio(source, folder / "x.h5", settings).error().to_string(), HasSubstr("x.h5"));
  EXPECT_EQ(bytes_of(folder / "x.h5"), "mine");
  taken.clear();
  fs::remove(folder / "x.h5");
  EXPECT_TRUE(bytes_of(data) == whole);
  // Written in part, as a kill leaves it: all that is no row is written again.
  std::fstream(data, std::ios::in | std::ios::out | std::ios::binary).write("damaged damaged damaged", 23);
  const auto report = build_audio(source, folder / "x.h5", settings);
  ASSERT_TRUE(report.ok()) << report.error().to_string();
  EXPECT_EQ(report->resumed_at, 32U);
  EXPECT_EQ(report->bytes_read, 0U);
  EXPECT_EQ(report->skipped, 2U);
  EXPECT_TRUE(bytes_of(folder / "x.h5") == whole);
  EXPECT_FALSE(fs::exists(folder / "x.h5.building"));
}

TEST(audio_build, who_comes_late_takes_what_another_has_made) {
  if (!has_hdf5()) {
    GTEST_SKIP() << "built without HDF5";
  }
  const TemporaryFolder folder;
  const std::string source = recordings_in(folder, 2);
  for (int round = 0; round < 40; ++round) {
    const std::string out = folder / (std::to_string(round) + ".h5");
    std::atomic<int> built = 0;
    parallel_for(3, 3, [&](std::size_t) {
      auto report = build_audio(source, out, {.duration = 1, .workers = 1});
      while (!report.ok() && report.error().kind == ErrorKind::timeout) {
        report = build_audio(source, out, {.duration = 1, .workers = 1});
      }
      ASSERT_TRUE(report.ok()) << report.error().to_string();
      built += report->was_complete ? 0 : 1;
    });
    EXPECT_EQ(built, 1);
    EXPECT_FALSE(fs::exists(out + ".building"));
  }
}

TEST(audio_build, leaves_alone_what_others_put_into_its_folder) {
  if (!has_hdf5()) {
    GTEST_SKIP() << "built without HDF5";
  }
  const TemporaryFolder folder;
  const std::string source = recordings_in(folder, 2);
  write(folder / "x.h5.building/notes.txt", "mine");
  ASSERT_TRUE(build_audio(source, folder / "x.h5", {.duration = 1}).ok());
  EXPECT_EQ(bytes_of(folder / "x.h5.building/notes.txt"), "mine");
  EXPECT_FALSE(fs::exists(folder / "x.h5.building/journal"));
  EXPECT_FALSE(fs::exists(folder / "x.h5.building/lock"));
  write(folder / "x.h5.building/journal", "what a kill left");
  EXPECT_TRUE(build_audio(source, folder / "x.h5", {.duration = 1})->was_complete);
  EXPECT_FALSE(fs::exists(folder / "x.h5.building/journal"));
}

TEST(audio_build, a_device_has_builds_of_its_own) {
  if (!has_hdf5()) {
    GTEST_SKIP() << "built without HDF5";
  }
  const TemporaryFolder folder;
  const std::string source = recordings_in(folder, 6);
  AudioBuildSettings other{.duration = 1, .batch_files = 1, .workers = 1, .device = "other"};
  int left = 3;
  other.compute = [&left](const float*, std::size_t, void*) -> Status {
    return left-- == 0 ? Status(Error{.kind = ErrorKind::io, .message = "stopped"}) : Status();
  };
  EXPECT_FALSE(build_audio(source, folder / "x.h5", other).ok());
  const auto report = build_audio(source, folder / "x.h5", {.duration = 1});
  ASSERT_TRUE(report.ok()) << report.error().to_string();
  EXPECT_EQ(report->resumed_at, 0U);
  EXPECT_EQ(audio_file_attribute(folder / "x.h5", "device").value(), "cpu");
  EXPECT_THAT(build_audio(source, folder / "x.h5", other).error().to_string(), HasSubstr("already"));
  other.device = "cpu";
  EXPECT_THAT(build_audio(source, folder / "y.h5", other).error().to_string(), HasSubstr("device"));
  EXPECT_FALSE(build_audio(source, folder / "y.h5", {.duration = 1, .device = "other"}).ok());
}

TEST(audio_build, a_file_that_lacks_recordings_is_not_given_to_who_wants_errors) {
  if (!has_hdf5()) {
    GTEST_SKIP() << "built without HDF5";
  }
  const TemporaryFolder folder;
  const std::string source = recordings_in(folder, 4);
  write(source + "/a/bad.wav", "RIFF");
  const auto built = build_audio(source, folder / "x.h5", {});
  ASSERT_TRUE(built) << built.error().to_string();
  EXPECT_EQ(built->skipped, 1u);
  EXPECT_TRUE(build_audio(source, folder / "x.h5", {})->was_complete);
  AudioBuildSettings strict;
  strict.skip_errors = false;
  EXPECT_THAT(build_audio(source, folder / "x.h5", strict).error().to_string(), HasSubstr("lacks 1 bad"));
  AudioBuildSettings again;
  again.resume = false;
  EXPECT_THAT(build_audio(source, folder / "x.h5", again).error().to_string(), HasSubstr("complete file"));
}

TEST(audio_build, an_interrupted_build_of_other_files_is_begun_anew) {
  if (!has_hdf5()) {
    GTEST_SKIP() << "built without HDF5";
  }
  const TemporaryFolder folder;
  const std::string source = recordings_in(folder, 6);
  write(folder / "in/b/99.wav", "no audio");
  const AudioBuildSettings strict{.duration = 1, .batch_files = 1, .workers = 1, .skip_errors = false};
  const auto failed = build_audio(source, folder / "x.h5", strict);
  ASSERT_FALSE(failed.ok());
  EXPECT_THAT(failed.error().to_string(), HasSubstr("b/99.wav"));
  write(folder / "in/b/99.wav", wav(5000, 1));
  const auto report = build_audio(source, folder / "x.h5", strict);
  ASSERT_TRUE(report.ok()) << report.error().to_string();
  EXPECT_EQ(report->resumed_at, 0U);
  EXPECT_EQ(report->samples, 7U);
}

TEST(audio_journal, ends_at_a_damaged_line) {
  const TemporaryFolder folder;
  const std::string path = folder / "journal";
  const Folder building = Folder::open(folder.path()).value();
  {
    auto journal = AudioJournal::begin(building, "{}");
    ASSERT_TRUE(
        journal
            ->add(5, 4, {{.file = 2, .kind = ErrorKind::io, .message = "m\n", .advice = "a", .stage = "s"}})
            .ok());
    ASSERT_TRUE(journal->add(9, 8, {}).ok());
  }
  const std::string whole = bytes_of(path);
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    write(path, whole.substr(0, size));
    auto found = AudioJournal::resume(building, "{}");
    ASSERT_TRUE(found.ok());
    const std::uint64_t files = *found ? (*found)->progress.files : 0;
    const std::size_t lines = static_cast<std::size_t>(
        std::count(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size), '\n'));
    EXPECT_EQ(files, lines < 2 ? 0U : lines == 2 ? 5U : 9U) << size;
    EXPECT_EQ(found->has_value(), lines > 0) << size;
  }
  write(path, whole);
  EXPECT_EQ((*AudioJournal::resume(building, "{}"))->progress.bad[0],
            (BadRecording{.file = 2, .kind = ErrorKind::io, .message = "m\n", .advice = "a", .stage = "s"}));
  EXPECT_FALSE(AudioJournal::resume(building, "{\"other\": 1}")->has_value());
}

}  // namespace
}  // namespace penstock::inline v0
