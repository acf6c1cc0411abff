#pragma once
// For tests of loaders with a cache: a folder of its own, with a source and the cache in it.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <utility>

#include "formats/tar_for_test.hpp"
#include "io/temporary_folder_for_test.hpp"
#include "penstock/loader.hpp"
#include "pipeline/test_images.hpp"

namespace penstock::test {

inline constexpr int kCachedSamples = 12;
inline constexpr std::chrono::seconds kLong{300};  // builds give way to whatever else runs

class Cache : public testing::Test {
 protected:
  /// Sample `bad` is an image that ends early.
  std::string write_source(int bad = -1) {
    TarForTest tar;
    for (int i = 0; i < kCachedSamples; ++i) {
      auto image = make_jpeg(60 + 3 * i, 90 - 2 * i, static_cast<unsigned>(i));
      image.resize(i == bad ? image.size() / 2 : image.size());
      tar.file(fmt::format("{:03}.jpg", i), as_text(image));
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

  /// The store of a cache that is complete.
  std::filesystem::path build(const std::string& source) const {
    EXPECT_FALSE(open(source).cache_building(kLong));
    for (const std::filesystem::directory_entry& entry :
         std::filesystem::directory_iterator(folder_ / "cache")) {
      if (entry.path().extension() == ".store") {
        return entry.path();
      }
    }
    ADD_FAILURE() << "there is no store";
    return {};
  }

  TemporaryFolder folder_;
};

}  // namespace penstock::test
