#include "formats/tar_index.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "formats/tar_fields.hpp"
#include "formats/tar_for_test.hpp"
#include "formats/tar_index_build.hpp"

namespace penstock::inline v0 {
namespace {

using ::testing::ElementsAre;

std::vector<std::uint8_t> small_index() {
  const auto tar = TarForTest()
                       .file("a.jpg", "A")
                       .file("a.cls", "1")
                       .file("key/b.jpg", std::string(700, 'x'))
                       .file("key/b.cls", "2")
                       .end()
                       .source();
  auto scans = scan_shards({tar, tar});
  return build_tar_index({"/x/1.tar", "/x/2.tar"}, {{10, 20, 30}, {40, 50, 60}}, std::move(*scans)).value();
}

/// Walks everything that an index gives.
std::size_t walk(const TarIndex& index) {
  std::size_t sum = index.text(index.header().warnings).size() + index.fingerprint().size();
  for (std::uint64_t s = 0; s < index.shard_count(); ++s) {
    sum += index.shard_name(s).size() + index.shard_state(s).size;
  }
  for (std::uint64_t i = 0; i <= index.size(); ++i) {
    for (const char c : index.key(i)) {
      sum += static_cast<unsigned char>(c);
    }
    if (const auto sample = index.sample(i)) {
      for (const MemberRecord& member : sample->members) {
        sum += member.size();
      }
    }
  }
  const auto fields = choose_tar_fields(index, {});
  return sum + (fields.ok() ? fields->fields.size() : 0);
}

void reseal(std::vector<std::uint8_t>& bytes) {
  const std::uint64_t checksum = tar_index_checksum(ByteSpan(bytes).subspan(32));
  std::memcpy(bytes.data() + 24, &checksum, 8);
}

TEST(tar_index, gives_back_what_was_scanned) {
  const auto bytes = small_index();
  const auto index = TarIndex::view(bytes);
  ASSERT_TRUE(index.has_value());
  EXPECT_EQ(index->size(), 4u);
  EXPECT_EQ(index->key(0), "a");
  EXPECT_EQ(index->key(3), "key/b");
  EXPECT_EQ(index->key(4), "");
  EXPECT_EQ(index->shard_name(1), "/x/2.tar");
  EXPECT_EQ(index->shard_state(1), (FileState{40, 50, 60}));
  const auto sample = index->sample(3);
  ASSERT_TRUE(sample.has_value());
  EXPECT_EQ(sample->shard, 1u);
  ASSERT_EQ(sample->members.size(), 2u);
  EXPECT_EQ(sample->members[0].offset(), 2560u);
  EXPECT_EQ(sample->members[0].size(), 700u);
  EXPECT_EQ(index->text(index->extensions()[sample->members[1].extension].extension), "cls");
  EXPECT_FALSE(index->sample(4).has_value());
  EXPECT_FALSE(index->sample(UINT64_MAX).has_value());
}

TEST(tar_index, stays_small) {
  TarForTest tar;
  for (int i = 0; i < 1000; ++i) {
    tar.file(fmt::format("{:06}.jpg", i), "")
        .file(fmt::format("{:06}.cls", i), "")
        .file(fmt::format("{:06}.json", i), "");
  }
  const auto source = tar.end().source();
  auto scans = scan_shards({source});
  const auto bytes = build_tar_index({"x"}, {{}}, std::move(*scans)).value();
  EXPECT_LT(bytes.size(), 1000u * (64 + 6) + 1000);
}

TEST(tar_index, is_refused_when_cut_or_grown) {
  const auto bytes = small_index();
  for (std::size_t length = 0; length < bytes.size(); length += 8) {
    const std::vector<std::uint8_t> cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_FALSE(TarIndex::view(cut).has_value()) << length;
  }
  auto grown = bytes;
  grown.resize(grown.size() + 32);
  EXPECT_FALSE(TarIndex::view(grown).has_value());
}

TEST(tar_index, is_refused_when_any_bit_differs) {
  const auto intact = small_index();
  for (std::size_t i = 0; i < intact.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      auto bytes = intact;
      bytes[i] = static_cast<std::uint8_t>(bytes[i] ^ (1 << bit));
      EXPECT_FALSE(TarIndex::view(bytes).has_value()) << i;
    }
  }
}

TEST(tar_index, of_another_version_is_refused) {
  auto bytes = small_index();
  bytes[8] = kTarIndexVersion + 1;
  EXPECT_FALSE(TarIndex::view(bytes).has_value());
}

TEST(tar_index, gives_nothing_for_a_record_that_points_outside) {
  const auto intact = small_index();
  const std::size_t samples = 128 + 2 * sizeof(ShardRecord);
  const auto with = [&](std::size_t record, std::uint64_t where, std::uint64_t key) {
    auto bytes = intact;
    const SampleRecord changed{where, key};
    std::memcpy(bytes.data() + samples + record * sizeof changed, &changed, sizeof changed);
    reseal(bytes);
    return bytes;
  };
  for (const auto& bytes : {with(1, 9, 1000), with(0, 3, 2), with(0, std::uint64_t{2} << 40, UINT64_MAX)}) {
    const auto index = TarIndex::view(bytes);
    ASSERT_TRUE(index.has_value());
    EXPECT_FALSE(index->sample(0).has_value());
    EXPECT_EQ(index->key(0), "");
    EXPECT_TRUE(index->sample(2).has_value());
  }
}

TEST(tar_index, with_hostile_values_stays_inside_its_bytes) {
  const auto intact = small_index();
  std::mt19937_64 random(3);
  int opened = 0;
  for (int round = 0; round < 20'000; ++round) {
    auto bytes = intact;
    for (int i = 0; i < 3; ++i) {
      const std::uint64_t value = random() % 3 == 0   ? UINT64_MAX
                                  : random() % 3 == 0 ? random() % 64
                                                      : random();
      const std::size_t at = 32 + random() % (bytes.size() - 40);
      std::memcpy(bytes.data() + at, &value, 1 + random() % 8);
    }
    reseal(bytes);
    if (const auto index = TarIndex::view(bytes)) {
      ++opened;
      walk(*index);
    }
  }
  EXPECT_GT(opened, 1000) << "the checksum alone must not be what stops them";
}

}  // namespace
}  // namespace penstock::inline v0
