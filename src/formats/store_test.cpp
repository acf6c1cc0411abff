#include "formats/store.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <random>

#include "io/temporary_folder_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using testing::HasSubstr;

std::string_view text_of(const auto& value) { return {reinterpret_cast<const char*>(&value), sizeof value}; }

std::uint32_t checksum_of(std::string_view text) {
  return crc32c({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

/// A store of texts, written by hand.
struct SmallStore {
  StoreManifest manifest;
  std::string index;
  std::string keys;
  std::string shard;

  SmallStore() {
    manifest.written_by = "a test";
    manifest.fingerprint = std::string(32, 'f');
    manifest.fields = {{"text", FieldKind::text}, {"label", FieldKind::integer}};
    manifest.sources = {{"somewhere \xFF", std::string(32, 'a'), 3}};
    manifest.settings.image = "keep";
    manifest.settings.shard_bytes = 1 << 20;
    manifest.kept_because = {"progressive"};
    manifest.samples = 3;
    shard = text_of(StoreShardHeader{});
    std::string rows;
    for (const char* const word : {"one", "two", "three"}) {
      keys += std::string("key-") + word;
      rows += text_of(std::uint64_t{keys.size()});
      add(rows, word, RecordCodec::original);
      const std::int64_t number = -7;
      add(rows, text_of(number), RecordCodec::number);
    }
    StoreIndexHeader header;
    header.samples = 3;
    header.fields = 2;
    header.row_size = store_row_size(2);
    header.key_bytes = keys.size();
    header.shards = 1;
    header.checksum = header.right_checksum();
    index = std::string(text_of(header)) + rows;
  }

  void add(std::string& rows, std::string_view value, RecordCodec codec) {
    FieldRecord record;
    record.set_place(0, shard.size());
    record.set_stored_size(value.size());
    record.set_original_size(value.size());
    record.checksum = checksum_of(value);
    record.codec = codec;
    shard += value;
    rows += text_of(record);
  }

  std::string write(const TemporaryFolder& folder) {
    manifest.index = {index.size(), checksum_of(index)};
    manifest.keys = {keys.size(), checksum_of(keys)};
    manifest.shards = {{shard.size(), checksum_of(shard)}};
    folder.write("s/index.bin", std::string_view(index));
    folder.write("s/keys.bin", std::string_view(keys));
    folder.write("s/shard-000000.bin", std::string_view(shard));
    folder.write("s/manifest.json", manifest.text());
    return folder / "s";
  }
};

TEST(store, samples_are_read_in_place) {
  const TemporaryFolder folder;
  SmallStore store;
  const auto table = open_samples({store.write(folder)}, {});
  ASSERT_TRUE(table.ok()) << table.error().to_string();
  ASSERT_EQ((*table)->size(), 3u);
  EXPECT_EQ((*table)->key(2), "key-three");
  EXPECT_EQ(as_text((*table)->read(1, 0)->bytes), "two");
  EXPECT_EQ((*table)->read(1, 1)->number, Number(std::int64_t{-7}));
  EXPECT_EQ((*table)->fingerprint(), std::string(32, 'f'));
  const Place place = (*table)->place(1, 0);
  EXPECT_EQ(place.shard, folder / "s/shard-000000.bin");
  EXPECT_EQ(place.offset, 16u + 3 + 8);
  EXPECT_EQ((*table)->read(3, 0).error().kind, ErrorKind::invalid);
  EXPECT_EQ((*table)->read(0, 2).error().kind, ErrorKind::invalid);
}

TEST(store, fields_are_chosen_by_name_or_extension) {
  const TemporaryFolder folder;
  SmallStore store;
  const std::string path = store.write(folder);
  const auto table = open_samples({path}, {{{"y", "cls"}, {"words", "text"}}});
  ASSERT_TRUE(table.ok()) << table.error().to_string();
  EXPECT_EQ((*table)->fields(),
            (std::vector<FieldInfo>{{"y", FieldKind::integer}, {"words", FieldKind::text}}));
  EXPECT_EQ(as_text((*table)->read(0, 1)->bytes), "one");
  EXPECT_NE((*table)->fingerprint(), std::string(32, 'f'));
  EXPECT_EQ(open_samples({path}, {{{"x", "jpg"}}}).error().kind, ErrorKind::invalid);
}

TEST(store, keys_that_lie_over_each_other_are_damage) {
  const TemporaryFolder folder;
  SmallStore store;
  const auto set_key_end = [&store](std::size_t sample, std::uint64_t end) {
    std::memcpy(store.index.data() + sizeof(StoreIndexHeader) + sample * store_row_size(2), &end, sizeof end);
  };
  set_key_end(1, 3);
  auto table = open_samples({store.write(folder)}, {});
  ASSERT_TRUE(table.ok()) << table.error().to_string();
  EXPECT_TRUE((*table)->checked_key(0).ok());
  EXPECT_EQ((*table)->checked_key(1).error().kind, ErrorKind::corrupt);
  EXPECT_EQ((*table)->check_keys().error().place.shard, folder / "s/index.bin");
  EXPECT_EQ(as_text((*table)->read(1, 0)->bytes), "two") << "its fields are what they were";

  store.keys.resize(16 + kMaxKeyBytes, 'k');
  for (const std::size_t longer : {0, 1}) {
    set_key_end(1, 14);
    set_key_end(2, 14 + kMaxKeyBytes + longer);
    StoreIndexHeader header;
    std::memcpy(&header, store.index.data(), sizeof header);
    header.key_bytes = store.keys.size();
    header.checksum = header.right_checksum();
    std::memcpy(store.index.data(), &header, sizeof header);
    table = open_samples({store.write(folder)}, {});
    ASSERT_TRUE(table.ok()) << table.error().to_string();
    EXPECT_EQ((*table)->checked_key(2).ok(), longer == 0);
    EXPECT_EQ((*table)->check_keys().ok(), longer == 0);
  }
}

TEST(store, manifest_is_read_as_it_was_written) {
  SmallStore store;
  store.manifest.tables = StoreFile{5, 6};
  store.manifest.classes = {"a", "b \"\n\xC3\xA9\xFE"};
  store.manifest.settings.quality = 80;
  const auto parsed = StoreManifest::parse(store.manifest.text());
  ASSERT_TRUE(parsed.ok()) << parsed.error().to_string();
  EXPECT_TRUE(*parsed == store.manifest);
}

TEST(store, arrays_are_what_the_manifest_says_of_them) {
  const auto with_array = [](Scalar type, std::vector<std::size_t> shape) {
    SmallStore store;
    store.manifest.fields[0] = {"text", FieldKind::array};
    store.manifest.arrays = {{"text", {.spec = {.type = type, .shape = std::move(shape)}}}};
    return store;
  };
  const TemporaryFolder folder;
  SmallStore store = with_array(Scalar::int8, {3, 1});
  const auto parsed = StoreManifest::parse(store.manifest.text());
  ASSERT_TRUE(parsed.ok()) << parsed.error().to_string();
  EXPECT_TRUE(*parsed == store.manifest);
  const auto table = open_samples({store.write(folder)}, {});
  ASSERT_TRUE(table.ok()) << table.error().to_string();
  EXPECT_EQ((*table)->spec(0).array->to_string(), "int8 (3, 1)");
  EXPECT_EQ(as_text((*table)->read(1, 0)->bytes), "two");
  const auto longer = (*table)->read(2, 0);
  ASSERT_FALSE(longer.ok());
  EXPECT_EQ(longer.error().kind, ErrorKind::corrupt);
  EXPECT_THAT(longer.error().message, HasSubstr("5 bytes where int8 (3, 1)"));

  // Batches would be made for them before any is read.
  for (const std::size_t extent : {std::size_t{2}, std::size_t{1} << 40}) {
    EXPECT_EQ(open_samples({with_array(Scalar::int8, {extent}).write(folder)}, {}).error().kind,
              ErrorKind::corrupt);
  }
  EXPECT_FALSE(StoreManifest::parse(with_array(Scalar::int64, {1u << 30, 1u << 30}).manifest.text()).ok());
  EXPECT_FALSE(
      StoreManifest::parse(with_array(Scalar::int8, {1, 1, 1, 1, 1, 1, 1, 1, 3}).manifest.text()).ok());
  SmallStore untold = with_array(Scalar::int8, {3});
  untold.manifest.arrays.clear();
  EXPECT_FALSE(StoreManifest::parse(untold.manifest.text()).ok());
}

TEST(store, a_number_is_no_array) {
  SmallStore store;
  store.manifest.fields[1] = {"label", FieldKind::array};
  store.manifest.arrays = {{"label", {.spec = {.type = Scalar::int64, .shape = {}}}}};
  const TemporaryFolder folder;
  const auto table = open_samples({store.write(folder)}, {});
  ASSERT_TRUE(table.ok()) << table.error().to_string();
  EXPECT_EQ((*table)->read(0, 1).error().kind, ErrorKind::corrupt);
}

TEST(store, newer_versions_are_refused_clearly) {
  const TemporaryFolder folder;
  SmallStore store;
  store.write(folder);
  std::string text = store.manifest.text();
  text.replace(text.find("\"version\": 1"), 12, "\"version\": 2");
  folder.write("s/manifest.json", text);
  const auto table = open_samples({folder / "s"}, {});
  ASSERT_FALSE(table.ok());
  EXPECT_EQ(table.error().kind, ErrorKind::unsupported);
  EXPECT_THAT(table.error().to_string(), HasSubstr("version 2"));
}

TEST(store, any_change_to_the_manifest_is_refused) {
  SmallStore store;
  const std::string text = store.manifest.text();
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    const auto parsed = StoreManifest::parse(changed);
    ASSERT_FALSE(parsed.ok()) << i;
  }
  for (std::size_t size = 0; size < text.size(); ++size) {
    ASSERT_FALSE(StoreManifest::parse(text.substr(0, size)).ok()) << size;
  }
}

TEST(store, a_folder_without_manifest_is_no_finished_store) {
  const TemporaryFolder folder;
  SmallStore store;
  store.write(folder);
  std::filesystem::remove(folder / "s/manifest.json");
  const auto table = open_samples({folder / "s"}, {});
  ASSERT_FALSE(table.ok());
  EXPECT_EQ(table.error().kind, ErrorKind::corrupt);
  EXPECT_THAT(table.error().message, HasSubstr("no manifest"));
}

TEST(store, records_that_point_elsewhere_are_corrupt) {
  const TemporaryFolder folder;
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    SmallStore store;
    for (int i = 0; i < 4; ++i) {
      store.index[64 + random() % (store.index.size() - 64)] = static_cast<char>(random());
    }
    const auto table = open_samples({store.write(folder)}, {});
    ASSERT_TRUE(table.ok()) << table.error().to_string();
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < 3; ++i) {
      sum += (*table)->key(i).size();
      for (std::size_t field = 0; field < 2; ++field) {
        const auto value = (*table)->read(i, field);
        ASSERT_TRUE(value.ok() || value.error().kind == ErrorKind::corrupt);
        for (const std::uint8_t byte : value.ok() ? value->bytes : Bytes()) {
          sum += byte;
        }
      }
    }
    EXPECT_LT(sum, 1u << 20);
  }
}

TEST(store, damaged_fields_are_found_when_they_are_read) {
  const TemporaryFolder folder;
  SmallStore store;
  store.shard[17] ^= 1;
  const auto table = open_samples({store.write(folder)}, {});
  const auto value = (*table)->read(0, 0);
  ASSERT_FALSE(value.ok());
  EXPECT_EQ(value.error().kind, ErrorKind::corrupt);
  EXPECT_EQ(value.error().place.offset, 16u);
}

TEST(store, damaged_images_are_found_when_they_are_read) {
  const TemporaryFolder folder;
  SmallStore store;
  store.manifest.fields[0] = {"image", FieldKind::image};
  store.shard[17] ^= 1;
  const auto table = open_samples({store.write(folder)}, {{{"y", "label"}, {"x", "image"}}});
  for (int reads = 0; reads < 2; ++reads) {
    const auto value = (*table)->read(0, 1);
    ASSERT_FALSE(value.ok());
    EXPECT_EQ(value.error().kind, ErrorKind::corrupt);
    EXPECT_THAT(value.error().advice, HasSubstr("penstock verify"));
    EXPECT_EQ(value.error().place.shard, folder / "s/shard-000000.bin");
    EXPECT_EQ(value.error().place.offset, 16u);
    EXPECT_EQ(value.error().place.key, "key-one");
    EXPECT_EQ(value.error().place.index, 0u);
  }
  EXPECT_TRUE((*table)->read(0, 0).ok());
  EXPECT_TRUE((*table)->read(1, 1).ok());
}

TEST(store, checksums_are_compared_once) {
  const TemporaryFolder folder;
  SmallStore store;
  const auto table = open_samples({store.write(folder)}, {});
  ASSERT_TRUE((*table)->read(0, 0).ok());
  // The same file, seen through the mapping.
  const int file = ::open((folder / "s/shard-000000.bin").c_str(), O_WRONLY);
  ASSERT_EQ(::pwrite(file, "X", 1, 16), 1);
  ::close(file);
  EXPECT_EQ(as_text((*table)->read(0, 0)->bytes), "Xne");
}

TEST(store, a_store_is_opened_by_itself) {
  const TemporaryFolder folder;
  SmallStore store;
  const std::string path = store.write(folder);
  EXPECT_EQ(open_samples({path, path}, {}).error().kind, ErrorKind::unsupported);
}

TEST(store, a_billion_samples_open_as_fast_as_a_thousand) {
  const TemporaryFolder folder;
  const auto seconds_to_open = [&](std::uint64_t samples) {
    SmallStore store;
    const std::string path = store.write(folder);
    StoreIndexHeader header;
    std::memcpy(&header, store.index.data(), sizeof header);
    header.samples = samples;
    header.checksum = header.right_checksum();
    store.index.replace(0, sizeof header, text_of(header));
    folder.write("s/index.bin", std::string_view(store.index));
    // Rows of zeros after the first three: the file is sparse.
    std::filesystem::resize_file(path + "/index.bin", 64 + samples * header.row_size);
    store.manifest.samples = samples;
    store.manifest.index.size = 64 + samples * header.row_size;
    folder.write("s/manifest.json", store.manifest.text());
    double best = 1e9;
    for (int i = 0; i < 5; ++i) {
      const auto start = std::chrono::steady_clock::now();
      const auto table = open_samples({path}, {});
      best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
      EXPECT_TRUE(table.ok()) << table.error().to_string();
      EXPECT_EQ((*table)->size(), samples);
      EXPECT_EQ(as_text((*table)->read(2, 0)->bytes), "three");
      EXPECT_FALSE((*table)->read(samples - 1, 0).ok());
    }
    return best;
  };
  const double thousand = seconds_to_open(1000);
  const double billion = seconds_to_open(1'000'000'000);
  EXPECT_LT(billion, thousand * 3 + 0.002);
}

TEST(store, is_read_when_the_process_has_changed_its_folder) {
  const TemporaryFolder folder;
  SmallStore store;
  store.write(folder);
  const auto table = [&folder] {
    const InFolder here(folder.path());
    return open_samples({"s"}, {});
  }();
  ASSERT_TRUE(table.ok()) << table.error().to_string();
  const auto value = (*table)->read(1, 0);
  ASSERT_TRUE(value.ok()) << value.error().to_string();
  EXPECT_EQ(as_text(value->bytes), "two");
  EXPECT_EQ((*table)->place(1, 0).shard, "s/shard-000000.bin");  // as it was named
}

TEST(store, one_whose_folder_is_open_is_that_one_whatever_takes_its_name) {
  const TemporaryFolder folder;
  SmallStore store;
  const std::string path = store.write(folder);
  const auto opened = std::make_shared<const Folder>(Folder::open(path).value());
  const auto put_in_its_place = [&](const char* away) {
    std::filesystem::rename(path, folder / away);
    SmallStore forged;
    forged.manifest.fingerprint = std::string(32, 'e');
    forged.shard.replace(forged.shard.find("two"), 3, "TWO");
    forged.write(folder);
  };
  put_in_its_place("first");
  auto files = StoreFiles::open_in(opened, {path, "s"});
  ASSERT_TRUE(files.ok()) << files.error().to_string();
  EXPECT_EQ((*files)->manifest().fingerprint, std::string(32, 'f'));
  put_in_its_place("second");  // before the shard is mapped
  const auto table = store_table(std::move(files).value());
  EXPECT_EQ(as_text((*table).read(1, 0)->bytes), "two");
  EXPECT_EQ(table->place(1, 0).shard, path + "/shard-000000.bin") << "for people";
}

TEST(store, a_store_that_is_gone_is_told_apart_from_one_that_lacks_a_file) {
  const TemporaryFolder folder;
  SmallStore store;
  const std::string path = store.write(folder);
  const auto first = open_samples({path}, {});
  const auto second = open_samples({path}, {});
  std::filesystem::remove(path + "/shard-000000.bin");
  const auto lacking = (*first)->read(0, 0);
  ASSERT_FALSE(lacking.ok());
  EXPECT_EQ(lacking.error().kind, ErrorKind::corrupt);
  EXPECT_THAT(lacking.error().to_string(), HasSubstr("this file of the store is missing"));
  std::filesystem::remove_all(path);
  const auto gone = (*second)->read(0, 0);
  ASSERT_FALSE(gone.ok());
  EXPECT_EQ(gone.error().kind, ErrorKind::not_found);
}

}  // namespace
}  // namespace penstock::inline v0
