#include "codecs/ogg_pages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <string>
#include <vector>

#include "codecs/audio_decoder.hpp"

namespace penstock::test {
namespace {

using ::testing::HasSubstr;

/// The first page of a Vorbis file, as libogg wrote it.
const std::vector<std::uint8_t> kFirst = {
    0x4f, 0x67, 0x67, 0x53, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xf4,
    0xa9, 0xa3, 0x61, 0x00, 0x00, 0x00, 0x00, 0xb4, 0xbe, 0x00, 0x35, 0x01, 0x1e, 0x01, 0x76,
    0x6f, 0x72, 0x62, 0x69, 0x73, 0x00, 0x00, 0x00, 0x00, 0x01, 0x40, 0x1f, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x70, 0x62, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x99, 0x01};

/// The same with other flags, a position in frames, and the sum that a program of its own gave for that.
std::vector<std::uint8_t> page_of(std::uint8_t flags, std::uint8_t position, std::uint32_t sum) {
  std::vector<std::uint8_t> page = kFirst;
  page[5] = flags;
  page[6] = position;
  for (std::size_t i = 0; i < 4; ++i) {
    page[22 + i] = static_cast<std::uint8_t>(sum >> (8 * i));
  }
  return page;
}

const std::vector<std::uint8_t> kAudio = page_of(0, 100, 0x5ef33f5d);
const std::vector<std::uint8_t> kLast = page_of(4, 150, 0xf3c9566f);

std::vector<std::uint8_t> joined(const std::vector<std::vector<std::uint8_t>>& pages) {
  std::vector<std::uint8_t> file;
  for (const auto& page : pages) {
    file.insert(file.end(), page.begin(), page.end());
  }
  return file;
}

std::string message_of(const Status& status) { return status.ok() ? std::string() : status.error().message; }

Status check_all(const std::vector<std::uint8_t>& file) { return OggPages(file).check(0, file.size()); }

TEST(OggPages, every_changed_bit_is_noticed) {
  EXPECT_TRUE(check_all(kFirst).ok());
  for (std::size_t bit = 0; bit < 8 * kFirst.size(); ++bit) {
    std::vector<std::uint8_t> changed = kFirst;
    changed[bit / 8] = static_cast<std::uint8_t>(changed[bit / 8] ^ (1U << (bit % 8)));
    // A page that says that it is longer than the file has been cut off.
    const bool longer = changed[26] > kFirst[26] || changed[27] > kFirst[27];
    EXPECT_EQ(check_all(changed).ok(), longer) << bit;
  }
}

TEST(OggPages, headers_of_vorbis_must_be_whole) {
  const auto pass = [](const std::vector<std::uint8_t>& file) {
    return message_of(OggPages(file).pass_headers());
  };
  EXPECT_EQ(pass(joined({kFirst, kAudio, kLast})), "");  // three packets
  for (std::size_t size = kFirst.size(); size < 3 * kFirst.size(); ++size) {
    std::vector<std::uint8_t> cut = joined({kFirst, kAudio, kLast});
    cut.resize(size);
    EXPECT_THAT(pass(cut), HasSubstr("its headers are incomplete")) << size;
  }
  std::vector<std::uint8_t> changed = joined({kFirst, kAudio, kLast});
  changed[2 * kFirst.size() - 1] ^= 1;
  EXPECT_THAT(pass(changed), HasSubstr("checksum"));
  changed[28] = 'O';  // another codec: not looked at
  EXPECT_EQ(pass(changed), "");
}

TEST(OggPages, a_truncated_file_opened_many_times_keeps_no_memory) {
  AudioDecoder decoder;
  const auto open_often = [&](int times) {
    for (int i = 0; i < times; ++i) {
      const auto opened = decoder.open(kFirst);
      ASSERT_FALSE(opened.ok());
    }
  };
  open_often(10);
  const auto before = mallinfo2().uordblks;
  open_often(1000);
  EXPECT_LT(mallinfo2().uordblks, before + 1000);
}

TEST(OggPages, a_page_that_is_cut_off_is_no_damage_and_one_that_is_missing_is) {
  std::vector<std::uint8_t> file = joined({kFirst, kAudio});
  for (std::size_t size = kFirst.size(); size <= file.size(); ++size) {
    EXPECT_TRUE(check_all({file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size)}).ok()) << size;
  }
  file.insert(file.begin() + static_cast<std::ptrdiff_t>(kFirst.size()), 40, 0);
  EXPECT_THAT(message_of(check_all(file)), HasSubstr("no page at byte 58"));
}

TEST(OggPages, behind_the_last_page_anything_may_follow) {
  std::vector<std::uint8_t> file = joined({kFirst, kLast});
  file.insert(file.end(), 40, 0);
  EXPECT_TRUE(check_all(file).ok());
}

TEST(OggPages, pages_that_nobody_read_are_passed_by) {
  std::vector<std::uint8_t> file = joined({kFirst, kAudio, kLast});
  const std::size_t size = kFirst.size();
  file[size + 40] ^= 1;
  EXPECT_THAT(message_of(check_all(file)), HasSubstr("the checksum of the page at byte 58 is wrong"));
  EXPECT_FALSE(OggPages(file).check(2 * size - 1, file.size()).ok());
  EXPECT_TRUE(OggPages(file).check(2 * size, file.size()).ok());
  EXPECT_TRUE(OggPages(file).check(0, size).ok());
  OggPages pages(file);
  EXPECT_TRUE(pages.check(0, 1).ok());
  EXPECT_FALSE(pages.check(0, size + 1).ok());
  file[40] ^= 1;  // the stream's headers matter to every slice
  EXPECT_FALSE(OggPages(file).check(2 * size, file.size()).ok());
}

TEST(OggPages, the_end_says_how_long_the_last_page_is) {
  const OggEnd whole = read_ogg_end(joined({kFirst, kAudio, kLast}));
  EXPECT_TRUE(whole.marked);
  EXPECT_EQ(whole.last_page_frames, 50U);
  const OggEnd cut = read_ogg_end(joined({kFirst, kAudio}));
  EXPECT_FALSE(cut.marked);
  EXPECT_EQ(cut.last_page_frames, 100U);
  EXPECT_EQ(read_ogg_end(kLast).last_page_frames, std::nullopt);
  EXPECT_EQ(read_ogg_end({}).last_page_frames, std::nullopt);
}

}  // namespace
}  // namespace penstock::test
