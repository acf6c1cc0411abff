#include "formats/tar_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "formats/field_value.hpp"
#include "formats/shard_scan.hpp"
#include "formats/tar_fields.hpp"
#include "formats/tar_table_for_test.hpp"
#include "io/temporary_folder_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(tar_table, groups_adjacent_members_and_joins_shards) {
  const auto table =
      test::open_tars({test::two_samples(), TarForTest().file("b.jpg", "C").file("b.cls", "3").end()});
  ASSERT_TRUE(table.ok());
  EXPECT_THAT(test::keys_of(**table), ElementsAre("a", "b", "b")) << "a sample never spans shards";
  EXPECT_THAT(test::field_names_of(**table), ElementsAre("image:image", "label:int"));
  EXPECT_EQ(test::text_at(**table, 2, 0), "C");
  EXPECT_EQ((*table)->place(2, 0).shard, "1.tar");
  EXPECT_EQ((*table)->place(2, 0).offset, 512u);
  EXPECT_EQ((*table)->place(2, 0).index, 2u);
  EXPECT_THAT((*table)->warnings(), IsEmpty());
  EXPECT_THAT((*table)->classes(), IsEmpty());
}

TEST(tar_table, ignores_members_that_belong_to_no_sample_inside_one) {
  const auto table = test::open_tars({TarForTest()
                                          .file("a.jpg", "A")
                                          .file("README", "x")
                                          .raw(TarForTest::header("d/", 0, '5'))
                                          .file("__meta__/m.json", "{}")
                                          .raw(TarForTest::header("l.jpg", 0, '1'))
                                          .file("a.cls", "1")
                                          .end()});
  ASSERT_TRUE(table.ok());
  EXPECT_THAT(test::keys_of(**table), ElementsAre("a"));
  EXPECT_EQ((*table)->fields().size(), 2u);
}

TEST(tar_table, what_macos_adds_splits_no_sample) {
  const std::string_view apple_double("\0\5\x16\7", 4);
  const auto table = test::open_tars({TarForTest()
                                          .file("d/._a.jpg", apple_double)
                                          .file("d/a.jpg", "A")
                                          .file("__MACOSX/d/._a.cls", apple_double)
                                          .file("d/._a.cls", apple_double)
                                          .file("d/a.cls", "1")
                                          .end()});
  ASSERT_TRUE(table.ok());
  EXPECT_THAT(test::keys_of(**table), ElementsAre("d/a"));
  EXPECT_THAT(test::field_names_of(**table), ElementsAre("image:image", "label:int"));
  EXPECT_THAT((*table)->warnings(), ElementsAre(HasSubstr("0.tar: 'd/._a.jpg' was added by a desktop"),
                                                "3 files that desktops added are left out"));
}

TEST(tar_table, names_like_those_of_macos_are_left_out_only_beside_their_files) {
  const auto table = test::open_tars({TarForTest()
                                          .file("d/._thumb.jpg", "T")
                                          .file("d/.jpg", "A")
                                          .file("e/._a.jpg", "")
                                          .file("e/a.jpg", "B")
                                          .file("e/b.jpg", "C")
                                          .file("e/._b.jpg", "no AppleDouble")
                                          .end()});
  ASSERT_TRUE(table.ok());
  EXPECT_THAT(test::keys_of(**table), ElementsAre("d/", "e/a", "e/b"));
  EXPECT_THAT((*table)->warnings(), ElementsAre(HasSubstr("'e/._a.jpg' was added by a desktop"),
                                                "2 files that desktops added are left out",
                                                HasSubstr("_thumb.jpg (1 of 3 samples)")));
}

TEST(tar_table, warns_of_a_key_that_returns) {
  const auto table =
      test::open_tars({TarForTest().file("a.jpg", "A").file("b.jpg", "B").file("a.cls", "1").end()});
  ASSERT_TRUE(table.ok());
  EXPECT_THAT(test::keys_of(**table), ElementsAre("a", "b", "a"));
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
  const auto one = test::open_tars({linked('1')});
  ASSERT_TRUE(one.ok());
  EXPECT_THAT(test::keys_of(**one), ElementsAre("a"));
  EXPECT_THAT((*one)->warnings(), ElementsAre(HasSubstr("0.tar: 'b.jpg' is a link")));
  EXPECT_THAT((*one)->warnings()[0], HasSubstr("--hard-dereference"));
  const auto two = test::open_tars({linked('1'), linked('2')});
  ASSERT_TRUE(two.ok());
  EXPECT_THAT((*two)->warnings(), ElementsAre(HasSubstr("'b.jpg' is a link"), "2 links are left out"));
}

TEST(tar_table, refuses_two_members_of_one_name) {
  const auto table =
      test::open_tars({TarForTest().file("x.jpg", "").file("a.jpg", "A").file("a.JPG", "B").end()});
  ASSERT_FALSE(table.ok());
  EXPECT_EQ(table.error().kind, ErrorKind::corrupt);
  EXPECT_EQ(table.error().place.key, "a");
  EXPECT_EQ(table.error().place.offset, 1536u);
  EXPECT_EQ(table.error().place.shard, "0.tar");
}

TEST(tar_table, opens_shards_without_samples) {
  const auto table = test::open_tars({TarForTest().end(20), TarForTest().file("README", "x").end()});
  ASSERT_TRUE(table.ok());
  EXPECT_EQ((*table)->size(), 0u);
  EXPECT_THAT(test::field_names_of(**table), IsEmpty());
  EXPECT_THAT((*table)->warnings(),
              ElementsAre(HasSubstr("0.tar: holds no sample"), HasSubstr("1.tar: holds no sample")));
  EXPECT_EQ((*table)->read(0, 0).error().kind, ErrorKind::invalid);
}

TEST(tar_table, refuses_numbers_out_of_range) {
  const auto table = test::open_tars({test::two_samples()});
  EXPECT_EQ((*table)->read(2, 0).error().kind, ErrorKind::invalid);
  EXPECT_EQ((*table)->read(0, 2).error().kind, ErrorKind::invalid);
  EXPECT_EQ((*table)->read(UINT64_MAX, SIZE_MAX).error().kind, ErrorKind::invalid);
  for (const std::uint64_t sample : {std::uint64_t{0}, std::uint64_t{2}, UINT64_MAX}) {
    (*table)->will_read(sample, std::vector<std::size_t>{0, SIZE_MAX, 1});  // a hint, which may be wrong
  }
  EXPECT_EQ((*table)->stored_size(2, 2), 0u);
  EXPECT_EQ((*table)->image_size(2, 2), ImageSize{});
  EXPECT_EQ((*table)->key(2), "");
}

TEST(tar_table, knows_sizes_of_images_by_content) {
  using namespace std::string_literals;
  const std::string png = "\x89PNG\r\n\x1A\n\0\0\0\x0DIHDR\0\0\x02\x80\0\0\x01\xE0\x08\x02\0\0\0"s;
  const auto table = test::open_tars(
      {TarForTest().file("a.jpg", png).file("a.txt", png).file("b.jpg", "none").file("b.txt", "").end()});
  EXPECT_EQ((*table)->image_size(0, 0), (ImageSize{640, 480}));
  EXPECT_EQ((*table)->image_size(0, 1), ImageSize{}) << "not an image's extension";
  EXPECT_EQ((*table)->image_size(1, 0), ImageSize{});
  EXPECT_EQ((*table)->stored_size(0, 0), png.size());
}

TEST(tar_table, passes_on_read_errors_with_the_samples_place) {
  const auto table =
      open_tars_for_test({{"f.tar", test::two_samples().bytes()}}, {}, {{.offset = 2560, .after = 1}});
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
  const WithoutIndexCache every_time;
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

TEST(tar_table, reports_the_first_bad_shard_in_order) {
  std::vector<TarForTest> tars(8, test::two_samples());
  tars[3] = TarForTest().raw("nothing", 7);
  tars[6] = TarForTest();
  const auto table = test::open_tars(tars);
  ASSERT_FALSE(table.ok());
  EXPECT_EQ(table.error().place.shard, "3.tar");
}

TEST(tar_table, fingerprint_depends_on_keys_fields_sizes_and_order_only) {
  const auto print = [](const std::vector<TarForTest>& tars, const FieldChoice& fields = {}) {
    const auto table = test::open_tars(tars, fields);
    return (*table)->fingerprint();
  };
  const std::string base = print({test::two_samples()});
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
  EXPECT_EQ(print({test::two_samples()}, {{"label", "cls"}, {"image", "jpg"}}), base) << "the same by choice";
  EXPECT_NE(print({test::two_samples()}, {{"image", "jpg"}}), base);
  EXPECT_NE(print({test::two_samples()}, {{"label", "cls"}, {"photo", "jpg"}}), base);
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
  const auto table = test::open_tars({test::two_samples(), test::two_samples()});
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
