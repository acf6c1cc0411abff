#include "formats/tar_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "formats/field_value.hpp"
#include "formats/shard_scan.hpp"
#include "formats/tar_fields.hpp"
#include "formats/tar_for_test.hpp"
#include "io/temporary_folder_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Table = std::unique_ptr<SampleTable>;

Result<Table> open(const std::vector<TarForTest>& tars, const FieldChoice& fields = {}) {
  std::vector<std::pair<std::string, std::vector<std::uint8_t>>> named;
  for (std::size_t i = 0; i < tars.size(); ++i) {
    named.emplace_back(fmt::format("{}.tar", i), tars[i].bytes());
  }
  return open_tars_for_test(named, fields);
}

std::vector<std::string> keys(const SampleTable& table) {
  std::vector<std::string> all;
  for (std::uint64_t i = 0; i < table.size(); ++i) {
    all.push_back(table.key(i));
  }
  return all;
}

std::vector<std::string> field_names(const SampleTable& table) {
  std::vector<std::string> names;
  for (const FieldInfo& field : table.fields()) {
    names.push_back(fmt::format("{}:{}", field.name, name_of(field.kind)));
  }
  return names;
}

std::string value(const SampleTable& table, std::uint64_t sample, std::size_t field) {
  const auto stored = table.read(sample, field);
  return stored.ok() ? std::string(as_text(stored->bytes)) : stored.error().to_string();
}

TarForTest two_samples() {
  return TarForTest().file("a.jpg", "A").file("a.cls", "1").file("b.jpg", "B").file("b.cls", " 2\n").end();
}

TEST(tar_table, groups_adjacent_members_and_joins_shards) {
  const auto table = open({two_samples(), TarForTest().file("b.jpg", "C").file("b.cls", "3").end()});
  ASSERT_TRUE(table.ok());
  EXPECT_THAT(keys(**table), ElementsAre("a", "b", "b")) << "a sample never spans shards";
  EXPECT_THAT(field_names(**table), ElementsAre("image:image", "label:int"));
  EXPECT_EQ(value(**table, 2, 0), "C");
  EXPECT_EQ((*table)->place(2, 0).shard, "1.tar");
  EXPECT_EQ((*table)->place(2, 0).offset, 512u);
  EXPECT_EQ((*table)->place(2, 0).index, 2u);
  EXPECT_THAT((*table)->warnings(), IsEmpty());
  EXPECT_THAT((*table)->classes(), IsEmpty());
}

TEST(tar_table, ignores_members_that_belong_to_no_sample_inside_one) {
  const auto table = open({TarForTest()
                               .file("a.jpg", "A")
                               .file("README", "x")
                               .raw(TarForTest::header("d/", 0, '5'))
                               .file("__meta__/m.json", "{}")
                               .raw(TarForTest::header("l.jpg", 0, '1'))
                               .file("a.cls", "1")
                               .end()});
  ASSERT_TRUE(table.ok());
  EXPECT_THAT(keys(**table), ElementsAre("a"));
  EXPECT_EQ((*table)->fields().size(), 2u);
}

TEST(tar_table, what_macos_adds_splits_no_sample) {
  const std::string_view apple_double("\0\5\x16\7", 4);
  const auto table = open({TarForTest()
                               .file("d/._a.jpg", apple_double)
                               .file("d/a.jpg", "A")
                               .file("__MACOSX/d/._a.cls", apple_double)
                               .file("d/._a.cls", apple_double)
                               .file("d/a.cls", "1")
                               .end()});
  ASSERT_TRUE(table.ok());
  EXPECT_THAT(keys(**table), ElementsAre("d/a"));
  EXPECT_THAT(field_names(**table), ElementsAre("image:image", "label:int"));
  EXPECT_THAT((*table)->warnings(), ElementsAre(HasSubstr("0.tar: 'd/._a.jpg' is what a desktop adds"),
                                                "3 files that desktops added are left out"));
}

TEST(tar_table, names_like_those_of_macos_are_left_out_only_beside_their_files) {
  const auto table = open({TarForTest()
                               .file("d/._thumb.jpg", "T")
                               .file("d/.jpg", "A")
                               .file("e/._a.jpg", "")
                               .file("e/a.jpg", "B")
                               .file("e/b.jpg", "C")
                               .file("e/._b.jpg", "no AppleDouble")
                               .end()});
  ASSERT_TRUE(table.ok());
  EXPECT_THAT(keys(**table), ElementsAre("d/", "e/a", "e/b"));
  EXPECT_THAT((*table)->warnings(), ElementsAre(HasSubstr("'e/._a.jpg' is what a desktop adds"),
                                                "2 files that desktops added are left out",
                                                HasSubstr("_thumb.jpg (1 of 3 samples)")));
}

TEST(tar_table, warns_of_a_key_that_returns) {
  const auto table = open({TarForTest().file("a.jpg", "A").file("b.jpg", "B").file("a.cls", "1").end()});
  ASSERT_TRUE(table.ok());
  EXPECT_THAT(keys(**table), ElementsAre("a", "b", "a"));
  ASSERT_FALSE((*table)->warnings().empty());
  EXPECT_THAT((*table)->warnings()[0], HasSubstr("key 'a' comes again"));
}

TEST(tar_table, warns_of_links) {
  const auto linked = [](char type) {
    return TarForTest()
        .file("a.jpg", "A")
        .raw(TarForTest::header("b.jpg", 0, type))
        .raw(TarForTest::header("README", 0, type))
        .raw(TarForTest::header("d/", 0, '5'))
        .end();
  };
  const auto one = open({linked('1')});
  ASSERT_TRUE(one.ok());
  EXPECT_THAT(keys(**one), ElementsAre("a"));
  EXPECT_THAT((*one)->warnings(), ElementsAre(HasSubstr("0.tar: 'b.jpg' is a link")));
  EXPECT_THAT((*one)->warnings()[0], HasSubstr("--hard-dereference"));
  const auto two = open({linked('1'), linked('2')});
  ASSERT_TRUE(two.ok());
  EXPECT_THAT((*two)->warnings(), ElementsAre(HasSubstr("'b.jpg' is a link"), "2 links are left out"));
}

TEST(tar_table, refuses_two_members_of_one_name) {
  const auto table = open({TarForTest().file("x.jpg", "").file("a.jpg", "A").file("a.JPG", "B").end()});
  ASSERT_FALSE(table.ok());
  EXPECT_EQ(table.error().kind, ErrorKind::corrupt);
  EXPECT_EQ(table.error().place.key, "a");
  EXPECT_EQ(table.error().place.offset, 1536u);
  EXPECT_EQ(table.error().place.shard, "0.tar");
}

TEST(tar_table, opens_shards_without_samples) {
  const auto table = open({TarForTest().end(20), TarForTest().file("README", "x").end()});
  ASSERT_TRUE(table.ok());
  EXPECT_EQ((*table)->size(), 0u);
  EXPECT_THAT(field_names(**table), IsEmpty());
  EXPECT_THAT((*table)->warnings(),
              ElementsAre(HasSubstr("0.tar: holds no sample"), HasSubstr("1.tar: holds no sample")));
  EXPECT_EQ((*table)->read(0, 0).error().kind, ErrorKind::invalid);
}

TEST(tar_table, refuses_numbers_out_of_range) {
  const auto table = open({two_samples()});
  EXPECT_EQ((*table)->read(2, 0).error().kind, ErrorKind::invalid);
  EXPECT_EQ((*table)->read(0, 2).error().kind, ErrorKind::invalid);
  EXPECT_EQ((*table)->read(UINT64_MAX, SIZE_MAX).error().kind, ErrorKind::invalid);
  for (const std::uint64_t sample : {std::uint64_t{0}, std::uint64_t{2}, UINT64_MAX}) {
    (*table)->will_read(sample, 0);  // a hint, which may be wrong
    (*table)->will_read(sample, SIZE_MAX);
  }
  EXPECT_EQ((*table)->stored_size(2, 2), 0u);
  EXPECT_EQ((*table)->image_size(2, 2), ImageSize{});
  EXPECT_EQ((*table)->key(2), "");
}

TEST(tar_table, names_fields_by_extension) {
  const auto table = open({TarForTest()
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
  EXPECT_THAT(field_names(**table),
              ElementsAre("image:image", "seg.png:image", "json:json", "text:text", "audio:audio",
                          "npy:array", "npz:bytes", "age.float:float", "id:int"));
}

TEST(tar_table, leaves_out_fields_that_some_samples_lack) {
  const auto table = open({TarForTest().file("a.jpg", "A").file("a.txt", "t").file("b.jpg", "B").end()});
  EXPECT_THAT(field_names(**table), ElementsAre("image:image"));
  EXPECT_THAT((*table)->warnings(), ElementsAre(HasSubstr("text (1 of 2 samples)")));
}

TEST(tar_table, takes_a_limited_number_of_fields_unless_they_are_chosen) {
  TarForTest tar;
  for (std::size_t i = 0; i < kMaxUnchosenFields; ++i) {
    tar.file(fmt::format("a.e{}", i), "");
  }
  const auto allowed = open({TarForTest(tar).end()});
  ASSERT_TRUE(allowed.ok()) << allowed.error().to_string();
  EXPECT_EQ((*allowed)->fields().size(), kMaxUnchosenFields);
  tar.file("a.one_more", "x").end();
  const auto refused = open({tar});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::unsupported);
  EXPECT_THAT(refused.error().to_string(), HasSubstr("every sample has 4097 fields, over the limit of 4096"));
  EXPECT_EQ(value(**open({tar}, {{"x", "one_more"}}), 0, 0), "x");
}

TEST(tar_table, calls_every_kind_of_image_image) {
  const auto table = open(
      {TarForTest().file("a.jpg", "A").file("b.png", "B").end(), TarForTest().file("c.webp", "C").end()});
  EXPECT_THAT(field_names(**table), ElementsAre("image:image"));
  EXPECT_EQ(value(**table, 0, 0) + value(**table, 1, 0) + value(**table, 2, 0), "ABC");
}

TEST(tar_table, keeps_two_images_of_a_sample_apart) {
  const auto table = open({TarForTest().file("a.png", "mask").file("a.jpg", "photo").end(),
                           TarForTest().file("b.jpeg", "other").file("b.png", "mask2").end()});
  EXPECT_THAT(field_names(**table), ElementsAre("png:image", "image:image"));
  EXPECT_EQ(value(**table, 0, 1), "photo");
  EXPECT_EQ(value(**table, 1, 1), "other");
  EXPECT_EQ(value(**table, 1, 0), "mask2");
}

TEST(tar_table, chooses_and_renames_fields_in_order) {
  const std::vector<TarForTest> tars = {
      TarForTest().file("a.jpg", "A").file("a.seg.png", "S").file("a.cls", "4").end()};
  const auto table =
      open(tars, {{"mask", "seg.png"}, {"photo", "image"}, {"again", "JPG"}, {"class", "cls"}});
  ASSERT_TRUE(table.ok()) << table.error().to_string();
  EXPECT_THAT(field_names(**table), ElementsAre("mask:image", "photo:image", "again:image", "class:int"));
  EXPECT_EQ(value(**table, 0, 0) + value(**table, 0, 1) + value(**table, 0, 2) + value(**table, 0, 3),
            "SAA4");
}

TEST(tar_table, refuses_choices_that_nothing_fits) {
  const std::vector<TarForTest> tars = {two_samples()};
  const auto missing = open(tars, {{"image", "tiff"}});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().kind, ErrorKind::invalid);
  EXPECT_THAT(missing.error().advice, HasSubstr("image (jpg), label (cls)"));
  EXPECT_EQ(open(tars, {{"x", "jpg"}, {"x", "cls"}}).error().kind, ErrorKind::invalid);
  EXPECT_EQ(open(tars, {{"", "jpg"}}).error().kind, ErrorKind::invalid);
}

TEST(tar_table, reports_a_chosen_field_that_a_sample_lacks) {
  const auto table =
      open({TarForTest().file("a.jpg", "A").file("b.jpg", "B").file("b.txt", "t").end()}, {{"text", "txt"}});
  ASSERT_TRUE(table.ok());
  const auto lacking = (*table)->read(0, 0);
  ASSERT_FALSE(lacking.ok());
  EXPECT_EQ(lacking.error().kind, ErrorKind::corrupt);
  EXPECT_EQ(lacking.error().place.key, "a");
  EXPECT_EQ(lacking.error().place.index, 0u);
  EXPECT_EQ((*table)->stored_size(0, 0), 0u);
  EXPECT_EQ(value(**table, 1, 0), "t");
}

TEST(tar_table, gives_labels_as_they_are_stored) {
  const auto table =
      open({TarForTest().file("a.cls", " -12\n").file("b.cls", "cat").file("c.cls", "").end()});
  EXPECT_EQ((*table)->fields()[0], (FieldInfo{"label", FieldKind::integer}));
  EXPECT_EQ(value(**table, 0, 0), " -12\n");
  EXPECT_EQ(value(**table, 1, 0), "cat");
  EXPECT_EQ(value(**table, 2, 0), "");
  EXPECT_FALSE((*table)->read(0, 0)->is_number);
}

TEST(tar_table, knows_sizes_of_images_by_content) {
  using namespace std::string_literals;
  const std::string png = "\x89PNG\r\n\x1A\n\0\0\0\x0DIHDR\0\0\x02\x80\0\0\x01\xE0\x08\x02\0\0\0"s;
  const auto table = open(
      {TarForTest().file("a.jpg", png).file("a.txt", png).file("b.jpg", "none").file("b.txt", "").end()});
  EXPECT_EQ((*table)->image_size(0, 0), (ImageSize{640, 480}));
  EXPECT_EQ((*table)->image_size(0, 1), ImageSize{}) << "not an image's extension";
  EXPECT_EQ((*table)->image_size(1, 0), ImageSize{});
  EXPECT_EQ((*table)->stored_size(0, 0), png.size());
}

TEST(tar_table, passes_on_read_errors_with_the_samples_place) {
  const auto table =
      open_tars_for_test({{"f.tar", two_samples().bytes()}}, {}, {{.offset = 2560, .after = 1}});
  ASSERT_TRUE(table.ok()) << table.error().to_string();
  EXPECT_TRUE((*table)->read(0, 0).ok());
  const auto failed = (*table)->read(1, 0);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().kind, ErrorKind::io);
  EXPECT_EQ(failed.error().place.key, "b");
  EXPECT_EQ(failed.error().place.shard, "f.tar");
  EXPECT_EQ(failed.error().place.offset, 2560u);
}

/// An image may begin with a preview of any size before the header that tells its own.
TEST(tar_table, looks_at_headers_alone_to_learn_the_size_of_images) {
  const auto jpeg = [](std::size_t preview, std::size_t rest) {
    std::string text = "\xFF\xD8";
    for (; preview > 0; preview -= std::min<std::size_t>(preview, 60'000)) {
      const std::size_t piece = std::min<std::size_t>(preview, 60'000) + 2;
      text += "\xFF\xE1";
      text += {static_cast<char>(piece >> 8), static_cast<char>(piece)};
      text += std::string(piece - 2, 'p');
    }
    return text + std::string("\xFF\xC0\x00\x11\x08\x00\x30\x00\x40\x03", 10) + std::string(rest, 'x');
  };
  auto memory = std::make_shared<MemoryStorage>();
  const auto storage = std::make_shared<FaultyStorage>(memory, std::vector<Fault>{});
  memory->put(
      "a.tar",
      TarForTest().file("a.jpg", jpeg(0, 1 << 20)).file("b.jpg", std::string(1 << 20, 'n')).end().bytes());
  const auto small = open_tar_table({{"a.tar", "a.tar", storage}}, {}, {});
  ASSERT_TRUE(small.ok()) << small.error().to_string();
  EXPECT_EQ((*small)->image_size(0, 0), (ImageSize{64, 48}));
  EXPECT_EQ((*small)->image_size(1, 0), ImageSize());
  EXPECT_LT(storage->bytes_read(), 20'000u);

  memory->put("b.tar", TarForTest().file("a.jpg", jpeg(200'000, 4 << 20)).end().bytes());
  const std::uint64_t before = storage->bytes_read();
  const auto large = open_tar_table({{"b.tar", "b.tar", storage}}, {}, {});
  EXPECT_EQ((*large)->image_size(0, 0), (ImageSize{64, 48}));
  EXPECT_LT(storage->bytes_read() - before, 2'000'000u);
}

TEST(tar_table, gives_arrays_of_one_shape_where_all_files_are_of_one_size) {
  const auto same = open({TarForTest()
                              .file("a.npy", npy_for_test("'<i2'", "(2,)", "abcd"))
                              .file("b.npy", npy_for_test("'<i2'", "(2,)", "efgh"))
                              .end()});
  ASSERT_TRUE(same.ok()) << same.error().to_string();
  const FieldSpec spec = (*same)->spec(0);
  EXPECT_EQ(spec.kind, FieldKind::array);
  EXPECT_EQ(spec.encoding, FieldSpec::Encoding::npy);
  EXPECT_EQ(*spec.array, (ArraySpec{.type = Scalar::int16, .shape = {2}}));
  EXPECT_EQ(as_text((*same)->read(1, 0)->bytes), npy_for_test("'<i2'", "(2,)", "efgh")) << "the file itself";

  const auto ragged = open({TarForTest()
                                .file("a.x.npy", npy_for_test("'<i2'", "(2, 1)", "abcd"))
                                .file("b.x.npy", npy_for_test("'<i2'", "(1, 1)", "ef"))
                                .end()});
  EXPECT_EQ((*ragged)->fields()[0], (FieldInfo{"x.npy", FieldKind::array}));
  EXPECT_EQ(*(*ragged)->spec(0).array, (ArraySpec{.type = Scalar::int16, .shape = {kAnyExtent, kAnyExtent}}));
}

TEST(tar_table, refuses_arrays_of_objects_by_name) {
  const auto table =
      open({TarForTest().file("a.txt", "x").file("a.npy", npy_for_test("'|O'", "(1,)", "pickle")).end()});
  ASSERT_FALSE(table.ok());
  EXPECT_EQ(table.error().kind, ErrorKind::unsupported);
  EXPECT_THAT(table.error().message, HasSubstr("field 'npy': an array of Python objects"));
  EXPECT_EQ(table.error().place.shard, "0.tar");
  EXPECT_EQ(table.error().place.key, "a");
  EXPECT_TRUE(
      open({TarForTest().file("a.txt", "x").file("a.npy", npy_for_test("'|O'", "(1,)", "pickle")).end()},
           {{"text", "txt"}})
          .ok());
}

TEST(tar_table, looks_behind_a_first_array_that_is_damaged) {
  const auto table =
      open({TarForTest().file("a.npy", "damaged").file("b.npy", npy_for_test("'|u1'", "(2,)", "ab")).end()});
  ASSERT_TRUE(table.ok()) << table.error().to_string();
  EXPECT_EQ((*table)->spec(0).array->type, Scalar::uint8);
  EXPECT_FALSE(array_of((*table)->spec(0), *(*table)->read(0, 0)).ok());
  EXPECT_TRUE(array_of((*table)->spec(0), *(*table)->read(1, 0)).ok());
}

TEST(tar_table, reports_the_first_bad_shard_in_order) {
  std::vector<TarForTest> tars(8, two_samples());
  tars[3] = TarForTest().raw("nothing", 7);
  tars[6] = TarForTest();
  const auto table = open(tars);
  ASSERT_FALSE(table.ok());
  EXPECT_EQ(table.error().place.shard, "3.tar");
}

TEST(tar_table, numbers_extensions_alike_across_shards) {
  const auto table = open({TarForTest().file("a.jpg", "A").file("a.cls", "1").end(),
                           TarForTest().file("b.cls", "2").file("b.jpg", "B").end()});
  EXPECT_EQ(value(**table, 1, 0), "B");
  EXPECT_EQ(value(**table, 1, 1), "2");
}

TEST(tar_table, survives_a_sample_for_every_extension) {
  TarForTest tar;
  for (int i = 0; i < 3000; ++i) {
    tar.file(fmt::format("img.{}.jpg", i), "x");
  }
  const auto table = open({tar.end()});
  ASSERT_TRUE(table.ok());
  EXPECT_EQ((*table)->size(), 1u);
  EXPECT_EQ((*table)->fields().size(), 3000u);
}

TEST(tar_table, fingerprint_depends_on_keys_fields_sizes_and_order_only) {
  const auto print = [](const std::vector<TarForTest>& tars, const FieldChoice& fields = {}) {
    const auto table = open(tars, fields);
    return (*table)->fingerprint();
  };
  const std::string base = print({two_samples()});
  EXPECT_EQ(base.size(), 32u);
  EXPECT_EQ(
      print(
          {TarForTest().file("a.cls", "9").file("a.jpg", "Z").file("b.cls", "x y").file("b.jpg", "Y").end()}),
      base)
      << "order of members and contents do not count";
  EXPECT_EQ(print({TarForTest().file("a.jpg", "A").file("a.cls", "1").end(),
                   TarForTest().file("b.jpg", "B").file("b.cls", "  2").end()}),
            base)
      << "the cut into shards does not count";
  EXPECT_EQ(print({two_samples()}, {{"label", "cls"}, {"image", "jpg"}}), base) << "the same by choice";
  EXPECT_NE(print({two_samples()}, {{"image", "jpg"}}), base);
  EXPECT_NE(print({two_samples()}, {{"label", "cls"}, {"photo", "jpg"}}), base);
  EXPECT_NE(print({TarForTest()
                       .file("a.jpg", "AA")
                       .file("a.cls", "1")
                       .file("b.jpg", "B")
                       .file("b.cls", " 2\n")
                       .end()}),
            base);
  EXPECT_NE(print({TarForTest()
                       .file("b.jpg", "B")
                       .file("b.cls", " 2\n")
                       .file("a.jpg", "A")
                       .file("a.cls", "1")
                       .end()}),
            base);
}

TEST(tar_table, may_be_read_by_many_threads_at_once) {
  const auto table = open({two_samples(), two_samples()});
  std::vector<std::thread> readers;
  for (int t = 0; t < 4; ++t) {
    readers.emplace_back([&table] {
      for (int i = 0; i < 2000; ++i) {
        const auto stored = (*table)->read(static_cast<std::uint64_t>(i) % 4, 0);
        ASSERT_TRUE(stored.ok());
        EXPECT_EQ(as_text(stored->bytes), i % 2 == 0 ? "A" : "B");
      }
    });
  }
  for (std::thread& reader : readers) {
    reader.join();
  }
}

}  // namespace
}  // namespace penstock::inline v0
