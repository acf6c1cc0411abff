#include "formats/tar.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/tar_for_test.hpp"
#include "io/temporary_folder_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using namespace std::string_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Listing {
  std::vector<std::string> members;  ///< "type name=data"
  std::optional<Error> error;
  std::string doubt;
};

Listing list(const Source& source) {
  Listing listing;
  TarReader reader(source);
  while (true) {
    auto member = reader.next();
    if (!member.ok()) {
      listing.error = std::move(member).error();
      break;
    }
    if (!*member) {
      break;
    }
    const TarMember& found = **member;
    const auto data = source.read(found.data_offset, found.size);
    EXPECT_TRUE(data.ok());
    listing.members.push_back(fmt::format("{} {}={}", found.type, found.name, as_text(*data)));
  }
  listing.doubt = reader.doubt();
  return listing;
}

SourcePtr faulty(const TarForTest& tar, std::vector<Fault> faults) {
  auto memory = std::make_shared<MemoryStorage>();
  memory->put("test.tar", tar.bytes());
  return FaultyStorage(std::move(memory), std::move(faults)).open("test.tar", Access::normal).value();
}

Listing list(const TarForTest& tar) {
  // Through a source that copies: names and headers must not be used after their bytes are gone.
  Listing copied = list(*faulty(tar, {}));
  const Listing direct = list(*tar.source());
  EXPECT_EQ(copied.members, direct.members);
  return copied;
}

void expect_error(const TarForTest& tar, ErrorKind kind, const std::string& text, std::uint64_t offset) {
  const Listing listing = list(tar);
  ASSERT_TRUE(listing.error.has_value()) << text;
  EXPECT_EQ(listing.error->kind, kind) << listing.error->to_string();
  EXPECT_THAT(listing.error->message, HasSubstr(text));
  EXPECT_EQ(listing.error->place.shard, "test.tar");
  EXPECT_EQ(listing.error->place.offset, offset);
}

TEST(tar_number, reads_octal_and_base_256) {
  EXPECT_EQ(parse_tar_number("00000000012\0"s), 10u);
  EXPECT_EQ(parse_tar_number("   12 garbage"), 10u);
  EXPECT_EQ(parse_tar_number("77777777777777777777"), 1152921504606846975u) << "no terminator";
  EXPECT_EQ(parse_tar_number("\0\0\0\0"s), 0u);
  EXPECT_EQ(parse_tar_number("    "), 0u);
  EXPECT_EQ(parse_tar_number("\x80\0\0\0\0\0\0\0\0\0\x01\x02"s), 258u);
  EXPECT_EQ(parse_tar_number("\x80\0\0\0\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF"s), 9223372036854775807u);
}

TEST(tar_number, refuses_what_is_no_size) {
  for (const std::string& bad :
       {"8"s, "12a"s, "-1"s, "x"s, "0x10"s, "\x80\0\0\0\x80\0\0\0\0\0\0\0"s, "\x80\x01\0\0\0\0\0\0\0\0\0\0"s,
        std::string(12, '\xFF'), "\x81\0\0\0\0\0\0\0\0\0\0\0"s, ""s}) {
    EXPECT_EQ(parse_tar_number(bad), std::nullopt) << bad;
  }
}

TEST(tar, lists_plain_members_with_data) {
  const Listing listing =
      list(TarForTest().file("a.txt", "hello").file("b/c.bin", "").file("d", std::string(513, 'x')).end());
  EXPECT_FALSE(listing.error);
  EXPECT_THAT(listing.members, ElementsAre("0 a.txt=hello", "0 b/c.bin=", "0 d=" + std::string(513, 'x')));
  EXPECT_EQ(listing.doubt, "");
}

TEST(tar, bounds_a_name_that_fills_its_field) {
  const std::string name(100, 'n');
  EXPECT_THAT(list(TarForTest().file(name, "1").end()).members, ElementsAre("0 " + name + "=1"));
}

TEST(tar, joins_the_prefix_of_posix_headers_only) {
  const auto with_prefix = [](TarHeader& header) { TarForTest::put(header.prefix, "dir/sub"); };
  EXPECT_THAT(list(TarForTest().edited("f", "1", with_prefix).end()).members, ElementsAre("0 dir/sub/f=1"));
  EXPECT_THAT(list(TarForTest().edited("f", "1", with_prefix, '0', TarMagic::gnu).end()).members,
              ElementsAre("0 f=1"));
  EXPECT_THAT(list(TarForTest().edited("f", "1", with_prefix, '0', TarMagic::v7).end()).members,
              ElementsAre("0 f=1"));
}

TEST(tar, joins_a_prefix_and_a_name_that_both_fill_their_fields) {
  const auto full = [](TarHeader& header) { std::memset(header.prefix, 'p', sizeof header.prefix); };
  EXPECT_THAT(list(TarForTest().edited(std::string(100, 'n'), "1", full).end()).members,
              ElementsAre("0 " + std::string(155, 'p') + "/" + std::string(100, 'n') + "=1"));
}

TEST(tar, accepts_checksums_of_signed_bytes) {
  TarHeader header = TarForTest::header("\xC3\xA9.txt", 1);
  int sum = 0;
  std::memset(header.checksum, ' ', sizeof header.checksum);
  for (const char c : std::string_view(reinterpret_cast<const char*>(&header), sizeof header)) {
    sum += static_cast<signed char>(c);
  }
  TarForTest::put(header.checksum, fmt::format("{:06o}", sum));
  EXPECT_THAT(list(TarForTest().raw(header).data("1").end()).members, ElementsAre("0 \xC3\xA9.txt=1"));
}

TEST(tar, refuses_a_wrong_checksum_at_any_header) {
  TarHeader header = TarForTest::header("second", 0);
  header.mode[0] = '7';
  expect_error(TarForTest().file("first", "1").raw(header).end(), ErrorKind::corrupt, "'second'", 1024);
  expect_error(TarForTest().raw(header).end(), ErrorKind::corrupt, "checksum", 0);
}

TEST(tar, takes_gnu_long_names_for_one_member) {
  const std::string name = std::string(150, 'a') + "/" + std::string(150, 'b') + ".jpg";
  const Listing listing = list(TarForTest()
                                   .file("././@LongLink", std::string(130, 'l') + '\0', 'K', TarMagic::gnu)
                                   .file("././@LongLink", name + '\0', 'L', TarMagic::gnu)
                                   .file(name.substr(0, 100), "1", '0', TarMagic::gnu)
                                   .file("short", "2", '0', TarMagic::gnu)
                                   .end());
  EXPECT_THAT(listing.members, ElementsAre("0 " + name + "=1", "0 short=2"));
}

TEST(tar, applies_local_pax_headers_to_one_member) {
  const std::string name(300, 'p');
  const Listing listing =
      list(TarForTest()
               .pax(TarForTest::record("mtime", "1.25") + TarForTest::record("path", name))
               .file("cut", "1")
               .file("next", "2")
               .end());
  EXPECT_THAT(listing.members, ElementsAre("0 " + name + "=1", "0 next=2"));
}

TEST(tar, lets_pax_size_override_the_header) {
  const auto no_size = [](TarHeader& header) { TarForTest::put(header.size, "not a number"); };
  TarForTest tar;
  tar.pax(TarForTest::record("size", "5"));
  TarHeader header = TarForTest::header("a", 0);
  no_size(header);
  TarForTest::seal(header);
  tar.raw(header).data("hello").file("b", "2").end();
  EXPECT_THAT(list(tar).members, ElementsAre("0 a=hello", "0 b=2"));
}

TEST(tar, lets_local_pax_override_global_and_an_empty_value_delete) {
  const Listing listing = list(TarForTest()
                                   .pax(TarForTest::record("path", "global"), 'g')
                                   .file("one", "1")
                                   .pax(TarForTest::record("path", "local"))
                                   .file("two", "2")
                                   .pax(TarForTest::record("path", ""))
                                   .file("three", "3")
                                   .file("four", "4")
                                   .pax(TarForTest::record("path", ""), 'g')
                                   .file("five", "5")
                                   .end());
  EXPECT_THAT(listing.members, ElementsAre("0 global=1", "0 local=2", "0 three=3", "0 global=4", "0 five=5"));
}

TEST(tar, takes_values_with_newlines_and_equals_signs) {
  EXPECT_THAT(list(TarForTest().pax(TarForTest::record("path", "a\nb=c")).file("x", "1").end()).members,
              ElementsAre("0 a\nb=c=1"));
}

TEST(tar, refuses_bad_pax_records) {
  for (const std::string& records :
       {"x path=a\n"s, "99 path=a\n"s, "9 path=ab"s, "8 pathab\n"s, "7 path\n"s, "0 a=b\n"s, "3 \n"s,
        "path=a\n"s, "18446744073709551617 a=b\n"s, "-9 path=a\n"s, " 9 path=a\n"s, "6 =ab\n"s}) {
    expect_error(TarForTest().file("f", "1").pax(records).file("x", "1").end(), ErrorKind::corrupt, "PAX",
                 1024);
  }
}

TEST(tar, refuses_a_name_with_nul) {
  expect_error(TarForTest().pax(TarForTest::record("path", "a\0b"s)).file("x", "1").end(), ErrorKind::corrupt,
               "NUL", 0);
}

TEST(tar, refuses_a_member_without_a_name) {
  expect_error(TarForTest().file("", "1").end(), ErrorKind::corrupt, "without a name", 0);
}

TEST(tar, refuses_large_extended_headers_before_reading_them) {
  for (const char type : {'x', 'g', 'L', 'K'}) {
    expect_error(TarForTest().raw(TarForTest::header("x", kTarMaxExtendedHeader + 1, type)).end(3000),
                 ErrorKind::corrupt, "extended header", 0);
  }
}

TEST(tar, refuses_an_extended_header_without_its_member) {
  expect_error(TarForTest().file("a", "1").pax(TarForTest::record("path", "x")).end(), ErrorKind::corrupt,
               "extended header", 1024);
  expect_error(TarForTest().file("x", "name", 'L'), ErrorKind::corrupt, "extended header", 0);
  EXPECT_FALSE(list(TarForTest().file("a", "1").pax(TarForTest::record("comment", "x"), 'g').end()).error);
}

TEST(tar, takes_links_folders_and_devices_as_headers_only) {
  TarForTest tar;
  for (const char type : {'1', '2', '3', '4', '5', '6'}) {
    tar.raw(TarForTest::header(fmt::format("t{}", type), 12345, type));
  }
  const Listing listing = list(tar.file("f", "1").end());
  EXPECT_THAT(listing.members, ElementsAre("1 t1=", "2 t2=", "3 t3=", "4 t4=", "5 t5=", "6 t6=", "0 f=1"));
}

TEST(tar, knows_old_types) {
  const Listing listing = list(TarForTest()
                                   .file("old", "1", '\0', TarMagic::v7)
                                   .raw(TarForTest::header("folder/", 999, '\0', TarMagic::v7))
                                   .file("contiguous", "2", '7')
                                   .file("volume", "skipped", 'V', TarMagic::gnu)
                                   .end());
  EXPECT_THAT(listing.members, ElementsAre("0 old=1", "5 folder/=", "0 contiguous=2", "V volume=skipped"));
}

TEST(tar, refuses_sparse_members) {
  expect_error(TarForTest().file("s", "packed", 'S', TarMagic::gnu).end(), ErrorKind::unsupported, "sparse",
               0);
  expect_error(TarForTest().pax(TarForTest::record("GNU.sparse.major", "1")).file("s", "packed").end(),
               ErrorKind::unsupported, "sparse", 1024);
}

TEST(tar, accepts_every_ending_after_a_whole_member) {
  for (const std::size_t blocks : {1, 2, 20}) {
    const Listing listing = list(TarForTest().file("a", "1").end(blocks));
    EXPECT_THAT(listing.members, ElementsAre("0 a=1"));
    EXPECT_FALSE(listing.error);
    EXPECT_EQ(listing.doubt, "");
  }
  const Listing bare = list(TarForTest().file("a", "1"));
  EXPECT_THAT(bare.members, ElementsAre("0 a=1"));
  EXPECT_THAT(bare.doubt, HasSubstr("no end mark"));
}

TEST(tar, stops_at_the_end_mark_and_tells_of_data_behind_it) {
  const Listing listing = list(TarForTest().file("a", "1").end().file("b", "2").end());
  EXPECT_THAT(listing.members, ElementsAre("0 a=1"));
  EXPECT_THAT(listing.doubt, HasSubstr("after its end mark (from byte 2048)"));
}

TEST(tar, refuses_members_that_reach_past_the_end) {
  expect_error(TarForTest().raw(TarForTest::header("a", 513)).data("x"), ErrorKind::corrupt, "truncated", 0);
  TarForTest unpadded;
  unpadded.raw(TarForTest::header("a", 4)).raw("data", 4);
  expect_error(unpadded, ErrorKind::corrupt, "in the padding", 0);
  const auto huge = [](TarHeader& header) {
    std::memcpy(header.size, "\x80\0\0\0\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 12);
  };
  expect_error(TarForTest().edited("a", "", huge).end(), ErrorKind::corrupt, "past the end", 0);
  expect_error(TarForTest().pax(TarForTest::record("size", "9223372036854775807")).file("a", "").end(),
               ErrorKind::corrupt, "past the end", 1024);
  expect_error(TarForTest().pax(TarForTest::record("size", "9223372036854775808")).file("a", "").end(),
               ErrorKind::corrupt, "not a number", 1024);
}

TEST(tar, names_the_compression_and_the_way_out) {
  for (const auto& [magic, name] :
       std::vector<std::pair<std::string, std::string>>{{"\x1F\x8B\x08\0"s, "gzip"},
                                                        {"BZh91AY&SY", "bzip2"},
                                                        {"\xFD"s + "7zXZ\0"s, "xz"},
                                                        {"\x28\xB5\x2F\xFD", "zstd"},
                                                        {"\x04\x22\x4D\x18", "lz4"}}) {
    for (const std::size_t blocks : {0, 4}) {
      const Listing listing = list(TarForTest().raw(magic.data(), magic.size()).end(blocks));
      ASSERT_TRUE(listing.error.has_value());
      EXPECT_EQ(listing.error->kind, ErrorKind::unsupported);
      EXPECT_THAT(listing.error->message, HasSubstr("compressed with " + name));
      EXPECT_THAT(listing.error->advice, HasSubstr("decompress"));
    }
  }
}

TEST(tar, takes_a_member_whose_name_looks_compressed) {
  EXPECT_THAT(list(TarForTest().file("BZh.txt", "1").end()).members, ElementsAre("0 BZh.txt=1"));
}

TEST(tar, refuses_files_that_are_no_archive) {
  expect_error(TarForTest(), ErrorKind::corrupt, "empty", 0);
  expect_error(TarForTest().raw("short", 5), ErrorKind::unsupported, "not a tar archive", 0);
  const std::string text(2000, 'x');
  expect_error(TarForTest().raw(text.data(), text.size()), ErrorKind::unsupported, "not a tar archive", 0);
}

TEST(tar, passes_on_read_errors) {
  const Listing listing = list(*faulty(TarForTest().file("a", "1").file("b", "2").end(), {{.offset = 1024}}));
  EXPECT_THAT(listing.members, ElementsAre("0 a=1"));
  ASSERT_TRUE(listing.error.has_value());
  EXPECT_EQ(listing.error->kind, ErrorKind::io);
}

}  // namespace
}  // namespace penstock::inline v0
