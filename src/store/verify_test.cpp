// verify and info of a finished store.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "codecs/test_recordings.hpp"
#include "formats/store.hpp"
#include "formats/tar_for_test.hpp"
#include "store/store_for_test.hpp"

namespace penstock::inline v0 {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

void flip(const std::string& path, std::uint64_t at) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(static_cast<std::streamoff>(at));
  const char byte = static_cast<char>(file.get() ^ 0x40);
  file.seekp(static_cast<std::streamoff>(at));
  file.put(byte);
}

TEST(verify_store, whole_stores_pass) {
  const TemporaryFolder folder;
  for (const StoreImage image : {StoreImage::keep, StoreImage::repack, StoreImage::raw}) {
    const auto report = verify_store(built(folder, name_of(image), image));
    ASSERT_TRUE(report.ok()) << report.error().to_string();
    EXPECT_TRUE(report->ok());
    EXPECT_EQ(report->samples, 12u);
    EXPECT_EQ(report->images, 12u);
  }
}

TEST(verify_store, finds_a_store_by_the_scheme_of_its_storage) {
  const TemporaryFolder folder;
  const std::string url = "file://" + built(folder, "s", StoreImage::keep);
  const auto report = verify_store(url);
  ASSERT_TRUE(report.ok()) << report.error().to_string();
  EXPECT_TRUE(report->ok());
  EXPECT_EQ(store_info(url)->samples, 12u);
  EXPECT_EQ(verify_store("s3://bucket/s").error().kind, ErrorKind::unsupported);
  EXPECT_EQ(verify_store("s3://bucket/s").error().place.source, "s3://bucket/s");
}

TEST(verify_store, any_changed_byte_is_found) {
  const TemporaryFolder folder;
  const std::string path = built(folder, "s", StoreImage::repack);
  std::mt19937 random(1);
  for (const auto& [name, bytes] : files_in(path)) {
    for (int i = 0; i < 40; ++i) {
      const std::uint64_t at = random() % bytes.size();
      flip(path + "/" + name, at);
      const auto report = verify_store(path);
      EXPECT_TRUE(!report.ok() || !report->ok()) << name << " byte " << at;
      if (report.ok()) {
        EXPECT_FALSE(report->errors.empty());
      } else {
        EXPECT_TRUE(report.error().kind == ErrorKind::corrupt ||
                    report.error().kind == ErrorKind::unsupported);
        EXPECT_FALSE(report.error().place.shard.empty());
      }
      flip(path + "/" + name, at);
    }
  }
  EXPECT_TRUE(verify_store(path)->ok());
}

TEST(verify_store, truncated_files_are_found) {
  const TemporaryFolder folder;
  const std::string path = built(folder, "s", StoreImage::repack);
  for (const auto& [name, bytes] : files_in(path)) {
    for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{bytes.size() / 2},
                                     std::uint64_t{bytes.size() - 1}}) {
      fs::resize_file(path + "/" + name, size);
      const auto report = verify_store(path);
      EXPECT_TRUE(!report.ok() || !report->ok()) << name << " cut to " << size;
      folder.write("s/" + name, std::string_view(bytes));
    }
    fs::rename(path + "/" + name, folder / "away");
    const auto report = verify_store(path);
    EXPECT_TRUE(!report.ok() || !report->ok()) << name << " is missing";
    fs::rename(folder / "away", path + "/" + name);
  }
  EXPECT_TRUE(verify_store(path)->ok());
}

TEST(verify_store, compares_with_the_source) {
  const TemporaryFolder folder;
  TarForTest tar;
  for (int i = 0; i < 5; ++i) {
    tar.file(fmt::format("{}.jpg", i), as_text(jpeg_for_test(20, 30, static_cast<unsigned>(i))));
    tar.file(fmt::format("{}.cls", i), std::to_string(i));
  }
  const std::string source = folder.write("x.tar", tar.end().bytes());
  for (const StoreImage image : {StoreImage::keep, StoreImage::repack, StoreImage::raw}) {
    BuildSettings settings;
    settings.image = image;
    ASSERT_TRUE(build_store({source}, folder / name_of(image), settings).ok());
    const auto report = verify_store(folder / name_of(image), {.sources = {source}});
    ASSERT_TRUE(report.ok()) << report.error().to_string();
    EXPECT_TRUE(report->ok());
    EXPECT_EQ(report->compared, 10u);
  }
  TarForTest changed;
  for (int i = 0; i < 5; ++i) {
    changed.file(fmt::format("{}.jpg", i),
                 as_text(jpeg_for_test(20, 30, static_cast<unsigned>(i == 2 ? 9 : i))));
    changed.file(fmt::format("{}.cls", i), std::to_string(i == 4 ? 7 : i));
  }
  const std::string other = folder.write("y.tar", changed.end().bytes());
  for (const StoreImage image : {StoreImage::keep, StoreImage::repack, StoreImage::raw}) {
    const auto report = verify_store(folder / name_of(image), {.sources = {other}});
    ASSERT_TRUE(report.ok());
    ASSERT_EQ(report->problems, 2u);
    EXPECT_EQ(report->errors[0].place.index, 2u);
    EXPECT_EQ(report->errors[1].place.index, 4u);
  }
}

TEST(verify_store, what_is_no_store_is_told_apart_from_damage) {
  const TemporaryFolder folder;
  EXPECT_EQ(verify_store(folder / "nope").error().kind, ErrorKind::not_found);
  const std::string tar = folder.write("x.tar", TarForTest().end().bytes());
  EXPECT_EQ(verify_store(tar).error().kind, ErrorKind::invalid);
  EXPECT_EQ(verify_store(folder / "").error().kind, ErrorKind::invalid);
}

TEST(verify_store, compares_what_was_not_left_out) {
  const TemporaryFolder folder;
  TarForTest tar;
  for (int i = 0; i < 6; ++i) {
    tar.file(fmt::format("{}.jpg", i),
             i == 1 ? "no image" : as_text(jpeg_for_test(20, 30, static_cast<unsigned>(i))));
    tar.file(fmt::format("{}.cls", i), std::to_string(i));
  }
  const std::string source = folder.write("x.tar", tar.end().bytes());
  BuildSettings settings;
  settings.skip_errors = true;
  ASSERT_TRUE(build_store({source}, folder / "s", settings).ok());
  const auto report = verify_store(folder / "s", {.sources = {source}});
  ASSERT_TRUE(report.ok()) << report.error().to_string();
  EXPECT_TRUE(report->ok());
  EXPECT_EQ(report->compared, 10u);
  EXPECT_EQ(report->not_in_store, 1u);
  EXPECT_EQ(report->notes.size(), 1u);

  TarForTest more;
  for (int i = 0; i < 8; ++i) {
    more.file(fmt::format("{}.jpg", i), as_text(jpeg_for_test(20, 30, static_cast<unsigned>(i))));
    more.file(fmt::format("{}.cls", i), std::to_string(i));
  }
  const std::string larger = folder.write("y.tar", more.end().bytes());
  const auto lacking = verify_store(folder / "s", {.sources = {larger}});
  ASSERT_TRUE(lacking.ok());
  EXPECT_EQ(lacking->not_in_store, 3u);
  EXPECT_EQ(lacking->problems, 1u);  // more than the build left out
}

TEST(verify_store, compares_the_fields_that_the_store_has) {
  const TemporaryFolder folder;
  TarForTest tar;
  for (int i = 0; i < 3; ++i) {
    tar.file(fmt::format("{}.jpg", i), as_text(jpeg_for_test(20, 30, static_cast<unsigned>(i))));
    tar.file(fmt::format("{}.cls", i), std::to_string(i)).file(fmt::format("{}.txt", i), "words");
  }
  const std::string source = folder.write("x.tar", tar.end().bytes());
  const FieldChoice choice = {{"photo", "jpg"}, {"label", "cls"}};
  const auto table = open_samples({source}, {choice});
  ASSERT_TRUE(build_store(**table, "x", folder / "s").ok());
  const auto some = verify_store(folder / "s", {.sources = {source}});
  ASSERT_TRUE(some.ok()) << some.error().to_string();
  EXPECT_TRUE(some->ok());
  EXPECT_EQ(some->compared, 3u);
  EXPECT_THAT(some->notes,
              testing::UnorderedElementsAre(HasSubstr("'photo' was not compared"),
                                            HasSubstr("does not have under these names: 'image', 'text'")));
  const auto all = verify_store(folder / "s", {.sources = {source}, .fields = choice});
  ASSERT_TRUE(all.ok());
  EXPECT_TRUE(all->ok());
  EXPECT_EQ(all->compared, 6u);
  const auto open = verify_store(folder / "s", {.table = open_samples({source}, {choice}).value()});
  ASSERT_TRUE(open.ok());
  EXPECT_EQ(open->compared, 6u);
}

TEST(verify_store, tells_of_fields_that_only_some_samples_had) {
  const TemporaryFolder folder;
  TarForTest tar;
  tar.file("a.txt", "words").file("a.cls", "1").file("b.txt", "words").end();
  const std::string source = folder.write("x.tar", tar.bytes());
  const auto built = build_store({source}, folder / "s");
  ASSERT_TRUE(built.ok());
  EXPECT_THAT(built->warnings, testing::ElementsAre(HasSubstr("label (1 of 2 samples)")));
  const auto report = verify_store(folder / "s", {.sources = {source}});
  ASSERT_TRUE(report.ok());
  EXPECT_TRUE(report->ok());
  EXPECT_THAT(report->warnings, testing::ElementsAre(HasSubstr("label (1 of 2 samples)")));
}

TEST(verify_store, samples_that_were_appended_twice_are_compared_twice) {
  const TemporaryFolder folder;
  const auto tar_of = [&](const char* name, const char* key) {
    TarForTest tar;
    tar.file(fmt::format("{}.txt", key), "words").end();
    return folder.write(name, tar.bytes());
  };
  const std::string a = tar_of("a.tar", "a");
  ASSERT_TRUE(build_store({a}, folder / "s").ok());
  ASSERT_TRUE(build_store({tar_of("b.tar", "b")}, folder / "s", {.append = true}).ok());
  ASSERT_TRUE(build_store({a}, folder / "s", {.append = true}).ok());
  const auto report = verify_store(folder / "s", {.sources = {a}});
  ASSERT_TRUE(report.ok()) << report.error().to_string();
  EXPECT_EQ(report->compared, 2u);
  ASSERT_EQ(report->problems, 1u);
  EXPECT_EQ(report->errors[0].place.key, "b");
  EXPECT_THAT(report->notes, testing::ElementsAre(HasSubstr("3 sources")));
}

TEST(verify_store, a_key_that_comes_too_often_is_told_apart) {
  const TemporaryFolder folder;
  TarForTest twice;
  twice.file("a.txt", "words").file("b.txt", "words").file("a.txt", "words").end();
  ASSERT_TRUE(build_store({folder.write("x.tar", twice.bytes())}, folder / "s").ok());
  TarForTest once;
  once.file("a.txt", "words").file("b.txt", "words").end();
  const auto report = verify_store(folder / "s", {.sources = {folder.write("y.tar", once.bytes())}});
  ASSERT_TRUE(report.ok());
  ASSERT_EQ(report->problems, 1u);
  EXPECT_THAT(report->errors[0].message, HasSubstr("more often in the store"));
}

TEST(verify_store, impossible_settings_are_refused) {
  const TemporaryFolder folder;
  const std::string store = built(folder, "s", StoreImage::keep, 2);
  EXPECT_EQ(verify_store(store, {.workers = 99'999'999}).error().kind, ErrorKind::invalid);
  EXPECT_EQ(convert_store(store, folder / "t", {.shard_bytes = 0}).error().kind, ErrorKind::invalid);
}

TEST(store_info, counts_fields_codecs_and_sizes) {
  const TemporaryFolder folder;
  const auto info = store_info(built(folder, "s", StoreImage::raw));
  ASSERT_TRUE(info.ok());
  EXPECT_EQ(info->samples, 12u);
  ASSERT_EQ(info->fields.size(), 6u);
  EXPECT_EQ(info->fields[0].codecs.at("pixels").fields, 12u);
  EXPECT_EQ(info->fields[5].codecs.at("number").stored_bytes, 96u);
  EXPECT_EQ(info->image, "raw");
  std::uint64_t total = 0;
  for (const auto& [name, bytes] : files_in(folder / "s")) {
    total += bytes.size();
  }
  EXPECT_EQ(info->total_bytes, total);
  std::uint64_t images = 0;
  for (const auto& [side, count] : info->image_sizes) {
    images += count;
    EXPECT_TRUE(side == 32 || side == 64 || side == 128) << side;
  }
  EXPECT_EQ(images, 12u);
}

}  // namespace
}  // namespace penstock::inline v0
