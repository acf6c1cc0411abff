#pragma once
// For the tests of this folder: sources with images, and stores compared byte for byte.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "codecs/jpeg_write.hpp"
#include "formats/fingerprint.hpp"
#include "formats/sample_table.hpp"
#include "io/temporary_folder_for_test.hpp"
#include "penstock/store.hpp"

namespace penstock::inline v0 {

/// A drawn JPEG.
inline std::vector<std::uint8_t> jpeg_for_test(int width, int height, unsigned seed) {
  std::mt19937 random(seed);
  const int slope = static_cast<int>(random() % 7) + 1;
  std::vector<std::uint8_t> rows(std::size_t{3} * width * height);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] =
        static_cast<std::uint8_t>(i / 3 % width * slope + i / (std::size_t{3} * width) * 3 + random() % 9);
  }
  return write_jpeg(rows.data(), 3 * static_cast<std::size_t>(width), {width, height}, 3, 85).value();
}

/// Samples in memory with fields of every kind that a source has; some fail on purpose.
class TableForTest final : public SampleTable {
 public:
  explicit TableForTest(std::uint64_t size, unsigned seed = 1) {
    for (std::uint64_t i = 0; i < size; ++i) {
      std::mt19937 random(static_cast<unsigned>(i) * 977 + seed);
      const int width = 16 + static_cast<int>(random() % 60);
      const int height = 16 + static_cast<int>(random() % 60);
      rows_.push_back({jpeg_for_test(width, height, static_cast<unsigned>(random())),
                       bytes("text of " + std::to_string(i)), bytes("{\"i\": " + std::to_string(i) + "}"),
                       bytes(std::string(random() % 50, '\x7')), bytes(" " + std::to_string(i % 10) + "\n")});
    }
  }

  std::set<std::uint64_t> bad;
  std::vector<std::string> class_names;
  std::map<std::uint64_t, std::string> other_keys;  ///< of samples whose key is not the usual one

  void replace_image(std::uint64_t sample, std::vector<std::uint8_t> file) {
    rows_[sample][0] = std::move(file);
  }

  std::uint64_t size() const noexcept override { return rows_.size(); }
  const std::vector<FieldInfo>& fields() const noexcept override { return fields_; }
  const std::vector<std::string>& classes() const noexcept override { return class_names; }
  std::string key(std::uint64_t sample) const override {
    const auto other = other_keys.find(sample);
    return other != other_keys.end() ? other->second : "folder/key" + std::to_string(sample);
  }
  Result<StoredValue> read(std::uint64_t sample, std::size_t field) const override {
    if (bad.contains(sample)) {
      return Error{.kind = ErrorKind::corrupt, .message = "bad on purpose", .place = {.stage = "read"}};
    }
    if (fields_[field].name == "class") {
      return StoredValue{.bytes = {}, .number = static_cast<std::int64_t>(sample) - 3};
    }
    return StoredValue{.bytes = rows_[sample][field]};
  }
  std::uint64_t stored_size(std::uint64_t sample, std::size_t field) const override {
    return fields_[field].name == "class" ? 8 : rows_[sample][field].size();
  }
  ImageSize image_size(std::uint64_t, std::size_t) const override { return {}; }
  Place place(std::uint64_t, std::size_t) const override { return {.source = "test"}; }
  std::string fingerprint() const override {
    std::vector<std::pair<std::string, std::size_t>> order;
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      order.emplace_back(fields_[f].name, f);
    }
    std::sort(order.begin(), order.end());
    Fingerprint hash;
    for (std::uint64_t i = 0; i < size(); ++i) {
      hash.add_sample(key(i), order.size());
      for (const auto& [name, field] : order) {
        hash.add_field(name, stored_size(i, field));
      }
    }
    return hash.finish();
  }
  const std::vector<std::string>& warnings() const noexcept override { return none_; }

 private:
  static std::vector<std::uint8_t> bytes(const std::string& text) { return {text.begin(), text.end()}; }

  std::vector<FieldInfo> fields_ = {{"image", FieldKind::image},   {"text", FieldKind::text},
                                    {"json", FieldKind::json},     {"extra", FieldKind::bytes},
                                    {"label", FieldKind::integer}, {"class", FieldKind::integer}};
  std::vector<std::vector<std::vector<std::uint8_t>>> rows_;
  std::vector<std::string> none_;
};

/// Every file of a folder.
inline std::map<std::string, std::string> files_in(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files[entry.path().filename().string()] = read_text(entry.path().string());
  }
  return files;
}

inline void expect_same_files(const std::string& a, const std::string& b) {
  const auto left = files_in(a);
  const auto right = files_in(b);
  ASSERT_EQ(left.size(), right.size());
  for (const auto& [name, bytes] : left) {
    ASSERT_TRUE(right.contains(name)) << name;
    ASSERT_TRUE(right.at(name) == bytes) << name << " differs";
  }
}

/// A store of drawn samples, in shards of a few; its path.
inline std::string built(const TemporaryFolder& folder, const std::string& name, StoreImage image,
                         std::uint64_t samples = 12) {
  BuildSettings settings;
  settings.image = image;
  settings.shard_bytes = 16384;
  settings.workers = 2;
  const auto report = build_store(TableForTest(samples), "test", folder / name, settings);
  EXPECT_TRUE(report.ok()) << report.error().to_string();
  return folder / name;
}

}  // namespace penstock::inline v0
