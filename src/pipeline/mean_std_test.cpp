#include "penstock/mean_std.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "pipeline/loader_for_test.hpp"

namespace penstock::inline v0 {
namespace {

std::shared_ptr<MemoryTable> table_of_images() { return std::make_shared<MemoryTable>(12, some_images()); }

/// By the definition, in long double, from what the loader delivers.
std::pair<double, double> reference(Loader& loader, std::size_t channel) {
  std::vector<long double> values;
  for (const Batch& batch : take_epoch(loader)) {
    const Column& column = *batch.find("image");
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      const Extents shape = column.shape_of(row);
      const std::size_t plane = shape[1] * shape[2];
      const std::uint8_t* const data = column.bytes_of(row).data();
      for (std::size_t i = 0; i < plane; ++i) {
        values.push_back(column.spec.type == Scalar::float32
                             ? reinterpret_cast<const float*>(data)[channel * plane + i]
                             : data[channel * plane + i] / 255.0L);
      }
    }
  }
  long double mean = 0;
  for (const long double value : values) {
    mean += value / static_cast<long double>(values.size());
  }
  long double variance = 0;
  for (const long double value : values) {
    variance += (value - mean) * (value - mean) / static_cast<long double>(values.size());
  }
  return {static_cast<double>(mean), static_cast<double>(std::sqrt(variance))};
}

TEST(mean_std, is_that_of_all_values_whatever_the_workers) {
  const FieldTransforms none;
  const FieldTransforms cropped = {{"image", {transforms::CenterCrop{.size = 40}}}};
  for (const FieldTransforms& list : {none, cropped, augmentation()}) {
    std::vector<MeanStd> results;
    for (const int workers : {0, 1, 2, 5}) {
      for (const int batch_size : {1, 5, 64}) {
        Loader loader =
            open_loader(table_of_images(), {.batch_size = batch_size, .num_workers = workers}, list);
        results.push_back(compute_mean_std(loader).value());
        EXPECT_EQ(results.back().mean, results.front().mean);
        EXPECT_EQ(results.back().std, results.front().std);
        EXPECT_EQ(results.back().images, 12U);
      }
    }
    ASSERT_EQ(results.front().mean.size(), 3U);
    for (std::size_t c = 0; c < 3; ++c) {
      Loader loader = open_loader(table_of_images(), {.num_workers = 0}, list);
      const auto [mean, std] = reference(loader, c);
      EXPECT_NEAR(results.front().mean[c], mean, 1e-14);
      EXPECT_NEAR(results.front().std[c], std, 1e-14);
    }
  }
}

TEST(mean_std, does_not_depend_on_the_memory_format) {
  Loader first = open_loader(table_of_images(), {.num_workers = 0});
  Loader last =
      open_loader(table_of_images(), {.num_workers = 0, .memory_format = MemoryFormat::channels_last});
  EXPECT_EQ(compute_mean_std(first)->std, compute_mean_std(last)->std);
}

TEST(mean_std, of_equal_values_is_exact) {
  const auto black = make_transform("ColorJitter", {{"brightness", std::vector<double>{0.0, 0.0}}}).value();
  const auto white = make_transform("RandomSolarize", {{"threshold", 0.0}, {"p", 1.0}}).value();
  Loader loader = open_loader(table_of_images(), {.num_workers = 1}, {{"image", {black, white}}});
  const MeanStd result = compute_mean_std(loader).value();
  EXPECT_THAT(result.mean, testing::Each(1.0));
  EXPECT_THAT(result.std, testing::Each(0.0));
}

TEST(mean_std, can_be_interrupted_and_tells_how_far_it_is) {
  Loader loader = open_loader(table_of_images(), {.batch_size = 2, .num_workers = 1});
  std::uint64_t seen = 0;
  const auto stopped = compute_mean_std(loader, "image", [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_EQ(total, 12U);
    seen = done;
    return done < 4;
  });
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().kind, ErrorKind::cancelled);
  EXPECT_EQ(seen, 4U);
}

TEST(mean_std, names_a_field_that_holds_no_images) {
  Loader loader = open_loader(table_of_images(), {.num_workers = 0});
  const auto result = compute_mean_std(loader, "mask");
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message, testing::HasSubstr("mask"));
}

}  // namespace
}  // namespace penstock::inline v0
