// Archives written by webdataset, Python, GNU tar and bsdtar, against what the reference reader makes of
// them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "core/json_for_test.hpp"
#include "core/sha256.hpp"
#include "formats/tar_for_test.hpp"
#include "formats/tar_table.hpp"
#include "formats/text.hpp"
#include "io/temporary_folder_for_test.hpp"

namespace penstock::inline v0 {
namespace {

const std::string kFolder = PENSTOCK_SHARED_DIR "/fixtures/webdataset";

std::string hash_of(ByteSpan bytes) { return to_hex(Sha256().update(bytes).finish()); }

Result<std::unique_ptr<SampleTable>> open_files(const std::vector<std::string>& files,
                                                const FieldChoice& fields) {
  std::vector<NamedPath> shards;
  for (const std::string& file : files) {
    shards.push_back({kFolder + "/" + file, file});
  }
  return open_tar_table(shards, {fields}, {});
}

class Fixtures : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kFolder + "/expected.json")) {
      GTEST_SKIP() << kFolder << " is not there: fixtures of real writers are not compared";
    }
    expected_ = JsonForTest::parse(read_text(kFolder + "/expected.json"));
    ASSERT_FALSE(expected_["files"].items.empty());
  }

  JsonForTest expected_;
};

/// Reads every field of the file, by extension, and compares keys, extensions and bytes.
void compare(const std::string& name, const JsonForTest& samples) {
  FieldChoice every;
  std::map<std::string, std::size_t> numbers;
  for (const JsonForTest& sample : samples.items) {
    for (const std::string& extension : sample["fields"].names) {
      if (numbers.try_emplace(extension, every.size()).second) {
        // Of kind bytes even where the text is not an integer: "a.cls|a.cls|..." in these archives.
        every.emplace_back("f:" + extension, extension);
      }
    }
  }
  const auto table = open_files({name}, every);
  ASSERT_TRUE(table.ok()) << name << ": " << table.error().to_string();
  ASSERT_EQ((*table)->size(), samples.items.size()) << name;
  for (std::uint64_t i = 0; i < (*table)->size(); ++i) {
    const JsonForTest& sample = samples.items[i];
    EXPECT_EQ((*table)->key(i), sample["key"].text) << name;
    for (const auto& [extension, field] : numbers) {
      const JsonForTest* const wanted = sample["fields"].find(extension);
      const std::string where = fmt::format("{} sample {} {}", name, i, extension);
      const auto stored = (*table)->read(i, field);
      if (wanted == nullptr) {
        EXPECT_FALSE(stored.ok()) << where;
        continue;
      }
      EXPECT_EQ((*table)->stored_size(i, field), static_cast<std::uint64_t>((*wanted)["bytes"].number))
          << where;
      ASSERT_TRUE(stored.ok()) << where << ": " << stored.error().to_string();
      EXPECT_EQ(hash_of(stored->bytes), (*wanted)["sha256"].text) << where;
    }
  }
}

TEST_F(Fixtures, give_the_expected_samples_or_are_refused) {
  int read = 0;
  int refused = 0;
  for (const JsonForTest& file : expected_["files"].items) {
    const std::string& name = file["file"].text;
    if (name.empty()) {
      continue;
    }
    const bool plain = name.ends_with(".tar");
    if (plain && file["sparse"].number == 0) {
      compare(name, file["samples"]);
      ++read;
      continue;
    }
    const auto table = open_files({name}, {});
    ASSERT_FALSE(table.ok()) << name;
    EXPECT_EQ(table.error().kind, ErrorKind::unsupported) << name;
    EXPECT_FALSE(table.error().advice.empty());
    ++refused;
  }
  EXPECT_EQ(read, 20);
  EXPECT_EQ(refused, 8);
}

TEST_F(Fixtures, of_the_reference_writer_have_typed_fields_across_shards) {
  for (const JsonForTest& entry : expected_["files"].items) {
    if (entry["shards"].items.empty()) {
      continue;
    }
    std::vector<std::string> shards;
    for (const JsonForTest& shard : entry["shards"].items) {
      shards.push_back(shard.text);
    }
    const auto table = open_files(shards, {{"image", "jpg"}, {"label", "cls"}, {"mask", "seg.png"}});
    ASSERT_TRUE(table.ok());
    const auto& decoded = entry["decoded"].items;
    ASSERT_EQ((*table)->size(), decoded.size());
    for (std::uint64_t i = 0; i < decoded.size(); ++i) {
      EXPECT_EQ((*table)->key(i), decoded[i]["key"].text);
      const ByteSpan label = (*table)->read(i, 1)->bytes;
      EXPECT_EQ(parse_integer({reinterpret_cast<const char*>(label.data()), label.size()}),
                static_cast<std::int64_t>(decoded[i]["cls"]["int"].number));
      for (const auto& [field, name] : {std::pair(0, "jpg"), std::pair(2, "seg.png")}) {
        const JsonForTest& image = decoded[i][name];
        EXPECT_EQ(
            (*table)->image_size(i, static_cast<std::size_t>(field)),
            (ImageSize{static_cast<int>(image["width"].number), static_cast<int>(image["height"].number)}));
      }
    }
  }
}

TEST_F(Fixtures, cut_or_changed_end_in_contents_or_a_clear_error) {
  std::uint64_t opened = 0;
  std::uint64_t refused = 0;
  const auto attempt = [&](const std::string& name, std::vector<std::uint8_t> bytes) {
    const auto table = open_tars_for_test({{name, std::move(bytes)}});
    if (!table.ok()) {
      EXPECT_TRUE(table.error().kind == ErrorKind::corrupt || table.error().kind == ErrorKind::unsupported);
      EXPECT_EQ(table.error().place.shard, name) << table.error().to_string();
      ++refused;
      return;
    }
    ++opened;
    for (std::uint64_t i = 0; i < (*table)->size(); ++i) {
      for (std::size_t f = 0; f < (*table)->fields().size(); ++f) {
        const auto value = (*table)->read(i, f);
        if (value.ok() && !value->bytes.empty()) {
          EXPECT_LE(value->bytes[0] ^ value->bytes[value->bytes.size() - 1], 255);  // both ends can be read
        }
      }
    }
  };
  for (const JsonForTest& file : expected_["files"].items) {
    if (file["file"].text.empty()) {
      continue;
    }
    const std::string text = read_text(kFolder + "/" + file["file"].text);
    const std::vector<std::uint8_t> whole(text.begin(), text.end());
    for (std::size_t length = 0; length < whole.size(); length += 256) {
      attempt(file["file"].text, {whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)});
    }
    for (std::size_t at = 0; at < whole.size(); at += 97) {
      std::vector<std::uint8_t> bytes = whole;
      bytes[at] = static_cast<std::uint8_t>(bytes[at] ^ 0x41);
      attempt(file["file"].text, std::move(bytes));
    }
  }
  EXPECT_GT(opened, 1000u);
  EXPECT_GT(refused, 1000u);
}

}  // namespace
}  // namespace penstock::inline v0
