// verify of what is not a store: tar shards, class folders.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "codecs/test_recordings.hpp"
#include "formats/tar_for_test.hpp"
#include "store/store_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string image(unsigned seed) {
  const std::vector<std::uint8_t> bytes = jpeg_for_test(20, 30, seed);
  return {bytes.begin(), bytes.end()};
}

/// Sample 3 has no number, sample 5 half an image, sample 6 neither.
std::string damaged_tar(const TemporaryFolder& folder) {
  TarForTest tar;
  for (unsigned i = 0; i < 8; ++i) {
    const std::string whole = image(i);
    tar.file(fmt::format("{}.jpg", i), i == 5 || i == 6 ? whole.substr(0, whole.size() / 2) : whole);
    tar.file(fmt::format("{}.cls", i), i == 3 || i == 6 ? "no number" : "7");
  }
  return folder.write("x.tar", tar.end().bytes());
}

TEST(verify_source, every_bad_sample_of_a_tar_is_found_with_its_place) {
  const TemporaryFolder folder;
  const std::string path = damaged_tar(folder);
  std::uint64_t shown = 0;
  VerifySettings settings{.workers = 2};
  settings.progress = [&shown](std::uint64_t done, std::uint64_t total) {
    shown = done;
    return total == 8;
  };
  const auto report = verify({path}, settings);
  ASSERT_TRUE(report) << report.error().to_string();
  EXPECT_FALSE(report->ok());
  EXPECT_EQ(report->samples, 8u);
  EXPECT_EQ(report->images, 6u);
  EXPECT_EQ(report->problems, 4u);
  EXPECT_EQ(shown, 8u);
  std::vector<std::uint64_t> found;
  for (const Error& error : report->errors) {
    found.push_back(error.place.index.value());
    EXPECT_EQ(error.kind, ErrorKind::corrupt);
    EXPECT_EQ(error.place.shard, path);
    EXPECT_EQ(error.place.key, std::to_string(error.place.index.value()));
    EXPECT_TRUE(error.place.offset);
  }
  EXPECT_THAT(found, ElementsAre(3, 5, 6, 6));
  settings.decode = false;
  EXPECT_EQ(verify({path}, settings)->problems, 2u);
  settings.fields = {{"image", "jpg"}};
  EXPECT_EQ(verify({path}, settings)->problems, 0u);
}

TEST(verify_source, class_folders_and_whole_tars_are_read_too) {
  const TemporaryFolder folder;
  folder.write("set/cats/a.jpg", image(1));
  folder.write("set/dogs/b.jpg", image(2).substr(0, 200));
  const auto folders = verify({folder / "set"});
  ASSERT_TRUE(folders) << folders.error().to_string();
  EXPECT_EQ(folders->problems, 1u);
  EXPECT_THAT(folders->errors[0].to_string(), HasSubstr("b.jpg"));
  TarForTest tar;
  tar.file("1.jpg", image(1));
  EXPECT_TRUE(verify({folder.write("y.tar", tar.end().bytes())})->ok());
}

TEST(verify_source, a_source_without_a_field_of_all_samples_is_a_problem) {
  const TemporaryFolder folder;
  TarForTest tar;
  tar.file("1.jpg", image(1)).file("2.jpg", "no image").file("README.md", "hi").end();
  const std::string path = folder.write("x.tar", tar.bytes());
  const auto report = verify({path});
  ASSERT_TRUE(report) << report.error().to_string();
  EXPECT_FALSE(report->ok());
  EXPECT_EQ(report->samples, 3u);
  ASSERT_EQ(report->errors.size(), 1u);
  EXPECT_THAT(report->errors[0].to_string(), HasSubstr("no field that all samples have"));
  EXPECT_THAT(report->warnings, ElementsAre(HasSubstr("image (2 of 3 samples), md (1 of 3 samples)")));
  EXPECT_EQ(verify({path}, {.fields = {{"image", "jpg"}}})->problems, 2u) << "2.jpg, and README without one";
}

TEST(verify_source, recordings_without_a_length_of_their_own_are_noted) {
  const auto file = [](std::uint32_t size) {
    const test::AudioBytes bytes =
        test::wav_file({test::wav_format({}), test::wav_chunk("data", test::AudioBytes(800), size)});
    return std::string(bytes.begin(), bytes.end());
  };
  const TemporaryFolder folder;
  folder.write("set/a/whole.wav", file(800));
  folder.write("set/a/streamed.wav", file(0xFFFFFFFF));
  const auto report = verify({folder / "set"});
  ASSERT_TRUE(report) << report.error().to_string();
  EXPECT_TRUE(report->ok());
  EXPECT_THAT(report->notes, ElementsAre(HasSubstr("1 recording does not say how long it is")));
}

TEST(verify_source, a_store_is_checked_as_a_store) {
  const TemporaryFolder folder;
  ASSERT_TRUE(build_store({damaged_tar(folder)}, folder / "s", {.skip_errors = true}));
  const auto report = verify({folder / "s"}, {.sources = {folder / "x.tar"}});
  ASSERT_TRUE(report) << report.error().to_string();
  EXPECT_TRUE(report->ok());
  EXPECT_EQ(report->not_in_store, 3u);
}

TEST(verify_source, what_cannot_be_is_refused) {
  const TemporaryFolder folder;
  const std::string tar = damaged_tar(folder);
  EXPECT_EQ(verify({folder / "nothing"}).error().kind, ErrorKind::not_found);
  EXPECT_THAT(verify({tar}, {.sources = {tar}}).error().to_string(), HasSubstr("not a store"));
  EXPECT_THAT(verify({tar, tar}, {.sources = {tar}}).error().to_string(), HasSubstr("one store"));
  VerifySettings stopping;
  stopping.progress = [](std::uint64_t, std::uint64_t) { return false; };
  EXPECT_EQ(verify({tar}, stopping).error().kind, ErrorKind::cancelled);
}

}  // namespace
}  // namespace penstock::inline v0
