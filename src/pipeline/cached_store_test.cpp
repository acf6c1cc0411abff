// Loaders with a cache: what is delivered, counted and left on disk.

#include "pipeline/cached_store.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "formats/tar_for_test.hpp"
#include "io/temporary_folder_for_test.hpp"
#include "penstock/loader.hpp"
#include "pipeline/test_pictures.hpp"

namespace penstock {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

constexpr int kSamples = 12;
constexpr std::chrono::seconds kLong{60};

/// What an epoch delivered, and the error that ended it.
struct Epoch {
  std::vector<std::uint8_t> pixels;
  std::vector<std::int64_t> order;
  std::string error;
  bool operator==(const Epoch&) const = default;
};

Epoch read_epoch(Loader& loader) {
  Epoch epoch;
  const std::uint64_t ticket = loader.start_epoch().value();
  for (;;) {
    auto batch = loader.next(ticket);
    if (!batch.ok()) {
      epoch.error = batch.error().to_string();
    }
    if (!batch.ok() || !*batch) {
      return epoch;
    }
    const auto* const data = static_cast<const std::uint8_t*>((*batch)->find("image")->data);
    epoch.pixels.insert(epoch.pixels.end(), data, data + (*batch)->rows() * 3 * 32 * 32 * sizeof(float));
    epoch.order.insert(epoch.order.end(), (*batch)->index().begin(), (*batch)->index().end());
  }
}

class Cache : public testing::Test {
 protected:
  /// Sample `bad` is a picture that ends early.
  std::string write_source(int bad = -1) {
    TarForTest tar;
    for (int i = 0; i < kSamples; ++i) {
      auto picture = make_jpeg(60 + 3 * i, 90 - 2 * i, static_cast<unsigned>(i));
      picture.resize(i == bad ? picture.size() / 2 : picture.size());
      tar.file(fmt::format("{:03}.jpg", i), as_text(picture));
      tar.file(fmt::format("{:03}.cls", i), std::to_string(i));
    }
    return folder_.write("x.tar", tar.end().bytes());
  }

  Loader open(const std::string& source, bool with_cache = true) const {
    LoaderOptions options{.batch_size = 4, .shuffle = true, .seed = 3, .on_error = OnError::skip};
    options.num_workers = 2;
    if (with_cache) {
      options.cache = folder_ / "cache";
    }
    auto loader = Loader::open(Dataset::open(source).value(), presets::imagenet_train(32), options);
    EXPECT_TRUE(loader.ok()) << loader.error().to_string();
    return std::move(loader).value();
  }

  TemporaryFolder folder_;
};

TEST_F(Cache, totals_and_errors_go_on_when_the_cache_is_read) {
  Loader loader = open(write_source(5));
  read_epoch(loader);
  ASSERT_FALSE(loader.cache_building(kLong)) << loader.stats().cache;
  const Epoch second = read_epoch(loader);
  const LoaderStats stats = loader.stats();
  EXPECT_EQ(second.order.size(), kSamples - 1u);
  EXPECT_EQ(stats.samples, 2 * (kSamples - 1u));
  EXPECT_EQ(stats.batches, 6u);
  EXPECT_EQ(stats.errors, 2u);
  EXPECT_EQ(loader.errors().size(), 2u);
  ASSERT_EQ(stats.decoded.size(), 2u);  // JPEG in the first epoch, repacked in the second
  EXPECT_GE(stats.decoded[0].pictures, kSamples - 1u);
}

TEST_F(Cache, a_ticket_of_the_source_is_old_when_the_cache_is_read) {
  Loader loader = open(write_source());
  const std::uint64_t first = loader.start_epoch().value();
  ASSERT_FALSE(loader.cache_building(kLong));
  const std::uint64_t second = loader.start_epoch().value();
  EXPECT_NE(first, second);
  EXPECT_EQ(loader.next(first).error().kind, ErrorKind::cancelled);
  EXPECT_TRUE(loader.next(second).ok());
}

TEST_F(Cache, a_closed_loader_stays_closed) {
  Loader loader = open(write_source());
  ASSERT_FALSE(loader.cache_building(kLong));
  loader.close();
  EXPECT_EQ(loader.start_epoch().error().kind, ErrorKind::cancelled);
}

}  // namespace
}  // namespace penstock
