#include "penstock/audio_build.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <filesystem>

#include "formats/tar_for_test.hpp"
#include "penstock/store.hpp"
#include "store/audio_files.hpp"
#include "store/audio_pipeline.hpp"
#include "store/audio_shape.hpp"
#include "store/audio_table.hpp"
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

TEST(audio_build, bytes_do_not_depend_on_workers_and_bad_files_are_left_out) {
  if (!has_hdf5()) {
    GTEST_SKIP() << "built without HDF5";
  }
  const TemporaryFolder folder;
  const std::string source = recordings_in(folder, 14);
  write(folder / "in/a/12.wav", "RIFF");
  const auto one = build_audio(source, folder / "one.h5", {.duration = 1, .workers = 1});
  ASSERT_TRUE(one.ok()) << one.error().to_string();
  const auto four = build_audio(source, folder / "four.h5",
                                {.duration = 1, .num_mega_buffers = 5, .batch_files = 2, .workers = 4});
  ASSERT_TRUE(four.ok()) << four.error().to_string();
  EXPECT_EQ(four->files, 15U);
  EXPECT_EQ(four->samples, 14U);
  ASSERT_EQ(four->errors.size(), 1U);
  EXPECT_EQ(four->errors[0].place.key, "a/12.wav");
  EXPECT_TRUE(bytes_of(folder / "one.h5") == bytes_of(folder / "four.h5"));
  ASSERT_TRUE(build_audio("file://" + source, folder / "url.h5", {.duration = 1}).ok());
  EXPECT_TRUE(bytes_of(folder / "url.h5") == bytes_of(folder / "four.h5"));
  EXPECT_FALSE(fs::exists(folder / "one.h5.building"));
  write(folder / "in/a/12.wav", wav(3000, 1));
  EXPECT_EQ(build_audio(source, folder / "one.h5", {.duration = 1}).error().kind, ErrorKind::invalid);
  write(folder / "in/a/12.wav", "RIFF");

  const auto again = build_audio(source, folder / "one.h5", {.duration = 1});
  ASSERT_TRUE(again.ok());
  EXPECT_TRUE(again->was_complete);
  EXPECT_EQ(again->samples, 14U);
  EXPECT_EQ(build_audio(source, folder / "one.h5", {.duration = 2}).error().kind, ErrorKind::invalid);
}

TEST(audio_build, features_that_are_no_numbers_are_bad) {
  if (!has_hdf5()) {
    GTEST_SKIP() << "built without HDF5";
  }
  const TemporaryFolder folder;
  const std::string source = recordings_in(folder, 12);
  for (const bool half : {true, false}) {
    AudioBuildSettings settings{.duration = 1, .half = half, .batch_files = 3, .workers = 2};
    settings.device = "test";
    std::atomic<int> next = 0;
    // One row in the middle of a batch; its last value.
    settings.compute = [&](const float*, std::size_t count, void* out) -> Status {
      const std::size_t size = count * 64 * (half ? 2 : 4);
      std::memset(out, 0, size);
      const std::uint32_t infinite = half ? 0xFC00'0000 : 0x7F80'0000;
      if (next++ == 1) {
        std::memcpy(static_cast<char*>(out) + size - 4, &infinite, 4);
      }
      return {};
    };
    settings.seg_microbatch_segments = 8;  // of one file: a call for each
    const auto report = build_audio(source, folder / (half ? "half.h5" : "single.h5"), settings);
    ASSERT_TRUE(report.ok()) << report.error().to_string();
    EXPECT_EQ(report->samples, 11U);
    ASSERT_EQ(report->errors.size(), 1U);
    EXPECT_EQ(report->errors[0].kind, ErrorKind::unsupported);
    EXPECT_THAT(report->errors[0].to_string(), HasSubstr(half ? "float16" : "float32"));
    EXPECT_THAT(report->errors[0].to_string(), HasSubstr("db_mult"));
    EXPECT_FALSE(report->errors[0].place.key.empty());
  }
}

TEST(audio_build, the_pipeline_can_be_tried_without_files) {
  const auto report = try_audio_pipeline(50, {.workers = 2});
  ASSERT_TRUE(report.ok()) << report.error().to_string();
  EXPECT_EQ(report->samples, 50U);
  EXPECT_GT(report->stages.compute, 0.0);
  EXPECT_FALSE(report->bottleneck.empty());
}

void write_tar(const std::string& path, const TarForTest& tar) {
  write(path, std::string(tar.bytes().begin(), tar.bytes().end()));
}

/// Audio i and its label at "<folder><i>.wav" and ".cls"; `bad` has a label that is none.
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

TEST(audio_table, labels_come_from_the_field_or_from_keys) {
  const TemporaryFolder folder;
  const auto table = open_samples({tars_in(folder, 8, 5)}, {});
  ASSERT_TRUE(table.ok()) << table.error().to_string();
  const auto by_field = recordings_of(**table, "tars", "");
  ASSERT_TRUE(by_field.ok()) << by_field.error().to_string();
  EXPECT_EQ(by_field->labels, (std::vector<std::int64_t>{0, 2, 4, 0, 2, 0, 0, 2}));
  EXPECT_EQ(by_field->label_names, (std::vector<std::string>{"0", "1", "2", "3", "4"}));
  ASSERT_EQ(by_field->unlabelled.size(), 1U);
  EXPECT_EQ(by_field->unlabelled.at(5).kind, ErrorKind::corrupt);
  const auto by_pattern = recordings_of(**table, "tars", "{label}/*");
  ASSERT_TRUE(by_pattern.ok()) << by_pattern.error().to_string();
  EXPECT_EQ(by_pattern->label_names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(by_pattern->labels[0], 1);

  const auto recordings = open_samples({folder / "tars"}, {{{"audio", "wav"}}});
  EXPECT_EQ(recordings_of(**recordings, "tars", "")->label_names, (std::vector<std::string>{"a", "b"}));
  const auto labels = open_samples({folder / "tars"}, {{{"label", "cls"}}});
  EXPECT_EQ(recordings_of(**labels, "tars", "").error().kind, ErrorKind::invalid);
}

TEST(audio_table, large_numbers_stay_and_have_no_names) {
  const TemporaryFolder folder;
  TarForTest tar;
  const std::vector<std::string> labels = {"7", "65536", "5000000000", "-1"};
  for (std::size_t i = 0; i < labels.size(); ++i) {
    tar.file(std::to_string(i) + ".cls", labels[i]);
    tar.file(std::to_string(i) + ".wav", wav(1500, 1));
  }
  write_tar(folder / "x.tar", tar.end());
  const auto table = open_samples({folder / "x.tar"}, {});
  const auto recordings = recordings_of(**table, "x.tar", "");
  ASSERT_TRUE(recordings.ok()) << recordings.error().to_string();
  EXPECT_EQ(recordings->labels, (std::vector<std::int64_t>{7, 65'536, 5'000'000'000, 0}));
  EXPECT_TRUE(recordings->label_names.empty());
  ASSERT_EQ(recordings->unlabelled.size(), 1U);
  EXPECT_THAT(recordings->unlabelled.at(3).to_string(), HasSubstr("0 or more"));
}

TEST(audio_build, takes_tars_and_stores) {
  if (!has_hdf5()) {
    GTEST_SKIP() << "built without HDF5";
  }
  const TemporaryFolder folder;
  const std::string tars = tars_in(folder, 8, 5);
  const AudioBuildSettings settings{.duration = 2, .workers = 2};
  const auto from_tars = build_audio(tars, folder / "tars.h5", settings);
  ASSERT_TRUE(from_tars.ok()) << from_tars.error().to_string();
  EXPECT_EQ(from_tars->samples, 7U);
  ASSERT_EQ(from_tars->errors.size(), 1U);
  EXPECT_EQ(from_tars->errors[0].place.key, "a/15");
  EXPECT_THAT(from_tars->errors[0].place.shard, HasSubstr("1.tar"));
  EXPECT_TRUE(build_audio(tars, folder / "tars.h5", settings)->was_complete);

  ASSERT_TRUE(build_store(std::vector<std::string>{folder / "tars/0.tar"}, folder / "store", {}).ok());
  const auto from_store = build_audio(folder / "store", folder / "store.h5", settings);
  ASSERT_TRUE(from_store.ok()) << from_store.error().to_string();
  EXPECT_EQ(from_store->samples, 4U);
}

TEST(audio_files, labels_by_pattern) {
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

TEST(audio_shape, buffers_are_sized_by_memory) {
  AudioBuildSettings settings;
  const AudioShape shape = *shape_of(settings);
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
  settings.device = "test";
  settings.compute = [](const float*, std::size_t, void*) { return Status(); };
  EXPECT_EQ(batch_files_of(settings, shape, 2, kMuch, 100'000), (16U << 20) / row);
  settings.autosize_gpu_batch = false;
  EXPECT_EQ(batch_files_of(settings, shape, 2, 0, 1000), 128U);
  settings.batch_files = 5;
  EXPECT_EQ(batch_files_of(settings, shape, 2, 0, 1000), 5U);
}

}  // namespace
}  // namespace penstock::inline v0
