// Damaged archives end in the expected contents or a clear error, at every cut and for every changed header
// byte.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "formats/tar_for_test.hpp"
#include "formats/tar_table.hpp"
#include "io/temporary_folder_for_test.hpp"

namespace penstock::inline v0 {
namespace {

TarForTest audio_archive() {
  TarForTest tar;
  tar.file("one.jpg", "\xFF\xD8\xFF\xE0 first").file("one.cls", "3");
  tar.file("././@LongLink", std::string(140, 'k') + ".jpg" + '\0', 'L', TarMagic::gnu);
  tar.file(std::string(100, 'k'), "second", '0', TarMagic::gnu).file(std::string(96, 'k') + ".cls", "4");
  tar.pax(TarForTest::record("mtime", "1.5") + TarForTest::record("path", "three.jpg"))
      .file("x", std::string(600, 't'));
  return tar.file("three.cls", "5").end();
}

using Contents = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// All keys and fields, or the error.
Result<Contents> read_all(std::vector<std::uint8_t> bytes) {
  PENSTOCK_ASSIGN(const auto table, open_tars_for_test({{"damaged.tar", std::move(bytes)}}));
  Contents contents;
  for (std::uint64_t i = 0; i < table->size(); ++i) {
    contents.emplace_back(table->key(i), std::vector<std::string>());
    for (std::size_t f = 0; f < table->fields().size(); ++f) {
      PENSTOCK_ASSIGN(const StoredValue value, table->read(i, f));
      contents.back().second.emplace_back(as_text(value.bytes));
    }
  }
  return contents;
}

void expect_clear(const Error& error) {
  EXPECT_TRUE(error.kind == ErrorKind::corrupt || error.kind == ErrorKind::unsupported) << error.to_string();
  EXPECT_EQ(error.place.shard, "damaged.tar") << error.to_string();
  EXPECT_TRUE(error.place.offset.has_value()) << error.to_string();
  EXPECT_FALSE(error.message.empty());
}

TEST(damaged_tar, cut_anywhere_gives_whole_samples_or_an_error) {
  const TarForTest tar = audio_archive();
  const auto whole = read_all(tar.bytes());
  ASSERT_TRUE(whole.ok()) << whole.error().to_string();
  const std::size_t members_end = tar.bytes().size() - 1024;
  int accepted = 0;
  for (std::size_t length = 0; length < tar.bytes().size(); ++length) {
    const auto cut =
        read_all({tar.bytes().begin(), tar.bytes().begin() + static_cast<std::ptrdiff_t>(length)});
    if (!cut.ok()) {
      expect_clear(cut.error());
      EXPECT_LT(length, members_end) << "nothing is missing but end blocks";
      continue;
    }
    ++accepted;
    EXPECT_TRUE(length >= members_end || length % 512 == 0) << length;
    if (length >= members_end) {
      EXPECT_EQ(*cut, *whole);
    }
  }
  EXPECT_GE(accepted, 1024);
}

TEST(damaged_tar, names_take_no_more_memory_than_the_archive) {
  TarForTest repeated;
  repeated.pax(TarForTest::record("path", std::string(kMaxKeyBytes, 'k') + ".txt"), 'g');
  for (int i = 0; i < 100; ++i) {
    repeated.file("x", "1").pax(TarForTest::record("path", "other.txt")).file("x", "2");
  }
  auto refused = read_all(repeated.end().bytes());
  ASSERT_FALSE(refused.ok());
  expect_clear(refused.error());
  EXPECT_THAT(refused.error().message, testing::HasSubstr("longer than the archive"));

  const auto with_key = [](std::size_t size) {
    return TarForTest()
        .pax(TarForTest::record("path", std::string(size, 'k') + ".txt"))
        .file("x", "1")
        .end()
        .bytes();
  };
  EXPECT_TRUE(read_all(with_key(kMaxKeyBytes)).ok());
  refused = read_all(with_key(kMaxKeyBytes + 1));
  ASSERT_FALSE(refused.ok());
  expect_clear(refused.error());
  EXPECT_THAT(refused.error().message, testing::HasSubstr("a key of 65537 bytes"));
}

TEST(damaged_tar, a_changed_header_byte_gives_the_same_or_an_error) {
  const TarForTest tar = audio_archive();
  const auto whole = read_all(tar.bytes());
  std::uint64_t refused = 0;
  const std::vector<std::size_t> headers = [&] {
    std::vector<std::size_t> offsets;
    for (std::size_t at = 0; at + 1024 < tar.bytes().size(); at += 512) {
      TarHeader header;
      std::memcpy(&header, tar.bytes().data() + at, 512);
      if (has_valid_checksum(header)) {
        offsets.push_back(at);
      }
    }
    return offsets;
  }();
  ASSERT_EQ(headers.size(), 8u);
  for (const std::size_t header : headers) {
    for (std::size_t i = 0; i < 512; ++i) {
      for (const int change : {1, 0x80, 0xFF}) {
        auto bytes = tar.bytes();
        bytes[header + i] = static_cast<std::uint8_t>(bytes[header + i] ^ change);
        const auto read = read_all(std::move(bytes));
        if (read.ok()) {
          EXPECT_EQ(*read, *whole) << "byte " << i << " of the header at " << header;
        } else {
          expect_clear(read.error());
          ++refused;
        }
      }
    }
  }
  EXPECT_GT(refused, headers.size() * 500 * 3) << "only the checksum's own terminators may change unseen";
}

TEST(damaged_tar, a_changed_and_resealed_header_never_crashes) {
  const TarForTest tar = audio_archive();
  std::mt19937 random(7);
  for (int round = 0; round < 20'000; ++round) {
    auto bytes = tar.bytes();
    const std::size_t at = (random() % (bytes.size() / 512)) * 512;
    TarHeader header;
    std::memcpy(&header, bytes.data() + at, 512);
    for (int i = 0; i < 3; ++i) {
      const std::size_t where = random() % 4 == 0 ? 156 : random() % 512;
      reinterpret_cast<std::uint8_t*>(&header)[where] = static_cast<std::uint8_t>(random());
    }
    TarForTest::seal(header);
    std::memcpy(bytes.data() + at, &header, 512);
    const auto read = read_all(std::move(bytes));
    if (!read.ok() && read.error().place.key.empty()) {
      expect_clear(read.error());
    }
  }
}

}  // namespace
}  // namespace penstock::inline v0
