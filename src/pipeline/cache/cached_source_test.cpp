// To which source a cache belongs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <thread>

#include "pipeline/cache/cached_store_for_test.hpp"

namespace penstock::inline v0 {
namespace {

namespace fs = std::filesystem;
using test::Cache;
using test::kCachedSamples;
using test::kLong;
using testing::StartsWith;

/// Labels of two digits, so that every such tar has the same size.
std::string tar_with_labels(int first) {
  TarForTest tar;
  for (int i = 0; i < kCachedSamples; ++i) {
    tar.file(fmt::format("{:03}.jpg", i), as_text(make_jpeg(60, 60, static_cast<unsigned>(i))));
    tar.file(fmt::format("{:03}.cls", i), std::to_string(first + i));
  }
  return std::string(as_text(tar.end().bytes()));
}

std::vector<std::int64_t> labels_in_order(Loader& loader) {
  std::vector<std::int64_t> labels;
  const std::uint64_t ticket = loader.start_epoch().value();
  while (const std::optional<Batch> batch = loader.next(ticket).value()) {
    const std::int64_t* const data = batch->find("label")->integers();
    labels.insert(labels.end(), data, data + batch->rows());
  }
  std::sort(labels.begin(), labels.end());
  return labels;
}

TEST_F(Cache, of_a_source_that_was_written_again_is_not_its) {
  const std::string source = folder_.write("x.tar", tar_with_labels(20));
  build(source);
  const auto before = fs::last_write_time(source);
  folder_.write("x.tar", tar_with_labels(60));
  fs::last_write_time(source, before);  // even so
  Loader loader = open(source);
  EXPECT_EQ(labels_in_order(loader).front(), 60);
  ASSERT_FALSE(loader.cache_building(kLong));
  EXPECT_EQ(labels_in_order(loader).front(), 60);
  EXPECT_THAT(loader.stats().cache, StartsWith("complete"));
}

TEST_F(Cache, of_a_source_of_the_same_name_and_size_is_not_its) {
  const std::string first = folder_.write("v1/train.tar", tar_with_labels(20));
  const std::string second = folder_.write("v2/train.tar", tar_with_labels(60));
  const fs::path store = build(first);
  {
    Loader loader = open(second);
    ASSERT_FALSE(loader.cache_building(kLong));
    EXPECT_EQ(labels_in_order(loader).front(), 60);
  }
  // Nor if the digits of its name were the same: the whole identity is compared.
  std::string other;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_ / "cache")) {
    other = entry.path() == store ? other : entry.path().string();
  }
  ASSERT_FALSE(other.empty());
  fs::remove_all(other);
  fs::rename(store, other);
  Loader loader = open(second);
  EXPECT_EQ(labels_in_order(loader).front(), 60);
}

TEST_F(Cache, of_class_folders_sees_a_file_that_was_written_again) {
  const std::string image(as_text(make_jpeg(60, 60, 1)));
  const std::string other(as_text(make_jpeg(60, 60, 2)));
  for (const char* const name : {"data/a/1.jpg", "data/b/1.jpg"}) {
    folder_.write(name, image);
  }
  const std::string before = Dataset::open(folder_ / "data").value().table()->identity();
  EXPECT_EQ(Dataset::open(folder_ / "data").value().table()->identity(), before);
  const Dataset opened = Dataset::open(folder_ / "data").value();
  std::this_thread::sleep_for(std::chrono::milliseconds(30));  // the clock of file times ticks
  folder_.write("data/b/1.jpg", image);
  EXPECT_NE(opened.table()->identity(), before) << "a data set that is open sees it too";
}

}  // namespace
}  // namespace penstock::inline v0
