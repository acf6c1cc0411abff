#include "penstock/sound_build.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "audio/hdf5_file.hpp"
#include "core/parallel_for.hpp"
#include "formats/tar_for_test.hpp"
#include "io/temporary_folder_for_test.hpp"
#include "penstock/store.hpp"
#include "store/sound_files.hpp"
#include "store/sound_journal.hpp"
#include "store/sound_ring.hpp"
#include "store/sound_shape.hpp"
#include "store/sound_table.hpp"

namespace penstock {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

bool has_hdf5() {
  const auto attribute = sound_file_attribute("/nowhere", "build");
  return attribute.error().kind != ErrorKind::unsupported;
}

/// 16 bits, one channel, 4,096 Hz.
std::string wav(std::size_t samples, unsigned seed) {
  std::string bytes("RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\0\x10\0\0\0\x20\0\0\x02\0\x10\0data\0\0\0\0",
                    44);
  const auto put = [&bytes](std::size_t at, std::size_t value) {
    for (std::size_t i = 0; i < 4; ++i) {
      bytes[at + i] = static_cast<char>(value >> (8 * i));
    }
  };
  put(4, 36 + 2 * samples);
  put(40, 2 * samples);
  for (std::size_t i = 0; i < 2 * samples; ++i) {
    seed = seed * 1664525 + 1013904223;
    bytes += static_cast<char>(seed >> 24);
  }
  return bytes;
}

void write(const std::string& path, const std::string& bytes) {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string sounds_in(const TemporaryFolder& folder, int count) {
  for (int i = 0; i < count; ++i) {
    write(folder / ("in/" + std::string(i % 2 != 0 ? "a" : "b") + "/" + std::to_string(10 + i) + ".wav"),
          wav(static_cast<std::size_t>(1500 + 300 * i), static_cast<unsigned>(i)));
  }
  return folder / "in";
}

TEST(sound_build, bytes_do_not_depend_on_workers_and_bad_files_are_left_out) {
  if (!has_hdf5()) {
    GTEST_SKIP() << "built without HDF5";
  }
  const TemporaryFolder folder;
  const std::string source = sounds_in(folder, 14);
  write(folder / "in/a/12.wav", "RIFF");
  const auto one = build_sound(source, folder / "one.h5", {.duration = 1, .workers = 1});
  ASSERT_TRUE(one.ok()) << one.error().to_string();
  const auto four = build_sound(source, folder / "four.h5",
                                {.duration = 1, .num_mega_buffers = 5, .batch_files = 2, .workers = 4});
  ASSERT_TRUE(four.ok()) << four.error().to_string();
  EXPECT_EQ(four->files, 15U);
  EXPECT_EQ(four->samples, 14U);
  ASSERT_EQ(four->errors.size(), 1U);
  EXPECT_EQ(four->errors[0].place.key, "a/12.wav");
  EXPECT_TRUE(bytes_of(folder / "one.h5") == bytes_of(folder / "four.h5"));
  EXPECT_FALSE(fs::exists(folder / "one.h5.building"));

  const auto again = build_sound(source, folder / "one.h5", {.duration = 1});
  ASSERT_TRUE(again.ok());
  EXPECT_TRUE(again->was_complete);
  EXPECT_EQ(again->samples, 14U);
  EXPECT_EQ(build_sound(source, folder / "one.h5", {.duration = 2}).error().kind, ErrorKind::invalid);
}

TEST(sound_build, goes_on_after_it_was_cancelled) {
  if (!has_hdf5()) {
    GTEST_SKIP() << "built without HDF5";
  }
  const TemporaryFolder folder;
  const std::string source = sounds_in(folder, 40);
  SoundBuildSettings settings{.duration = 10, .batch_files = 1, .workers = 1};
  ASSERT_TRUE(build_sound(source, folder / "whole.h5", settings).ok());
  std::uint64_t seen = 0;
  settings.compute = [&](const float*, std::size_t count, void* out) -> Status {
    std::memset(out, 0, count * 64 * 2);
    return ++seen > 20 ? Status(Error{.kind = ErrorKind::io, .message = "stopped"}) : Status();
  };
  EXPECT_FALSE(build_sound(source, folder / "cut.h5", settings).ok());
  EXPECT_FALSE(fs::exists(folder / "cut.h5"));
  settings.compute = {};
  // What the other computed was zeros: rows before the interruption must come from its run.
  const auto report = build_sound(source, folder / "cut.h5", settings);
  ASSERT_TRUE(report.ok()) << report.error().to_string();
  EXPECT_GT(report->resumed_at, 0U);
  EXPECT_LT(report->resumed_at, 40U);
  const std::string whole = bytes_of(folder / "whole.h5");
  const std::string cut = bytes_of(folder / "cut.h5");
  ASSERT_EQ(whole.size(), cut.size());
  EXPECT_FALSE(whole == cut);
  settings.resume = false;
  ASSERT_TRUE(build_sound(source, folder / "anew.h5", settings).ok());
  EXPECT_TRUE(whole == bytes_of(folder / "anew.h5"));
}

TEST(sound_build, what_a_kill_behind_the_last_step_left_is_no_hindrance) {
  if (!has_hdf5()) {
    GTEST_SKIP() << "built without HDF5";
  }
  const TemporaryFolder folder;
  const std::string source = sounds_in(folder, 4);
  SoundBuildSettings settings{.duration = 10, .batch_files = 1, .workers = 1};
  int seen = 0;
  settings.compute = [&seen](const float*, std::size_t, void*) -> Status {
    return ++seen > 2 ? Status(Error{.kind = ErrorKind::io, .message = "stopped"}) : Status();
  };
  EXPECT_FALSE(build_sound(source, folder / "x.h5", settings).ok());
  ASSERT_TRUE(fs::remove(folder / "x.h5.building/data.h5"));
  settings.compute = {};
  const auto report = build_sound(source, folder / "x.h5", settings);
  ASSERT_TRUE(report) << report.error().to_string();
  EXPECT_EQ(report->samples, 4u);
}

TEST(sound_build, a_file_that_lacks_recordings_is_not_given_to_who_wants_errors) {
  if (!has_hdf5()) {
    GTEST_SKIP() << "built without HDF5";
  }
  const TemporaryFolder folder;
  const std::string source = sounds_in(folder, 4);
  write(source + "/a/bad.wav", "RIFF");
  const auto built = build_sound(source, folder / "x.h5", {});
  ASSERT_TRUE(built) << built.error().to_string();
  EXPECT_EQ(built->skipped, 1u);
  EXPECT_TRUE(build_sound(source, folder / "x.h5", {})->was_complete);
  SoundBuildSettings strict;
  strict.skip_errors = false;
  EXPECT_THAT(build_sound(source, folder / "x.h5", strict).error().to_string(), HasSubstr("lacks 1 bad"));
  SoundBuildSettings anew;
  anew.resume = false;
  EXPECT_THAT(build_sound(source, folder / "x.h5", anew).error().to_string(), HasSubstr("complete file"));
}

TEST(sound_build, an_interrupted_build_of_other_files_is_begun_anew) {
  if (!has_hdf5()) {
    GTEST_SKIP() << "built without HDF5";
  }
  const TemporaryFolder folder;
  const std::string source = sounds_in(folder, 6);
  write(folder / "in/b/99.wav", "no sound");
  const SoundBuildSettings strict{.duration = 1, .batch_files = 1, .workers = 1, .skip_errors = false};
  const auto failed = build_sound(source, folder / "x.h5", strict);
  ASSERT_FALSE(failed.ok());
  EXPECT_THAT(failed.error().to_string(), HasSubstr("b/99.wav"));
  write(folder / "in/b/99.wav", wav(5000, 1));
  const auto report = build_sound(source, folder / "x.h5", strict);
  ASSERT_TRUE(report.ok()) << report.error().to_string();
  EXPECT_EQ(report->resumed_at, 0U);
  EXPECT_EQ(report->samples, 7U);
}

TEST(sound_build, the_pipeline_can_be_tried_without_files) {
  const auto report = test_sound_pipeline(50, {.workers = 2});
  ASSERT_TRUE(report.ok()) << report.error().to_string();
  EXPECT_EQ(report->samples, 50U);
  EXPECT_GT(report->stages.compute, 0.0);
  EXPECT_FALSE(report->bottleneck.empty());
}

void write_tar(const std::string& path, const TarForTest& tar) {
  write(path, std::string(tar.bytes().begin(), tar.bytes().end()));
}

/// Sound i and its label at "<folder><i>.wav" and ".cls"; `bad` has a label that is none.
std::string tars_in(const TemporaryFolder& folder, int count, int bad) {
  for (int shard = 0; shard < 2; ++shard) {
    TarForTest tar;
    for (int i = shard * count / 2; i < (shard + 1) * count / 2; ++i) {
      const std::string name = (i % 2 != 0 ? "a/" : "b/") + std::to_string(10 + i);
      tar.file(name + ".cls", i == bad ? "none" : std::to_string(i % 3 * 2));
      tar.file(name + ".wav", wav(static_cast<std::size_t>(1500 + 300 * i), static_cast<unsigned>(i)));
    }
    write_tar(folder / ("tars/" + std::to_string(shard) + ".tar"), tar.end());
  }
  return folder / "tars";
}

TEST(sound_table, labels_come_from_the_field_or_from_keys) {
  const TemporaryFolder folder;
  const auto table = open_samples({tars_in(folder, 8, 5)}, {});
  ASSERT_TRUE(table.ok()) << table.error().to_string();
  const auto by_field = sounds_of(**table, "tars", "");
  ASSERT_TRUE(by_field.ok()) << by_field.error().to_string();
  EXPECT_EQ(by_field->labels, (std::vector<std::int32_t>{0, 2, 4, 0, 2, 0, 0, 2}));
  EXPECT_EQ(by_field->label_names, (std::vector<std::string>{"0", "1", "2", "3", "4"}));
  ASSERT_EQ(by_field->unlabelled.size(), 1U);
  EXPECT_EQ(by_field->unlabelled.at(5).kind, ErrorKind::corrupt);
  const auto by_pattern = sounds_of(**table, "tars", "{label}/*");
  ASSERT_TRUE(by_pattern.ok()) << by_pattern.error().to_string();
  EXPECT_EQ(by_pattern->label_names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(by_pattern->labels[0], 1);

  const auto sounds = open_samples({folder / "tars"}, {{"audio", "wav"}});
  EXPECT_EQ(sounds_of(**sounds, "tars", "")->label_names, (std::vector<std::string>{"a", "b"}));
  const auto labels = open_samples({folder / "tars"}, {{"label", "cls"}});
  EXPECT_EQ(sounds_of(**labels, "tars", "").error().kind, ErrorKind::invalid);
}

TEST(sound_build, takes_tars_and_stores) {
  if (!has_hdf5()) {
    GTEST_SKIP() << "built without HDF5";
  }
  const TemporaryFolder folder;
  const std::string tars = tars_in(folder, 8, 5);
  const SoundBuildSettings settings{.duration = 2, .workers = 2};
  const auto from_tars = build_sound(tars, folder / "tars.h5", settings);
  ASSERT_TRUE(from_tars.ok()) << from_tars.error().to_string();
  EXPECT_EQ(from_tars->samples, 7U);
  ASSERT_EQ(from_tars->errors.size(), 1U);
  EXPECT_EQ(from_tars->errors[0].place.key, "a/15");
  EXPECT_THAT(from_tars->errors[0].place.shard, HasSubstr("1.tar"));
  EXPECT_TRUE(build_sound(tars, folder / "tars.h5", settings)->was_complete);

  ASSERT_TRUE(build_store(std::vector<std::string>{folder / "tars/0.tar"}, folder / "store", {}).ok());
  const auto from_store = build_sound(folder / "store", folder / "store.h5", settings);
  ASSERT_TRUE(from_store.ok()) << from_store.error().to_string();
  EXPECT_EQ(from_store->samples, 4U);
}

TEST(sound_files, labels_by_pattern) {
  EXPECT_EQ(match_label("{label}_*", "3_anna_7.wav")->label, "3");
  EXPECT_EQ(match_label("*_{label}.wav", "3_anna_7.wav")->label, "anna_7");
  const auto both = match_label("{split}/*/{label}-*", "train/x/dog-1.wav");
  ASSERT_TRUE(both);
  EXPECT_EQ(both->split, "train");
  EXPECT_EQ(both->label, "dog");
  EXPECT_FALSE(match_label("{label}_*", "_7.wav"));  // empty
  EXPECT_FALSE(match_label("{label}*", "a/b"));      // past a folder
  EXPECT_FALSE(match_label("{label}.wav", "a.wave"));
}

TEST(sound_shape, buffers_are_sized_by_memory) {
  SoundBuildSettings settings;
  const SoundShape shape = *shape_of(settings);
  EXPECT_EQ(shape.longs, 40U);
  EXPECT_EQ(shape.shorts, 2U);
  EXPECT_EQ(shape.frames, 1U);
  const std::uint64_t row = shape.wave_bytes() + shape.mel_bytes();
  constexpr std::uint64_t kMuch = std::uint64_t{1} << 40;
  EXPECT_EQ(batch_files_of(settings, shape, 2, kMuch, 1000), 4U);            // in a core's cache
  EXPECT_EQ(batch_files_of(settings, shape, 30, kMuch, 1000), 40U);          // the same for 30 cores
  EXPECT_EQ(batch_files_of(settings, shape, 30, row * 12 * 20, 1000), 20U);  // a quarter, in three buffers
  EXPECT_EQ(batch_files_of(settings, shape, 2, 0, 1000), 1U);
  EXPECT_EQ(batch_files_of(settings, shape, 2, kMuch, 3), 3U);
  settings.compute = [](const float*, std::size_t, void*) { return Status(); };
  EXPECT_EQ(batch_files_of(settings, shape, 2, kMuch, 100'000), (16U << 20) / row);
  settings.autosize_gpu_batch = false;
  EXPECT_EQ(batch_files_of(settings, shape, 2, 0, 1000), 128U);
  settings.batch_files = 5;
  EXPECT_EQ(batch_files_of(settings, shape, 2, 0, 1000), 5U);
}

TEST(sound_journal, ends_at_a_damaged_line) {
  const TemporaryFolder folder;
  const std::string path = folder / "journal";
  {
    auto journal = SoundJournal::begin(path, "{}");
    ASSERT_TRUE(
        journal->add(5, 4, {{.file = 2, .kind = ErrorKind::io, .message = "m\n", .stage = "s"}}).ok());
    ASSERT_TRUE(journal->add(9, 8, {}).ok());
  }
  const std::string whole = bytes_of(path);
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    write(path, whole.substr(0, size));
    auto found = SoundJournal::go_on(path, "{}");
    ASSERT_TRUE(found.ok());
    const std::uint64_t files = *found ? (*found)->progress.files : 0;
    const std::size_t lines = static_cast<std::size_t>(
        std::count(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size), '\n'));
    EXPECT_EQ(files, lines < 2 ? 0U : lines == 2 ? 5U : 9U) << size;
    EXPECT_EQ(found->has_value(), lines > 0) << size;
  }
  write(path, whole);
  EXPECT_EQ((*SoundJournal::go_on(path, "{}"))->progress.bad[0].message, "m\n");
  EXPECT_FALSE(SoundJournal::go_on(path, "{\"other\": 1}")->has_value());
}

TEST(sound_ring, every_row_goes_through_every_stage_in_order) {
  for (const std::size_t buffers : {1U, 2U, 5U}) {
    constexpr std::size_t kFiles = 203;
    SoundRing ring({.first_file = 3,
                    .files = kFiles,
                    .first_row = 2,
                    .batch = 10,
                    .buffers = buffers,
                    .wave_bytes = 1,
                    .mel_bytes = 1,
                    .part = {3, 4, 2}});
    std::vector<std::atomic<int>> stage(kFiles);
    std::vector<std::uint64_t> rows(kFiles, 0);
    std::uint64_t next = 3;
    std::atomic<int> draining = 0;
    parallel_for(4, 4, [&](std::size_t) {
      double waited = 0;
      const auto work = [&](const SoundPart& part) -> Status {
        const int drains = part.stage == SoundStage::drain ? 1 : 0;
        EXPECT_LE(draining += drains, 1) << "two threads drain at once";
        std::this_thread::yield();
        for (std::size_t row = part.begin; row < part.end; ++row) {
          const auto file = static_cast<std::size_t>(part.buffer->first_file) + row;
          EXPECT_EQ(stage[file]++, static_cast<int>(part.stage));
          if (part.stage == SoundStage::fill && file % 7 == 0) {
            part.buffer->bad[row] = Error{};
          }
          if (part.stage == SoundStage::drain) {
            rows[file] = part.buffer->first_row + part.buffer->good_before[row];
          }
        }
        draining -= drains;
        return {};
      };
      const auto finished = [&](const SoundBuffer& buffer) -> Status {
        EXPECT_EQ(buffer.first_file, next);
        next += buffer.count;
        return {};
      };
      EXPECT_TRUE(ring.work(work, finished, waited).ok());
    });
    EXPECT_EQ(next, kFiles);
    std::uint64_t row = 2;
    for (std::size_t file = 3; file < kFiles; ++file) {
      EXPECT_EQ(stage[file], 3) << file;
      EXPECT_EQ(rows[file], row) << file;
      row += file % 7 == 0 ? 0 : 1;
    }
  }
}

TEST(sound_ring, an_error_ends_all_threads) {
  SoundRing ring({.files = 1000, .batch = 4, .buffers = 3, .wave_bytes = 1, .mel_bytes = 1});
  std::atomic<int> failed = 0;
  parallel_for(4, 4, [&](std::size_t) {
    double waited = 0;
    const auto work = [](const SoundPart& part) -> Status {
      const bool fails = part.stage == SoundStage::drain && part.buffer->first_file >= 400;
      return fails ? Status(Error{.kind = ErrorKind::io, .message = "full"}) : Status();
    };
    const Status status = ring.work(
        work, [](const SoundBuffer&) { return Status(); }, waited);
    failed += status.ok() ? 0 : 1;
  });
  EXPECT_EQ(failed, 4);
}

}  // namespace
}  // namespace penstock
