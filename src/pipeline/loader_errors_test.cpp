#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "core/counting_new_for_test.hpp"
#include "io/temporary_folder_for_test.hpp"
#include "pipeline/loader_for_test.hpp"

namespace penstock::inline v0 {
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
  EXPECT_EQ(loader.next(ticket).value()->index()[0], 8) << "the iteration may continue";
}

TEST(Loader, skip_leaves_rows_out_and_moves_nothing_else) {
  auto table = std::make_shared<MemoryTable>(12, some_images());
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
  EXPECT_EQ(loader.stats().short_batches, 2u);
  EXPECT_EQ(loader.stats().empty_batches, 1u);
  ASSERT_EQ(loader.problems().size(), 1u);
  EXPECT_THAT(loader.problems()[0].text, HasSubstr("0 rows"));
  Loader whole =
      open_loader(std::make_shared<MemoryTable>(12, some_images()), {.batch_size = 4}, augmentation());
  const Batch reference = take_epoch(whole)[0];
  const std::size_t row_bytes = std::size_t{16} * 16 * 3 * sizeof(float);
  EXPECT_EQ(std::memcmp(static_cast<const char*>(batches[0].find("image")->data) + 2 * row_bytes,
                        static_cast<const char*>(reference.find("image")->data) + 3 * row_bytes, row_bytes),
            0);
}

TEST(Loader, replaced_rows_of_samples_that_repeat_are_augmented_by_place) {
  auto table = std::make_shared<MemoryTable>(12, some_images());
  table->bad = {0};
  Loader loader = open_loader(
      table, {.batch_size = 4, .on_error = OnError::replace, .sampler = Sampler::of_indices({0, 0, 0, 1})},
      augmentation());
  const std::vector<Batch> batches = take_epoch(loader);
  EXPECT_THAT(indices(batches), ElementsAre(1, 1, 1, 1));
  const std::size_t row_bytes = std::size_t{16} * 16 * 3 * sizeof(float);
  const char* const rows = static_cast<const char*>(batches[0].find("image")->data);
  for (std::size_t row = 1; row < 4; ++row) {
    EXPECT_NE(std::memcmp(rows, rows + row * row_bytes, row_bytes), 0) << "row " << row;
  }
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

TEST(Loader, keeps_the_first_thousand_errors) {
  auto table = std::make_shared<MemoryTable>(1200);
  for (std::uint64_t sample = 0; sample < 1200; sample += 1) {
    table->bad.insert(sample);
  }
  Loader loader = open_loader(table, {.batch_size = 100, .on_error = OnError::skip});
  take_epoch(loader);
  EXPECT_EQ(loader.errors().size(), 1000u);
  EXPECT_EQ(loader.stats().errors, 1200u);
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
  const auto images = some_images();
  auto table = std::make_shared<MemoryTable>(12, images);
  Loader loader = open_loader(table, {.batch_size = 5, .decode = false});
  const std::vector<Batch> batches = take_epoch(loader);
  const Batch& batch = batches[1];
  const RawBytes* raw = batch.raw();
  ASSERT_NE(raw, nullptr);
  for (std::size_t row = 0; row < batch.rows(); ++row) {
    const auto& file = images[5 + row];
    ASSERT_EQ(raw->sizes[row], static_cast<std::int64_t>(file.size()));
    EXPECT_EQ(std::memcmp(raw->data.data() + raw->offsets[row], file.data(), file.size()), 0);
    EXPECT_EQ(raw->widths[row], 20 + 7 * (5 + static_cast<int>(row)));
    EXPECT_EQ(raw->heights[row], 90 - 5 * (5 + static_cast<int>(row)));
    EXPECT_EQ(batch.find("label")->integers()[row], 5 + static_cast<int>(row));
  }
}

TEST(Loader, raw_mode_replaces_and_skips) {
  auto table = std::make_shared<MemoryTable>(12, some_images());
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
  const auto images = std::vector{make_jpeg(90, 40, 1), make_jpeg(50, 60, 2)};
  Loader loader = open_loader(std::make_shared<TableOfWrongSizes>(8, images),
                              {.batch_size = 4, .num_workers = 1, .decode = false});
  const std::vector<Batch> batches = take_epoch(loader);
  ASSERT_EQ(batches.size(), 2u);
  for (std::size_t row = 0; row < 4; ++row) {
    EXPECT_EQ(batches[1].raw()->sizes[row], static_cast<std::int64_t>(images[row % 2].size()));
  }
  EXPECT_LT(loader.stats().buffer_bytes, std::uint64_t{1} << 30);
}

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    lines.push_back(line);
  }
  return lines;
}

TEST(Loader, bad_samples_are_written_down) {
  const TemporaryFolder folder;
  const std::string path = folder / "bad.jsonl";
  auto table = std::make_shared<MemoryTable>(12);
  table->bad = {1, 5, 6};
  for (const OnError on_error : {OnError::skip, OnError::replace, OnError::raise}) {
    Loader loader = open_loader(table, {.batch_size = 4, .on_error = on_error, .error_report = path});
    const std::uint64_t ticket = loader.start_epoch().value();
    for (int step = 0; step < 3; ++step) {
      EXPECT_EQ(loader.next(ticket).ok(), on_error != OnError::raise || step == 2);
    }
    EXPECT_TRUE(loader.problems().empty());
  }
  const std::vector<std::string> lines = lines_of(path);
  ASSERT_EQ(lines.size(), 9u) << "three loaders appended to one file";
  EXPECT_EQ(lines[0], R"({"epoch": 0, "index": 1, "key": "key1", "kind": "corrupt", )"
                      R"("message": "field 'label': bad on purpose", "stage": "read", "source": "memory", )"
                      R"("shard": null, "offset": null, "replaced": false})");
  EXPECT_THAT(lines[3], HasSubstr("\"replaced\": true"));
  EXPECT_THAT(lines[8], HasSubstr("\"index\": 6"));
}

TEST(Loader, a_report_that_cannot_be_written_is_told_of_and_changes_nothing) {
  const TemporaryFolder folder;
  auto table = std::make_shared<MemoryTable>(12);
  table->bad = {1, 5};
  for (const std::string& path : {(folder / "missing") + "/bad.jsonl", std::string("/dev/full")}) {
    Loader loader = open_loader(table, {.batch_size = 4, .on_error = OnError::skip, .error_report = path});
    EXPECT_EQ(indices(take_epoch(loader)).size(), 10u);
    ASSERT_EQ(loader.problems().size(), 1u);
    EXPECT_EQ(loader.problems()[0].about, "error_report");
    EXPECT_THAT(loader.problems()[0].text, HasSubstr(path));
  }
  Loader unused = open_loader(std::make_shared<MemoryTable>(12), {.error_report = folder / "none"});
  take_epoch(unused);
  EXPECT_TRUE(lines_of(folder / "none").empty());
  EXPECT_FALSE(std::ifstream(folder / "none")) << "no bad sample, no file";
}

/// Throws what is no std::exception.
class OddTable final : public MemoryTable {
 public:
  using MemoryTable::MemoryTable;
  Result<StoredValue> read(std::uint64_t sample, std::size_t field) const override {
    if (sample == 5) {
      throw 7;
    }
    return MemoryTable::read(sample, field);
  }
};

TEST(Loader, whatever_a_format_throws_is_an_error_of_its_batch) {
  Loader loader = open_loader(std::make_shared<OddTable>(8), {.batch_size = 4, .num_workers = 1});
  const std::uint64_t ticket = loader.start_epoch().value();
  EXPECT_TRUE(loader.next(ticket).ok());
  const auto failed = loader.next(ticket);
  ASSERT_FALSE(failed.ok());
  EXPECT_THAT(failed.error().message, HasSubstr("an exception of an unknown kind"));
}

TEST(Loader, a_worker_without_memory_ends_no_process) {
  Loader loader = open_loader(std::make_shared<MemoryTable>(8), {.batch_size = 4, .num_workers = 1});
  const NoMemoryElsewhere none;
  const std::uint64_t ticket = loader.start_epoch().value();
  EXPECT_THROW((void)loader.next(ticket), std::bad_alloc);
}

}  // namespace
}  // namespace penstock::inline v0
