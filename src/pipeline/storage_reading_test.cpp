// Loaders of data sets that are no files of this machine.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/tar_for_test.hpp"
#include "pipeline/loader_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using testing::Each;
using testing::HasSubstr;

/// A tar of images and labels, in memory, whose reads go wrong as told.
Result<Dataset> open_in_memory(std::vector<Fault> faults = {}) {
  TarForTest tar;
  const auto images = some_images();
  for (std::size_t i = 0; i < images.size(); ++i) {
    const std::string name = fmt::format("{:02}", i);
    tar.file(name + ".jpg", {reinterpret_cast<const char*>(images[i].data()), images[i].size()})
        .file(name + ".cls", std::to_string(i));
  }
  auto memory = std::make_shared<MemoryStorage>();
  memory->put("set/a.tar", tar.end().bytes());
  auto storages = std::make_shared<Storages>(Storages::standard());
  storages->set("memory", std::make_shared<FaultyStorage>(memory, std::move(faults)));
  return Dataset::open("memory://set/*.tar",
                       {.fields = {{"image", "jpg"}, {"label", "cls"}}, .storages = storages});
}

std::vector<std::string> stream_of(const Dataset& dataset, const LoaderOptions& options) {
  Loader loader = Loader::open(dataset, augmentation(), options).value();
  std::vector<std::string> all;
  for (const Batch& batch : take_epoch(loader)) {
    all.push_back(contents(batch));
  }
  return all;
}

TEST(StorageReading, a_loader_runs_over_objects_in_memory) {
  const Result<Dataset> dataset = open_in_memory();
  ASSERT_TRUE(dataset) << dataset.error().to_string();
  ASSERT_EQ(dataset->size(), 12u);
  LoaderOptions options{.batch_size = 5, .shuffle = true, .seed = 1, .num_workers = 0};
  const std::vector<std::string> here = stream_of(*dataset, options);
  EXPECT_EQ(here.size(), 3u);
  options.num_workers = 2;
  EXPECT_EQ(stream_of(*dataset, options), here);
  EXPECT_EQ(dataset->key(3).value(), "03");
  EXPECT_EQ(dataset->at(3)->at("label").integer, 3);
}

TEST(StorageReading, a_storage_that_fails_makes_bad_rows) {
  const Dataset dataset =
      open_in_memory({{.kind = Fault::Kind::fail, .object = "a.tar", .after = 40}}).value();
  Loader loader =
      Loader::open(dataset, augmentation(), {.batch_size = 4, .num_workers = 2, .on_error = OnError::skip})
          .value();
  std::size_t rows = 0;
  for (int epoch = 0; epoch < 4; ++epoch) {
    for (const Batch& batch : take_epoch(loader)) {
      rows += batch.rows();
    }
  }
  const std::vector<Error> errors = loader.errors();
  EXPECT_EQ(rows + errors.size(), 48u);
  EXPECT_GT(errors.size(), 0u);
  EXPECT_THAT(errors, Each(testing::Field(&Error::kind, ErrorKind::io)));
  EXPECT_THAT(errors[0].to_string(), HasSubstr("a.tar"));
}

TEST(StorageReading, a_scheme_without_a_storage_is_refused) {
  const Result<Dataset> unknown = Dataset::open("memory://set/a.tar");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, ErrorKind::unsupported);
}

}  // namespace
}  // namespace penstock::inline v0
