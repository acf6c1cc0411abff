#include "formats/image_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "formats/field_value.hpp"
#include "formats/tar_for_test.hpp"
#include "io/temporary_folder_for_test.hpp"
#include "io/without_rights_for_test.hpp"

namespace penstock::inline v0 {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ImageFolderTest : public ::testing::Test {
 protected:
  Result<std::unique_ptr<SampleTable>> open(const FieldChoice& fields = {}) const {
    return open_samples({folder_.path()}, {fields});
  }
  /// "key=label", in order.
  static std::vector<std::string> list(const SampleTable& table) {
    std::vector<std::string> all;
    for (std::uint64_t i = 0; i < table.size(); ++i) {
      all.push_back(table.key(i));
      if (table.fields().size() > 1) {
        all.back() += fmt::format("={}", integer_of(*table.read(i, 1)).value());
      }
    }
    return all;
  }

  TemporaryFolder folder_;
};

TEST_F(ImageFolderTest, numbers_sorted_classes) {
  folder_.write("dog/1.jpg", "D");
  folder_.write("cat/2.PNG", "C2");
  folder_.write("cat/1.Jpeg", "C1");
  folder_.write("Zebra/z.webp", "Z");
  const auto table = open();
  ASSERT_TRUE(table.ok()) << table.error().to_string();
  EXPECT_THAT((*table)->classes(), ElementsAre("Zebra", "cat", "dog"));
  EXPECT_THAT(list(**table), ElementsAre("Zebra/z=0", "cat/1=1", "cat/2=1", "dog/1=2"));
  EXPECT_EQ((*table)->fields(),
            (std::vector<FieldInfo>{{"image", FieldKind::image}, {"label", FieldKind::integer}}));
  const auto image = (*table)->read(2, 0);
  ASSERT_TRUE(image.ok());
  EXPECT_EQ(as_text(image->bytes), "C2");
  const auto label = (*table)->read(2, 1);
  EXPECT_TRUE(label->number);
  EXPECT_TRUE(label->bytes.empty());
  EXPECT_EQ((*table)->stored_size(2, 0), 2u);
  EXPECT_EQ((*table)->stored_size(2, 1), 8u);
  EXPECT_EQ((*table)->place(2, 0).shard, folder_ / "cat/2.PNG");
  EXPECT_THAT((*table)->warnings(), IsEmpty());
}

TEST_F(ImageFolderTest, orders_folders_below_a_class_as_torchvision) {
  for (const char* name : {"c/b.jpg", "c/a/x.jpg", "c/a-b/x.jpg", "c/a/b/x.jpg", "c/z/x.jpg", "c/a.jpg"}) {
    folder_.write(name, "x");
  }
  // sorted(os.walk(...)): by the folder's path as text, where '-' comes before '/'.
  EXPECT_THAT(list(**open()), ElementsAre("c/a=0", "c/b=0", "c/a/x=0", "c/a-b/x=0", "c/a/b/x=0", "c/z/x=0"));
}

TEST_F(ImageFolderTest, ignores_hidden_names_and_other_files) {
  folder_.write("a/1.jpg", "x");
  folder_.write("a/.hidden.jpg", "x");
  folder_.write("a/.cache/2.jpg", "x");
  folder_.write(".git/3.jpg", "x");
  folder_.write("a/notes.txt", "x");
  folder_.write("a/noextension", "x");
  folder_.write("labels.csv", "x");
  EXPECT_THAT(list(**open()), ElementsAre("a/1=0"));
}

TEST_F(ImageFolderTest, follows_links_and_ends_in_circles) {
  TemporaryFolder elsewhere;
  elsewhere.write("images/1.jpg", "x");
  elsewhere.write("2.jpg", "y");
  fs::create_directories(folder_ / "a");
  fs::create_directory_symlink(elsewhere / "images", folder_ / "b");
  fs::create_symlink(elsewhere / "2.jpg", folder_ / "a/2.jpg");
  fs::create_directory_symlink(folder_.path(), folder_ / "a/loop");
  fs::create_directory_symlink("..", folder_ / "a/up");
  const auto table = open();
  ASSERT_TRUE(table.ok()) << table.error().to_string();
  EXPECT_EQ((*table)->classes().size(), 2u);
  EXPECT_EQ(as_text((*table)->read(0, 0)->bytes), "y");
}

TEST_F(ImageFolderTest, reports_a_link_that_leads_nowhere_when_read) {
  folder_.write("a/1.jpg", "x");
  fs::create_symlink(folder_ / "gone.jpg", folder_ / "a/2.jpg");
  const auto table = open();
  ASSERT_EQ((*table)->size(), 2u);
  const auto missing = (*table)->read(1, 0);
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().kind, ErrorKind::not_found);
  EXPECT_EQ(missing.error().place.key, "a/2");
  EXPECT_EQ(missing.error().place.index, 1u);
}

TEST_F(ImageFolderTest, keeps_extensions_where_keys_would_clash) {
  for (const char* name : {"c/a.jpg", "c/a.png", "c/a.jpg.png", "c/b.jpg"}) {
    folder_.write(name, "x");
  }
  EXPECT_THAT(list(**open()), ElementsAre("c/a.jpg=0", "c/a.jpg.png=0", "c/a.png=0", "c/b=0"));
}

TEST_F(ImageFolderTest, warns_of_images_that_cannot_be_decoded_or_have_no_class) {
  folder_.write("a/1.jpg", "x");
  folder_.write("a/2.bmp", "x");
  folder_.write("a/3.TIFF", "x");
  folder_.write("top.jpg", "x");
  const auto table = open();
  EXPECT_THAT(
      (*table)->warnings(),
      ElementsAre(HasSubstr("2 images are left out because their format is not supported (first: a/2.bmp)"),
                  HasSubstr("1 images beside the class folders")));
}

TEST_F(ImageFolderTest, refuses_class_folders_without_images) {
  folder_.write("a/1.jpg", "x");
  folder_.write("logs/run.txt", "x");
  const auto table = open();
  ASSERT_FALSE(table.ok());
  EXPECT_EQ(table.error().kind, ErrorKind::not_found);
  EXPECT_THAT(table.error().to_string(), HasSubstr("1 of 2 class folders hold no image (first: 'logs')"));
}

TEST_F(ImageFolderTest, gives_images_without_classes_no_label) {
  folder_.write("2.jpg", "x");
  folder_.write("1.png", "x");
  const auto table = open();
  ASSERT_TRUE(table.ok());
  EXPECT_THAT(list(**table), ElementsAre("1", "2"));
  EXPECT_THAT((*table)->fields(), ElementsAre(FieldInfo{"image", FieldKind::image}));
  EXPECT_THAT((*table)->classes(), IsEmpty());
}

TEST_F(ImageFolderTest, folders_of_recordings_are_read_as_those_of_images) {
  for (const char* name : {"cat/2.wav", "cat/1.FLAC", "dog/deep/3.mp3", "dog/4.opus", "dog/5.ogg"}) {
    folder_.write(name, "x");
  }
  folder_.write("dog/6.m4a", "x");
  folder_.write("top.wav", "x");
  const auto table = open();
  ASSERT_TRUE(table.ok()) << table.error().to_string();
  EXPECT_THAT(list(**table), ElementsAre("cat/1=0", "cat/2=0", "dog/4=1", "dog/5=1", "dog/deep/3=1"));
  EXPECT_THAT((*table)->fields(),
              ElementsAre(FieldInfo{"audio", FieldKind::audio}, FieldInfo{"label", FieldKind::integer}));
  EXPECT_THAT(
      (*table)->warnings(),
      ElementsAre(
          HasSubstr("1 recordings are left out because their format is not supported (first: dog/6.m4a)"),
          HasSubstr("1 recordings beside the class folders")));
  const auto wrong = open({{"photo", "image"}});
  ASSERT_FALSE(wrong.ok());
  EXPECT_THAT(wrong.error().to_string(),
              HasSubstr("a folder of recordings has no field 'image'; available: audio, label"));
}

TEST_F(ImageFolderTest, recordings_beside_images_are_left_out) {
  folder_.write("a/1.jpg", "x");
  folder_.write("a/1.wav", "x");
  const auto table = open();
  ASSERT_TRUE(table.ok());
  EXPECT_THAT((*table)->fields(),
              ElementsAre(FieldInfo{"image", FieldKind::image}, FieldInfo{"label", FieldKind::integer}));
  EXPECT_THAT((*table)->warnings(), ElementsAre(HasSubstr("1 recordings beside the images are left out")));
}

TEST_F(ImageFolderTest, a_class_without_recordings_is_refused) {
  folder_.write("a/1.wav", "x");
  folder_.write("b/notes.txt", "x");
  const auto table = open();
  ASSERT_FALSE(table.ok());
  EXPECT_THAT(table.error().to_string(), HasSubstr("1 of 2 class folders hold no recording (first: 'b')"));
}

TEST_F(ImageFolderTest, refuses_a_folder_with_nothing_in_it) {
  const auto empty = open();
  ASSERT_FALSE(empty.ok());
  EXPECT_EQ(empty.error().kind, ErrorKind::not_found);
  EXPECT_THAT(empty.error().message,
              HasSubstr("no tar shards, no class folders and no images or recordings"));
}

TEST_F(ImageFolderTest, chooses_and_renames_fields) {
  folder_.write("a/1.jpg", "x");
  const auto table = open({{"target", "label"}, {"photo", "image"}});
  ASSERT_TRUE(table.ok());
  EXPECT_EQ((*table)->fields(),
            (std::vector<FieldInfo>{{"target", FieldKind::integer}, {"photo", FieldKind::image}}));
  const auto wrong = open({{"image", "jpg"}});
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().kind, ErrorKind::invalid);
  EXPECT_THAT(wrong.error().advice, HasSubstr("image, label"));
}

TEST_F(ImageFolderTest, fingerprint_sees_sizes_and_names) {
  folder_.write("a/1.jpg", "x");
  const std::string before = (*open())->fingerprint();
  EXPECT_EQ(before.size(), 32u);
  folder_.write("a/1.jpg", "y");
  EXPECT_EQ((*open())->fingerprint(), before) << "contents of the same size";
  folder_.write("a/1.jpg", "xy");
  EXPECT_NE((*open())->fingerprint(), before);
}

TEST_F(ImageFolderTest, a_folder_of_tars_is_shards) {
  folder_.write("b.tar", TarForTest().file("2.jpg", "x").end().bytes());
  folder_.write("a.tar", TarForTest().file("1.jpg", "x").end().bytes());
  folder_.write("README.md", "x");
  ::setenv("PENSTOCK_CACHE_DIR", (folder_ / "cache").c_str(), 1);
  EXPECT_THAT(list(**open()), ElementsAre("1", "2"));
  ::unsetenv("PENSTOCK_CACHE_DIR");
}

TEST_F(ImageFolderTest, refuses_tars_beside_class_folders) {
  folder_.write("n01/deep/1.jpg", "x");
  folder_.write("n01.tar", TarForTest().file("1.jpg", "x").end().bytes());
  const auto table = open();
  ASSERT_FALSE(table.ok());
  EXPECT_EQ(table.error().kind, ErrorKind::invalid);
  EXPECT_THAT(table.error().message, HasSubstr("1 tar files and folders with images (first: 'n01')"));
  EXPECT_THAT(table.error().advice, HasSubstr(folder_ / "*.tar"));
  EXPECT_EQ(table.error().place.source, folder_.path());
}

TEST_F(ImageFolderTest, reads_tars_beside_folders_without_images) {
  folder_.write("logs/run.txt", "x");
  folder_.write("n01.tar", TarForTest().file("1.jpg", "x").end().bytes());
  ::setenv("PENSTOCK_CACHE_DIR", (folder_ / "cache").c_str(), 1);
  EXPECT_THAT(list(**open()), ElementsAre("1"));
  ::unsetenv("PENSTOCK_CACHE_DIR");
}

TEST_F(ImageFolderTest, says_that_files_beside_tars_are_left_out) {
  folder_.write("2.wav", "x");
  folder_.write("1.flac", "x");
  folder_.write("n01.tar", TarForTest().file("1.jpg", "x").end().bytes());
  ::setenv("PENSTOCK_CACHE_DIR", (folder_ / "cache").c_str(), 1);
  for (int i = 0; i < 2; ++i) {  // the index from the cache too
    const auto table = open();
    ASSERT_TRUE(table.ok());
    EXPECT_THAT(list(**table), ElementsAre("1"));
    EXPECT_THAT((*table)->warnings(),
                ElementsAre(HasSubstr("2 recordings beside them are left out (first: '1.flac')")));
  }
  ::unsetenv("PENSTOCK_CACHE_DIR");
}

TEST_F(ImageFolderTest, says_that_folders_of_splits_are_taken_for_classes) {
  folder_.write("train/1.wav", "x");
  EXPECT_THAT((*open())->warnings(), ElementsAre(HasSubstr("the folders 'train' are treated as classes")));
  folder_.write("bus/1.wav", "x");
  EXPECT_THAT((*open())->warnings(), ElementsAre());
  folder_.write("Test/1.wav", "x");
  EXPECT_THAT((*open())->warnings(),
              ElementsAre(HasSubstr("the folders 'Test', 'train' are treated as classes")));
}

TEST_F(ImageFolderTest, says_how_to_unpack_a_folder_of_compressed_tars) {
  folder_.write("a.tar.GZ", "\x1F\x8B and more");
  const auto table = open();
  ASSERT_FALSE(table.ok());
  EXPECT_EQ(table.error().kind, ErrorKind::unsupported);
  EXPECT_THAT(table.error().message, HasSubstr("compressed with gzip"));
  EXPECT_THAT(table.error().advice, HasSubstr("gunzip"));
}

TEST_F(ImageFolderTest, names_the_source_of_a_folder_that_may_not_be_read) {
  folder_.write("all/a/1.jpg", "x");
  for (const char* shut : {"all", "all/a"}) {
    const WithoutRights nobody(folder_, shut);
    if (!nobody.ok()) {
      GTEST_SKIP() << "the rights of root cannot be given up here";
    }
    const auto table = open_samples({folder_ / "all"}, {});
    ASSERT_FALSE(table.ok());
    EXPECT_EQ(table.error().kind, ErrorKind::io);
    EXPECT_EQ(table.error().place.shard, folder_ / shut);
    EXPECT_EQ(table.error().place.source, folder_ / "all");
  }
}

TEST_F(ImageFolderTest, several_class_folders_as_sources_are_refused_with_advice) {
  folder_.write("a/1.jpg", "x");
  folder_.write("b/1.jpg", "x");
  const auto table = open_samples({folder_ / "*"}, {});
  ASSERT_FALSE(table.ok());
  EXPECT_EQ(table.error().kind, ErrorKind::unsupported);
  EXPECT_THAT(table.error().advice, HasSubstr("the folder that contains them all"));
}

TEST_F(ImageFolderTest, is_read_when_the_process_has_changed_its_folder) {
  folder_.write("data/cat/1.jpg", "C1");
  const auto table = [this] {
    const InFolder here(folder_.path());
    return open_samples({"data"}, {});
  }();
  ASSERT_TRUE(table.ok()) << table.error().to_string();
  const auto image = (*table)->read(0, 0);
  ASSERT_TRUE(image.ok()) << image.error().to_string();
  EXPECT_EQ(as_text(image->bytes), "C1");
  EXPECT_EQ((*table)->stored_size(0, 0), 2u);
  EXPECT_EQ((*table)->place(0, 0).shard, "data/cat/1.jpg");  // as it was named
}

}  // namespace
}  // namespace penstock::inline v0
