#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "pipeline/loader_for_test.hpp"

namespace penstock {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Loader, bad_sample_fails_its_batch_with_its_place) {
  auto table = std::make_shared<MemoryTable>(12);
  table->bad = {5};
  Loader loader = open_loader(table, {.batch_size = 4});
  const std::uint64_t ticket = loader.start_epoch().value();
  ASSERT_TRUE(loader.next(ticket));
  const auto failed = loader.next(ticket);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().kind, ErrorKind::corrupt);
  EXPECT_EQ(failed.error().place.index, 5u);
  EXPECT_EQ(failed.error().place.key, "key5");
  EXPECT_THAT(failed.error().to_string(), HasSubstr("on_error='skip'"));
  EXPECT_EQ(loader.next(ticket).value()->index()[0], 8) << "the iteration may go on";
}

TEST(Loader, skip_leaves_rows_out_and_moves_nothing_else) {
  auto table = std::make_shared<MemoryTable>(12, some_pictures());
  table->bad = {1, 4, 5, 6, 7};
  Loader loader = open_loader(table, {.batch_size = 4, .on_error = OnError::skip}, augmentation());
  const std::vector<Batch> batches = take_epoch(loader);
  ASSERT_EQ(batches.size(), 3u);
  EXPECT_THAT(std::vector<std::int64_t>(batches[0].index().begin(), batches[0].index().end()),
              ElementsAre(0, 2, 3));
  EXPECT_EQ(batches[1].rows(), 0u);
  EXPECT_EQ(text_of(batches[0], 1), "text of 2");
  EXPECT_EQ(loader.errors().size(), 5u);
  EXPECT_EQ(loader.stats().errors, 5u);
  Loader whole =
      open_loader(std::make_shared<MemoryTable>(12, some_pictures()), {.batch_size = 4}, augmentation());
  const Batch reference = take_epoch(whole)[0];
  const std::size_t row_bytes = std::size_t{16} * 16 * 3 * sizeof(float);
  EXPECT_EQ(std::memcmp(static_cast<const char*>(batches[0].find("image")->data) + 2 * row_bytes,
                        static_cast<const char*>(reference.find("image")->data) + 3 * row_bytes, row_bytes),
            0);
}

TEST(Loader, replace_draws_another_sample_the_same_way_each_time) {
  auto table = std::make_shared<MemoryTable>(30);
  table->bad = {3, 4, 17};
  std::vector<std::int64_t> first;
  for (const int workers : {0, 3}) {
    Loader loader =
        open_loader(table, {.batch_size = 7, .num_workers = workers, .on_error = OnError::replace});
    const auto seen = indices(take_epoch(loader));
    ASSERT_EQ(seen.size(), 30u);
    for (const std::uint64_t bad : table->bad) {
      EXPECT_FALSE(table->bad.contains(static_cast<std::uint64_t>(seen[bad])));
    }
    EXPECT_EQ(loader.errors().size(), 3u);
    if (!first.empty()) {
      EXPECT_EQ(seen, first);
    }
    first = seen;
  }
}

TEST(Loader, replace_gives_up_when_everything_is_bad) {
  auto table = std::make_shared<MemoryTable>(4);
  table->bad = {0, 1, 2, 3};
  Loader loader = open_loader(table, {.batch_size = 2, .on_error = OnError::replace});
  const auto failed = loader.next(loader.start_epoch().value());
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().to_string(), HasSubstr("16 samples"));
}

TEST(Loader, raw_mode_gives_the_stored_bytes) {
  const auto pictures = some_pictures();
  auto table = std::make_shared<MemoryTable>(12, pictures);
  Loader loader = open_loader(table, {.batch_size = 5, .decode = false});
  const std::vector<Batch> batches = take_epoch(loader);
  const Batch& batch = batches[1];
  const RawBytes* raw = batch.raw();
  ASSERT_NE(raw, nullptr);
  for (std::size_t row = 0; row < batch.rows(); ++row) {
    const auto& file = pictures[5 + row];
    ASSERT_EQ(raw->sizes[row], static_cast<std::int64_t>(file.size()));
    EXPECT_EQ(std::memcmp(raw->data.data() + raw->offsets[row], file.data(), file.size()), 0);
    EXPECT_EQ(raw->widths[row], 20 + 7 * (5 + static_cast<int>(row)));
    EXPECT_EQ(raw->heights[row], 90 - 5 * (5 + static_cast<int>(row)));
    EXPECT_EQ(batch.find("label")->integers[row], 5 + static_cast<int>(row));
  }
}

TEST(Loader, raw_mode_replaces_and_skips) {
  auto table = std::make_shared<MemoryTable>(12, some_pictures());
  table->bad = {0, 2};
  Loader skipping = open_loader(table, {.batch_size = 12, .decode = false, .on_error = OnError::skip});
  const Batch skipped = take_epoch(skipping)[0];
  EXPECT_EQ(skipped.rows(), 10u);
  EXPECT_EQ(skipped.raw()->widths[0], 27);
  Loader replacing = open_loader(table, {.batch_size = 12, .decode = false, .on_error = OnError::replace});
  const Batch replaced = take_epoch(replacing)[0];
  ASSERT_EQ(replaced.rows(), 12u);
  const auto other = static_cast<std::size_t>(replaced.index()[0]);
  EXPECT_EQ(replaced.raw()->widths[0], 20 + 7 * static_cast<int>(other));
}

/// As an index with a flipped bit would have it.
class TableOfWrongSizes final : public MemoryTable {
 public:
  using MemoryTable::MemoryTable;
  std::uint64_t stored_size(std::uint64_t sample, std::size_t) const override {
    return sample % 2 == 0 ? (std::uint64_t{1} << 45) + sample : ~std::uint64_t{0};
  }
};

TEST(Loader, sizes_that_are_not_true_take_no_memory) {
  const auto pictures = std::vector{make_jpeg(90, 40, 1), make_jpeg(50, 60, 2)};
  Loader loader = open_loader(std::make_shared<TableOfWrongSizes>(8, pictures),
                              {.batch_size = 4, .num_workers = 1, .decode = false});
  const std::vector<Batch> batches = take_epoch(loader);
  ASSERT_EQ(batches.size(), 2u);
  for (std::size_t row = 0; row < 4; ++row) {
    EXPECT_EQ(batches[1].raw()->sizes[row], static_cast<std::int64_t>(pictures[row % 2].size()));
  }
  EXPECT_LT(loader.stats().buffer_bytes, std::uint64_t{1} << 30);
}

}  // namespace
}  // namespace penstock
