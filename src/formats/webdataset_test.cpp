#include "formats/webdataset.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace penstock::inline v0 {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

std::string split(std::string_view path) {
  const auto name = split_member_name(path);
  return name ? std::string(name->key) + "|" + std::string(name->extension) : "-";
}

TEST(member_name, splits_at_the_first_dot_of_the_last_component) {
  EXPECT_EQ(split("000/img1.jpg"), "000/img1|jpg");
  EXPECT_EQ(split("a/b.seg.png"), "a/b|seg.png");
  EXPECT_EQ(split("x.tar.gz"), "x|tar.gz");
  EXPECT_EQ(split("dir.v1/f.jpg"), "dir.v1/f|jpg");
  EXPECT_EQ(split("./a.txt"), "./a|txt");
  EXPECT_EQ(split("a."), "a|");
  EXPECT_EQ(split("/abs.txt"), "/abs|txt");
}

TEST(member_name, leaves_out_what_belongs_to_no_sample) {
  for (const char* path :
       {"README", ".hidden", "dir.v1/file", "dir.v1/.y.txt", "./.y.txt", "__meta__/x.txt", "__info__",
        "__meta__.json/x__", "__a__/b/c.jpg", "", "._a.jpg", "__MACOSX/dir/._a.jpg", "__MACOSX/a.jpg",
        "d/.DS_Store", "d/Thumbs.db", "d/desktop.ini"}) {
    EXPECT_EQ(split(path), "-") << path;
  }
  EXPECT_EQ(split("dd/__meta__/y.txt"), "dd/__meta__/y|txt");
  EXPECT_EQ(split("__meta.txt"), "__meta|txt");
  EXPECT_EQ(split("___/x.txt"), "___/x|txt");
  EXPECT_EQ(split("d/_.x.txt"), "d/_|x.txt");
  EXPECT_EQ(split("__MACOSX.txt"), "__MACOSX|txt");
}

TEST(member_name, of_what_macos_adds_has_that_of_its_companion) {
  EXPECT_EQ(companion_of("dir/._a.jpg"), "dir/a.jpg");
  EXPECT_EQ(companion_of("._a.jpg"), "a.jpg");
  for (const char* path : {"", "a.jpg", "._d/a.jpg", "d/.a.jpg", "d/_.a.jpg"}) {
    EXPECT_EQ(companion_of(path), "") << path;
  }
}

TEST(member_name, gives_hidden_files_to_their_folder) {
  EXPECT_EQ(split("a/._x.txt"), "a/|_x.txt");
  EXPECT_EQ(split("a/.x.txt"), "a/|x.txt");
  EXPECT_EQ(split("a.b/c/.x.txt"), "a.b/c/|x.txt");
  EXPECT_EQ(split("/.x"), "/|x");
}

TEST(default_field, follows_the_extension) {
  EXPECT_EQ(default_field("jpg"), (FieldInfo{"image", FieldKind::image}));
  EXPECT_EQ(default_field("webp"), (FieldInfo{"image", FieldKind::image}));
  EXPECT_EQ(default_field("cls"), (FieldInfo{"label", FieldKind::integer}));
  EXPECT_EQ(default_field("json"), (FieldInfo{"json", FieldKind::json}));
  EXPECT_EQ(default_field("txt"), (FieldInfo{"text", FieldKind::text}));
  EXPECT_EQ(default_field("flac"), (FieldInfo{"audio", FieldKind::audio}));
  EXPECT_EQ(default_field("seg.png"), (FieldInfo{"seg.png", FieldKind::image}));
  EXPECT_EQ(default_field("a.b.txt"), (FieldInfo{"a.b.txt", FieldKind::text}));
  EXPECT_EQ(default_field("index"), (FieldInfo{"index", FieldKind::integer}));
  EXPECT_EQ(default_field("meta.json.gz"), (FieldInfo{"meta.json.gz", FieldKind::bytes}));
  EXPECT_EQ(default_field("npy"), (FieldInfo{"npy", FieldKind::array}));
  EXPECT_EQ(default_field("age.float"), (FieldInfo{"age.float", FieldKind::real}));
  EXPECT_EQ(default_field("npz"), (FieldInfo{"npz", FieldKind::bytes}));
  EXPECT_EQ(default_field("bmp"), (FieldInfo{"bmp", FieldKind::bytes}));
  EXPECT_EQ(default_field(""), (FieldInfo{"", FieldKind::bytes}));
}

TEST(name_fields, lets_extensions_share_a_name_while_they_do_not_meet) {
  EXPECT_THAT(name_fields({"png", "cls", "jpg"}, {}),
              ElementsAre(Optional(std::string("image")), Optional(std::string("label")),
                          Optional(std::string("image"))));
}

TEST(name_fields, gives_the_name_to_the_preferred_one_where_they_meet) {
  const auto names = name_fields({"png", "jpeg", "jpg", "webp"}, {{0, 1}, {2, 0}});
  EXPECT_THAT(names, ElementsAre(Optional(std::string("png")), Optional(std::string("image")),
                                 Optional(std::string("image")), Optional(std::string("image"))));
}

TEST(name_fields, leaves_an_extension_unnamed_whose_name_is_taken) {
  EXPECT_THAT(name_fields({"image", "jpg"}, {}), ElementsAre(std::nullopt, Optional(std::string("image"))));
  EXPECT_THAT(name_fields({"image"}, {}), ElementsAre(Optional(std::string("image"))));
}

TEST(webdataset, extensions_of_a_name_come_in_order_of_preference) {
  EXPECT_EQ(extensions_named("image"), (std::vector<std::string_view>{"jpg", "jpeg", "png", "webp"}));
  EXPECT_TRUE(extensions_named("png").empty());
}

}  // namespace
}  // namespace penstock::inline v0
