// Tars of a finished store.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "formats/store.hpp"
#include "formats/tar_for_test.hpp"
#include "store/store_for_test.hpp"
#include "store/tar_writer.hpp"

namespace penstock::inline v0 {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

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
