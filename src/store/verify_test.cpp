// verify, info and convert of a finished store.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "codecs/test_recordings.hpp"
#include "formats/store.hpp"
#include "formats/tar_for_test.hpp"
#include "store/store_for_test.hpp"
#include "store/tar_writer.hpp"

namespace penstock::inline v0 {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string built(const TemporaryFolder& folder, const std::string& name, StoreImage image,
                  std::uint64_t samples = 12) {
  BuildSettings settings;
  settings.image = image;
  settings.shard_bytes = 16384;
  settings.workers = 2;
  const auto report = build_store(TableForTest(samples), "test", folder / name, settings);
  EXPECT_TRUE(report.ok()) << report.error().to_string();
  return folder / name;
}

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
  const auto table = open_samples({source}, choice);
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
  const auto open = verify_store(folder / "s", {.table = open_samples({source}, choice).value()});
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

TEST(convert_store, gives_tars_with_the_same_samples) {
  const TemporaryFolder folder;
  TarForTest tar;
  const std::string long_key = std::string(80, 'd') + "/" + std::string(60, 'n');
  for (int i = 0; i < 20; ++i) {
    const std::string key = long_key + std::to_string(i);
    for (const auto& [extension, text] :
         {std::pair<std::string, std::string>{
              "jpg", std::string(as_text(jpeg_for_test(20, 30, static_cast<unsigned>(i))))},
          {"cls", std::to_string(i)},
          {"txt", "words"},
          {"json", "{}"},
          {"wav", std::string(as_text(test::wav_of({1, 2, 3})))},
          {"my.bin", "x"}}) {
      tar.pax(TarForTest::record("path", key + "." + extension));
      tar.file("short", text);
    }
  }
  const std::string source = folder.write("x.tar", tar.end().bytes());
  const auto report = build_store({source}, folder / "s", {});
  ASSERT_TRUE(report.ok()) << report.error().to_string();
  const auto converted = convert_store(folder / "s", folder / "tars", {.shard_bytes = 65536});
  ASSERT_TRUE(converted.ok()) << converted.error().to_string();
  EXPECT_GT(converted->shards.size(), 1u);
  EXPECT_EQ(converted->renamed, 0u);
  const auto before = open_samples({source}, {});
  const auto after = open_samples({folder / "tars"}, {});
  ASSERT_TRUE(after.ok()) << after.error().to_string();
  EXPECT_EQ((*after)->fingerprint(), (*before)->fingerprint());
  EXPECT_TRUE(verify_store(folder / "s", {.sources = {folder / "tars"}})->ok());
}

TEST(convert_store, masks_come_back_under_their_names) {
  const TemporaryFolder folder;
  TarForTest tar;
  for (int i = 0; i < 3; ++i) {
    // Files of either kind may hold JPEG, or WAV: names decide.
    tar.file(fmt::format("{}.jpg", i), as_text(jpeg_for_test(20, 30, static_cast<unsigned>(i))));
    tar.file(fmt::format("{}.png", i), as_text(jpeg_for_test(20, 30, static_cast<unsigned>(i + 9))));
    tar.file(fmt::format("{}.wav", i), as_text(test::wav_of({1, 2, 3})));
    tar.file(fmt::format("{}.mp3", i), as_text(test::wav_of({4, 5})));
  }
  const std::string source = folder.write("x.tar", tar.end().bytes());
  ASSERT_TRUE(build_store({source}, folder / "s").ok());
  const auto converted = convert_store(folder / "s", folder / "tars");
  ASSERT_TRUE(converted.ok()) << converted.error().to_string();
  EXPECT_THAT(converted->warnings, testing::IsEmpty());
  const auto before = open_samples({source}, {});
  const auto after = open_samples({folder / "tars"}, {});
  EXPECT_EQ((*after)->fields(), (*before)->fields());
  EXPECT_EQ((*after)->fingerprint(), (*before)->fingerprint());
}

TEST(convert_store, class_folders_become_labels_and_dots_are_replaced) {
  const TemporaryFolder folder;
  for (const char* const name : {"d/cat/a.v1.jpg", "d/cat/a_v1.jpg", "d/dog/b.jpg"}) {
    folder.write(name, as_text(jpeg_for_test(16, 16, 1)));
  }
  ASSERT_TRUE(build_store({folder / "d"}, folder / "s", {}).ok());
  const auto store = open_samples({folder / "s"}, {});
  EXPECT_EQ((*store)->classes(), (std::vector<std::string>{"cat", "dog"}));
  EXPECT_EQ((*store)->fingerprint(), (*open_samples({folder / "d"}, {}))->fingerprint());
  const auto converted = convert_store(folder / "s", folder / "tars");
  ASSERT_TRUE(converted.ok()) << converted.error().to_string();
  EXPECT_EQ(converted->renamed, 2u);
  const auto tars = open_samples({folder / "tars"}, {});
  ASSERT_EQ((*tars)->size(), 3u);
  EXPECT_EQ(as_text((*tars)->read(2, 1)->bytes), "1");
}

TEST(convert_store, pixels_have_no_way_back) {
  const TemporaryFolder folder;
  const auto converted = convert_store(built(folder, "s", StoreImage::raw), folder / "tars");
  ASSERT_FALSE(converted.ok());
  EXPECT_EQ(converted.error().kind, ErrorKind::unsupported);
  EXPECT_FALSE(fs::exists(folder / "tars"));
  EXPECT_FALSE(fs::exists(folder / "tars.building"));
}

TEST(convert_store, keys_that_tars_cannot_hold_are_refused_by_name) {
  const TemporaryFolder folder;
  TableForTest table(4);
  table.other_keys[2] = std::string("nul\0here", 8);
  ASSERT_TRUE(build_store(table, "test", folder / "s", {}).ok());
  const auto converted = convert_store(folder / "s", folder / "tars");
  ASSERT_FALSE(converted.ok());
  EXPECT_EQ(converted.error().kind, ErrorKind::unsupported);
  EXPECT_THAT(converted.error().message, HasSubstr("NUL"));
  EXPECT_EQ(converted.error().place.key, table.other_keys[2]);
  EXPECT_EQ(converted.error().place.index, 2u);
  EXPECT_FALSE(fs::exists(folder / "tars"));
  EXPECT_FALSE(fs::exists(folder / "tars.building"));
}

TEST(convert_store, the_longest_keys_of_a_store_come_back_from_its_tars) {
  const TemporaryFolder folder;
  TableForTest table(4);
  table.other_keys[2] = std::string(kMaxKeyBytes, 'k');
  ASSERT_TRUE(build_store(table, "test", folder / "s", {}).ok());
  ASSERT_TRUE(convert_store(folder / "s", folder / "tars").ok());
  const auto tars = open_samples({folder / "tars"}, {});
  ASSERT_TRUE(tars.ok()) << tars.error().to_string();
  ASSERT_EQ((*tars)->size(), 4u);
  EXPECT_EQ((*tars)->key(2), table.other_keys[2]);
  table.other_keys[2] += 'k';
  const auto built = build_store(table, "test", folder / "longer", {});
  ASSERT_FALSE(built.ok());
  EXPECT_EQ(built.error().kind, ErrorKind::unsupported);
  EXPECT_THAT(built.error().message, HasSubstr("a key of 65537 bytes"));
}

TEST(TarWriter, refuses_names_for_which_readers_have_no_room) {
  const TemporaryFolder folder;
  const auto opened = Folder::open(folder.path());
  ASSERT_TRUE(opened.ok());
  auto tar = TarWriter::create(*opened, "a.tar");
  ASSERT_TRUE(tar.ok());
  // The longest that fits a header of 1 MiB: "1048576 path=" + name + line feed.
  const std::string longest((1 << 20) - 13 - 1, 'n');
  EXPECT_TRUE(tar->add(longest, {}).ok());
  const std::uint64_t before = tar->size();
  const Status refused = tar->add(longest + "n", {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::unsupported);
  EXPECT_EQ(tar->size(), before);
}

TEST(convert_store, cancelled_leaves_nothing_behind) {
  const TemporaryFolder folder;
  const std::string store = built(folder, "s", StoreImage::keep);
  const auto converted =
      convert_store(store, folder / "tars", {.progress = [](std::uint64_t, std::uint64_t) { return false; }});
  ASSERT_FALSE(converted.ok());
  EXPECT_EQ(converted.error().kind, ErrorKind::cancelled);
  EXPECT_FALSE(fs::exists(folder / "tars.building"));
  EXPECT_TRUE(convert_store(store, folder / "tars").ok());
}

TEST(convert_store, a_folder_of_the_user_is_not_cleared) {
  const TemporaryFolder folder;
  const std::string store = built(folder, "s", StoreImage::keep);
  folder.write("tars.building/shard-000000.tar", std::string_view("mine"));
  EXPECT_EQ(convert_store(store, folder / "tars").error().kind, ErrorKind::invalid);
  EXPECT_EQ(read_text(folder / "tars.building/shard-000000.tar"), "mine");
}

TEST(convert_store, a_name_that_is_too_long_is_an_error) {
  const TemporaryFolder folder;
  const auto converted = convert_store(built(folder, "s", StoreImage::keep), folder / std::string(300, 'x'));
  ASSERT_FALSE(converted.ok());
  EXPECT_NE(converted.error().to_string().find("too long"), std::string::npos);
}

}  // namespace
}  // namespace penstock::inline v0
