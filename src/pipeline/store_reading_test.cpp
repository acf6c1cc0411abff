// A store through Dataset and Loader: the same images, files and order as the source it was built from.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "formats/sample_table.hpp"
#include "formats/tar_for_test.hpp"
#include "io/temporary_folder_for_test.hpp"
#include "penstock/loader.hpp"
#include "penstock/store.hpp"
#include "pipeline/test_images.hpp"

namespace penstock::inline v0 {
namespace {

namespace fs = std::filesystem;

class StoreReading : public testing::TestWithParam<StoreImage> {
 protected:
  void SetUp() override {
    TarForTest tar;
    for (int i = 0; i < kSamples; ++i) {
      const auto image = make_jpeg(180 + 13 * i, 240 - 7 * i, static_cast<unsigned>(i));
      tar.file(fmt::format("{:03}.jpg", i), as_text(image));
      tar.file(fmt::format("{:03}.cls", i), std::to_string(i));
    }
    source_ = folder_.write("x.tar", tar.end().bytes());
    BuildSettings settings;
    settings.image = GetParam();
    settings.workers = 2;
    const auto report = build_store({source_}, folder_ / "s", settings);
    ASSERT_TRUE(report.ok()) << report.error().to_string();
  }

  static constexpr int kSamples = 12;
  TemporaryFolder folder_;
  std::string source_;
};

/// All batches of two epochs, one after the other.
std::vector<std::uint8_t> delivered(const std::string& path, std::vector<std::int64_t>& order) {
  LoaderOptions options{.batch_size = 4, .shuffle = true, .seed = 3};
  options.num_workers = 2;
  auto loader = Loader::open(Dataset::open(path).value(), presets::imagenet_train(64), options);
  EXPECT_TRUE(loader.ok()) << loader.error().to_string();
  std::vector<std::uint8_t> bytes;
  for (int epoch = 0; epoch < 2; ++epoch) {
    const std::uint64_t ticket = loader->start_epoch().value();
    while (true) {
      auto batch = loader->next(ticket);
      EXPECT_TRUE(batch.ok()) << batch.error().to_string();
      if (!batch.ok() || !*batch) {
        break;
      }
      const Column* const image = (*batch)->find("image");
      const auto* const data = static_cast<const std::uint8_t*>(image->data);
      bytes.insert(bytes.end(), data, data + (*batch)->rows() * 3 * 64 * 64 * sizeof(float));
      order.insert(order.end(), (*batch)->index().begin(), (*batch)->index().end());
    }
  }
  return bytes;
}

TEST_P(StoreReading, tables_know_where_their_shards_begin) {
  BuildSettings settings;
  settings.image = GetParam();
  settings.shard_bytes = 65536;
  ASSERT_TRUE(build_store({source_}, folder_ / "small", settings));
  fs::copy_file(source_, folder_ / "y.tar");
  for (const std::vector<std::string>& paths :
       {std::vector{folder_ / "small"}, {folder_ / "s"}, {source_, folder_ / "y.tar"}}) {
    const Dataset dataset = Dataset::open(paths).value();
    std::vector<std::uint64_t> starts;
    std::string shard;
    for (std::uint64_t sample = 0; sample < dataset.size(); ++sample) {
      if (dataset.table()->place(sample, 0).shard != shard) {
        shard = dataset.table()->place(sample, 0).shard;
        starts.push_back(sample);
      }
    }
    EXPECT_EQ(dataset.table()->shard_starts(), starts);
    EXPECT_EQ(starts.size() > 1, paths[0] != folder_ / "s");
  }
}

TEST_P(StoreReading, batches_equal_those_of_the_source) {
  std::vector<std::int64_t> order;
  std::vector<std::int64_t> source_order;
  EXPECT_TRUE(delivered(folder_ / "s", order) == delivered(source_, source_order));
  EXPECT_EQ(order, source_order);
  EXPECT_EQ(order.size(), 2u * kSamples);
}

TEST_P(StoreReading, samples_and_files_equal_those_of_the_source) {
  const Dataset store = Dataset::open(folder_ / "s").value();
  const Dataset source = Dataset::open(source_).value();
  EXPECT_EQ(store.fingerprint(), source.fingerprint());
  for (std::uint64_t i = 0; i < kSamples; ++i) {
    const auto a = store.at(i);
    const auto b = source.at(i);
    ASSERT_TRUE(a.ok()) << a.error().to_string();
    EXPECT_TRUE(a->at("image").bytes == b->at("image").bytes);
    EXPECT_EQ(a->at("label").integer, b->at("label").integer);
    const auto raw = store.raw(i);
    if (GetParam() == StoreImage::raw) {
      ASSERT_FALSE(raw.ok());
      EXPECT_EQ(raw.error().kind, ErrorKind::unsupported);
      EXPECT_EQ(raw.error().place.index, i);
    } else {
      ASSERT_TRUE(raw.ok()) << raw.error().to_string();
      EXPECT_TRUE(*raw == *source.raw(i));
    }
  }
}

TEST_P(StoreReading, undecoded_batches_hold_the_original_files) {
  LoaderOptions options{.batch_size = kSamples};
  options.decode = false;
  options.num_workers = 1;
  auto loader = Loader::open(Dataset::open(folder_ / "s").value(), FieldTransforms{}, options);
  ASSERT_TRUE(loader.ok()) << loader.error().to_string();
  const auto batch = loader->next(loader->start_epoch().value());
  if (GetParam() == StoreImage::raw) {
    ASSERT_FALSE(batch.ok());
    EXPECT_EQ(batch.error().kind, ErrorKind::unsupported);  // there are no files
    return;
  }
  ASSERT_TRUE(batch.ok() && *batch);
  const RawBytes& raw = *(*batch)->raw();
  const Dataset source = Dataset::open(source_).value();
  for (std::size_t row = 0; row < kSamples; ++row) {
    const auto file = source.raw(row)->at("image");
    ASSERT_EQ(raw.sizes[row], static_cast<std::int64_t>(file.size()));
    EXPECT_EQ(std::memcmp(raw.data.data() + raw.offsets[row], file.data(), file.size()), 0);
    EXPECT_EQ(raw.widths[row], static_cast<std::int64_t>(180 + 13 * row));
  }
}

TEST_P(StoreReading, a_flipped_bit_is_an_error_whoever_reads) {
  const std::uint64_t size = std::filesystem::file_size(folder_ / "s/shard-000000.bin");
  for (const std::uint64_t place : {size / 5, size / 2, 4 * size / 5}) {
    std::fstream shard(folder_ / "s/shard-000000.bin", std::ios::in | std::ios::out | std::ios::binary);
    const auto flip = [&] {
      shard.seekg(static_cast<std::streamoff>(place));
      const int byte = shard.get();
      shard.seekp(static_cast<std::streamoff>(place));
      shard.put(static_cast<char>(byte ^ 4)).flush();
    };
    flip();
    const Dataset store = Dataset::open(folder_ / "s").value();
    int bad = 0;
    for (std::uint64_t i = 0; i < kSamples; ++i) {
      const auto sample = store.at(i);
      bad += sample.ok() ? 0 : 1;
      EXPECT_TRUE(sample.ok() || sample.error().kind == ErrorKind::corrupt);
      EXPECT_TRUE(sample.ok() || !store.raw(i).ok());
    }
    EXPECT_EQ(bad, 1) << place;
    EXPECT_FALSE(convert_store(folder_ / "s", folder_ / fmt::format("tars{}", place)).ok());
    EXPECT_FALSE(build_store({folder_ / "s"}, folder_ / fmt::format("s{}", place)).ok());
    flip();
  }
}

TEST_P(StoreReading, stats_tell_which_codec_decoded) {
  LoaderOptions options{.batch_size = kSamples};
  options.num_workers = 1;
  auto loader = Loader::open(Dataset::open(folder_ / "s").value(), presets::imagenet_val(32), options);
  ASSERT_TRUE(loader.ok()) << loader.error().to_string();
  ASSERT_TRUE(loader->next(loader->start_epoch().value()).ok());
  const auto decoded = loader->stats().decoded;
  ASSERT_EQ(decoded.size(), 1u);
  const bool repacked = GetParam() == StoreImage::repack || GetParam() == StoreImage::repack_pixels;
  EXPECT_EQ(decoded[0].codec, GetParam() == StoreImage::raw ? "pixels" : repacked ? "repacked" : "JPEG");
  EXPECT_GE(decoded[0].count, std::uint64_t{kSamples});  // the next epoch may be under way
}

INSTANTIATE_TEST_SUITE_P(modes, StoreReading,
                         testing::Values(StoreImage::repack, StoreImage::repack_pixels, StoreImage::keep,
                                         StoreImage::raw),
                         [](const auto& mode) { return std::string(name_of(mode.param)); });

}  // namespace
}  // namespace penstock::inline v0
