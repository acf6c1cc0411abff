#include "formats/tar_fields.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/field_value.hpp"
#include "formats/tar_table_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(tar_fields, names_fields_by_extension) {
  const auto table = test::open_tars({TarForTest()
                                          .file("a.JPG", "A")
                                          .file("a.seg.png", "S")
                                          .file("a.json", "{}")
                                          .file("a.txt", "t")
                                          .file("a.wav", "w")
                                          .file("a.npy", npy_for_test("'|u1'", "()", "n"))
                                          .file("a.npz", "z")
                                          .file("a.age.float", "1.5")
                                          .file("a.id", "5")
                                          .end()});
  EXPECT_THAT(test::field_names_of(**table),
              ElementsAre("image:image", "seg.png:image", "json:json", "text:text", "audio:audio",
                          "npy:array", "npz:bytes", "age.float:float", "id:int"));
}

TEST(tar_fields, leaves_out_fields_that_some_samples_lack) {
  const auto table =
      test::open_tars({TarForTest().file("a.jpg", "A").file("a.txt", "t").file("b.jpg", "B").end()});
  EXPECT_THAT(test::field_names_of(**table), ElementsAre("image:image"));
  EXPECT_THAT((*table)->warnings(), ElementsAre(HasSubstr("text (1 of 2 samples)")));
}

TEST(tar_fields, takes_a_limited_number_of_fields_unless_they_are_chosen) {
  TarForTest tar;
  for (std::size_t i = 0; i < kMaxUnchosenFields; ++i) {
    tar.file(fmt::format("a.e{}", i), "");
  }
  const auto allowed = test::open_tars({TarForTest(tar).end()});
  ASSERT_TRUE(allowed.ok()) << allowed.error().to_string();
  EXPECT_EQ((*allowed)->fields().size(), kMaxUnchosenFields);
  tar.file("a.one_more", "x").end();
  const auto refused = test::open_tars({tar});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::unsupported);
  EXPECT_THAT(refused.error().to_string(), HasSubstr("every sample has 4097 fields, over the limit of 4096"));
  EXPECT_EQ(test::text_at(**test::open_tars({tar}, {{"x", "one_more"}}), 0, 0), "x");
}

TEST(tar_fields, calls_every_kind_of_image_image) {
  const auto table = test::open_tars(
      {TarForTest().file("a.jpg", "A").file("b.png", "B").end(), TarForTest().file("c.webp", "C").end()});
  EXPECT_THAT(test::field_names_of(**table), ElementsAre("image:image"));
  EXPECT_EQ(test::text_at(**table, 0, 0) + test::text_at(**table, 1, 0) + test::text_at(**table, 2, 0),
            "ABC");
}

TEST(tar_fields, keeps_two_images_of_a_sample_apart) {
  const auto table = test::open_tars({TarForTest().file("a.png", "mask").file("a.jpg", "photo").end(),
                                      TarForTest().file("b.jpeg", "other").file("b.png", "mask2").end()});
  EXPECT_THAT(test::field_names_of(**table), ElementsAre("png:image", "image:image"));
  EXPECT_EQ(test::text_at(**table, 0, 1), "photo");
  EXPECT_EQ(test::text_at(**table, 1, 1), "other");
  EXPECT_EQ(test::text_at(**table, 1, 0), "mask2");
}

TEST(tar_fields, chooses_and_renames_fields_in_order) {
  const std::vector<TarForTest> tars = {
      TarForTest().file("a.jpg", "A").file("a.seg.png", "S").file("a.cls", "4").end()};
  const auto table =
      test::open_tars(tars, {{"mask", "seg.png"}, {"photo", "image"}, {"again", "JPG"}, {"class", "cls"}});
  ASSERT_TRUE(table.ok()) << table.error().to_string();
  EXPECT_THAT(test::field_names_of(**table),
              ElementsAre("mask:image", "photo:image", "again:image", "class:int"));
  EXPECT_EQ(test::text_at(**table, 0, 0) + test::text_at(**table, 0, 1) + test::text_at(**table, 0, 2) +
                test::text_at(**table, 0, 3),
            "SAA4");
}

TEST(tar_fields, refuses_choices_that_nothing_fits) {
  const std::vector<TarForTest> tars = {test::two_samples()};
  const auto missing = test::open_tars(tars, {{"image", "tiff"}});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().kind, ErrorKind::invalid);
  EXPECT_THAT(missing.error().advice, HasSubstr("image (jpg), label (cls)"));
  EXPECT_EQ(test::open_tars(tars, {{"x", "jpg"}, {"x", "cls"}}).error().kind, ErrorKind::invalid);
  EXPECT_EQ(test::open_tars(tars, {{"", "jpg"}}).error().kind, ErrorKind::invalid);
}

TEST(tar_fields, reports_a_chosen_field_that_a_sample_lacks) {
  const auto table = test::open_tars(
      {TarForTest().file("a.jpg", "A").file("b.jpg", "B").file("b.txt", "t").end()}, {{"text", "txt"}});
  ASSERT_TRUE(table.ok());
  const auto lacking = (*table)->read(0, 0);
  ASSERT_FALSE(lacking.ok());
  EXPECT_EQ(lacking.error().kind, ErrorKind::corrupt);
  EXPECT_EQ(lacking.error().place.key, "a");
  EXPECT_EQ(lacking.error().place.index, 0u);
  EXPECT_EQ((*table)->stored_size(0, 0), 0u);
  EXPECT_EQ(test::text_at(**table, 1, 0), "t");
}

TEST(tar_fields, gives_labels_as_they_are_stored) {
  const auto table =
      test::open_tars({TarForTest().file("a.cls", " -12\n").file("b.cls", "cat").file("c.cls", "").end()});
  EXPECT_EQ((*table)->fields()[0], (FieldInfo{"label", FieldKind::integer}));
  EXPECT_EQ(test::text_at(**table, 0, 0), " -12\n");
  EXPECT_EQ(test::text_at(**table, 1, 0), "cat");
  EXPECT_EQ(test::text_at(**table, 2, 0), "");
  EXPECT_FALSE((*table)->read(0, 0)->number);
}

TEST(tar_fields, gives_arrays_of_one_shape_where_all_have_it) {
  const auto same = test::open_tars({TarForTest()
                                         .file("a.npy", npy_for_test("'<i2'", "(2,)", "abcd"))
                                         .file("b.npy", npy_for_test("'<i2'", "(2,)", "efgh"))
                                         .end()});
  ASSERT_TRUE(same.ok()) << same.error().to_string();
  const FieldSpec spec = (*same)->spec(0);
  EXPECT_EQ(spec.kind, FieldKind::array);
  EXPECT_EQ(spec.encoding, FieldSpec::Encoding::npy);
  EXPECT_EQ(*spec.array, (ArraySpec{.type = Scalar::int16, .shape = {2}}));
  EXPECT_EQ(as_text((*same)->read(1, 0)->bytes), npy_for_test("'<i2'", "(2,)", "efgh")) << "the file itself";

  const auto ragged = test::open_tars({TarForTest()
                                           .file("a.x.npy", npy_for_test("'<i2'", "(2, 1)", "abcd"))
                                           .file("b.x.npy", npy_for_test("'<i2'", "(1, 1)", "ef"))
                                           .end()});
  EXPECT_EQ((*ragged)->fields()[0], (FieldInfo{"x.npy", FieldKind::array}));
  EXPECT_EQ(*(*ragged)->spec(0).array, (ArraySpec{.type = Scalar::int16, .shape = {kAnyExtent, kAnyExtent}}));

  const auto turned = test::open_tars({TarForTest()
                                           .file("a.npy", npy_for_test("'<i2'", "(2, 1)", "abcd"))
                                           .file("b.npy", npy_for_test("'<i2'", "(1, 2)", "efgh"))
                                           .end()});
  EXPECT_EQ(*(*turned)->spec(0).array, (ArraySpec{.type = Scalar::int16, .shape = {kAnyExtent, kAnyExtent}}));
  EXPECT_EQ((*turned)->image_size(0, 0), ImageSize());

  const auto damaged = test::open_tars({TarForTest()
                                            .file("a.npy", npy_for_test("'<i2'", "(2,)", "abcd"))
                                            .file("b.npy", "no array")
                                            .file("c.npy", npy_for_test("'<i2'", "(2,)", "efgh"))
                                            .end()});
  EXPECT_EQ(*(*damaged)->spec(0).array, (ArraySpec{.type = Scalar::int16, .shape = {2}}));
}

TEST(tar_fields, refuses_arrays_of_objects_by_name) {
  const auto table = test::open_tars(
      {TarForTest().file("a.txt", "x").file("a.npy", npy_for_test("'|O'", "(1,)", "pickle")).end()});
  ASSERT_FALSE(table.ok());
  EXPECT_EQ(table.error().kind, ErrorKind::unsupported);
  EXPECT_THAT(table.error().message, HasSubstr("field 'npy': an array of Python objects"));
  EXPECT_EQ(table.error().place.shard, "0.tar");
  EXPECT_EQ(table.error().place.key, "a");
  EXPECT_TRUE(
      test::open_tars(
          {TarForTest().file("a.txt", "x").file("a.npy", npy_for_test("'|O'", "(1,)", "pickle")).end()},
          {{"text", "txt"}})
          .ok());
}

TEST(tar_fields, looks_behind_a_first_array_that_is_damaged) {
  const auto table = test::open_tars(
      {TarForTest().file("a.npy", "damaged").file("b.npy", npy_for_test("'|u1'", "(2,)", "ab")).end()});
  ASSERT_TRUE(table.ok()) << table.error().to_string();
  EXPECT_EQ((*table)->spec(0).array->type, Scalar::uint8);
  EXPECT_FALSE(array_of((*table)->spec(0), *(*table)->read(0, 0)).ok());
  EXPECT_TRUE(array_of((*table)->spec(0), *(*table)->read(1, 0)).ok());
}

TEST(tar_fields, numbers_extensions_alike_across_shards) {
  const auto table = test::open_tars({TarForTest().file("a.jpg", "A").file("a.cls", "1").end(),
                                      TarForTest().file("b.cls", "2").file("b.jpg", "B").end()});
  EXPECT_EQ(test::text_at(**table, 1, 0), "B");
  EXPECT_EQ(test::text_at(**table, 1, 1), "2");
}

TEST(tar_fields, survives_a_sample_for_every_extension) {
  TarForTest tar;
  for (int i = 0; i < 3000; ++i) {
    tar.file(fmt::format("img.{}.jpg", i), "x");
  }
  const auto table = test::open_tars({tar.end()});
  ASSERT_TRUE(table.ok());
  EXPECT_EQ((*table)->size(), 1u);
  EXPECT_EQ((*table)->fields().size(), 3000u);
}

}  // namespace
}  // namespace penstock::inline v0
