#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codecs/image_decoder.hpp"
#include "formats/original_file.hpp"
#include "formats/store.hpp"
#include "formats/tar_for_test.hpp"
#include "store/store_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using testing::HasSubstr;

BuildSettings with(StoreImage image) {
  BuildSettings settings;
  settings.image = image;
  settings.workers = 2;
  settings.shard_bytes = 16384;
  return settings;
}

BuildReport build(const SampleTable& source, const std::string& path, const BuildSettings& settings) {
  auto report = build_store(source, "test", path, settings);
  EXPECT_TRUE(report.ok()) << report.error().to_string();
  return report.ok() ? std::move(*report) : BuildReport{};
}

std::unique_ptr<SampleTable> open(const std::string& path) {
  auto table = open_samples({path}, {});
  EXPECT_TRUE(table.ok()) << table.error().to_string();
  return table.ok() ? std::move(*table) : nullptr;
}

std::vector<std::uint8_t> pixels_of(const SampleTable& table, std::uint64_t sample, ImageSize& size) {
  ImageDecoder decoder;
  const auto stored = table.read(sample, 0);
  EXPECT_TRUE(stored.ok());
  size = decoder.open(stored->image()).value();
  std::vector<std::uint8_t> pixels(std::size_t{3} * size.width * size.height + 64);
  EXPECT_TRUE(decoder
                  .decode({0, 0, size.width, size.height}, {.data = pixels.data(),
                                                            .stride = std::size_t{3} * size.width,
                                                            .width = size.width,
                                                            .height = size.height})
                  .ok());
  pixels.resize(pixels.size() - 64);
  return pixels;
}

void expect_same_samples(const SampleTable& store, const SampleTable& source, bool files) {
  ASSERT_EQ(store.size(), source.size());
  ASSERT_EQ(store.fields(), source.fields());
  EXPECT_EQ(store.fingerprint(), source.fingerprint());
  OriginalFile original;
  OriginalFile other_original;
  for (std::uint64_t i = 0; i < source.size(); ++i) {
    ASSERT_EQ(store.key(i), source.key(i));
    for (std::size_t field = 0; field < source.fields().size(); ++field) {
      ASSERT_EQ(store.stored_size(i, field), source.stored_size(i, field));
      if (source.fields()[field].kind == FieldKind::image && !files) {
        continue;
      }
      const auto a = store.read(i, field);
      const auto b = source.read(i, field);
      ASSERT_TRUE(a.ok()) << a.error().to_string();
      EXPECT_EQ(a->number, b->number);
      const auto file = original.of(*a);
      const auto other = other_original.of(*b);
      ASSERT_TRUE(file.ok()) << file.error().to_string();
      ASSERT_TRUE(std::equal(file->begin(), file->end(), other->begin(), other->end())) << i << " " << field;
    }
    ImageSize size;
    ImageSize source_size;
    ASSERT_EQ(pixels_of(store, i, size), pixels_of(source, i, source_size));
    EXPECT_EQ(size, source_size);
    EXPECT_EQ(store.image_size(i, 0), size);
  }
}

TEST(build_store, every_mode_gives_the_samples_back) {
  const TableForTest source(60);
  const TemporaryFolder folder;
  for (const StoreImage image :
       {StoreImage::keep, StoreImage::repack, StoreImage::repack_pixels, StoreImage::raw}) {
    SCOPED_TRACE(name_of(image));
    const std::string path = folder / name_of(image);
    const BuildReport report = build(source, path, with(image));
    EXPECT_EQ(report.samples, 60u);
    EXPECT_EQ(report.added, 60u);
    const auto store = open(path);
    ASSERT_NE(store, nullptr);
    expect_same_samples(*store, source, image != StoreImage::raw);
    EXPECT_FALSE(std::filesystem::exists(path + ".building"));
  }
}

TEST(build_store, bytes_do_not_depend_on_workers) {
  const TableForTest source(300);
  const TemporaryFolder folder;
  for (const StoreImage image : {StoreImage::keep, StoreImage::repack, StoreImage::raw}) {
    for (const int workers : {1, 2, 5}) {
      BuildSettings settings = with(image);
      settings.workers = workers;
      settings.shard_bytes = 1 << 20;  // fewer shards, and so fewer waits for the disk
      build(source, folder / (std::string(name_of(image)) + std::to_string(workers)), settings);
    }
    expect_same_files(folder / (std::string(name_of(image)) + "1"),
                      folder / (std::string(name_of(image)) + "2"));
    expect_same_files(folder / (std::string(name_of(image)) + "1"),
                      folder / (std::string(name_of(image)) + "5"));
  }
}

TEST(build_store, samples_lie_in_one_shard_each_with_adjacent_fields) {
  const TableForTest source(40);
  const TemporaryFolder folder;
  build(source, folder / "s", with(StoreImage::keep));
  const auto files = StoreFiles::open({folder / "s", "s"});
  ASSERT_TRUE(files.ok());
  EXPECT_GT((*files)->manifest().shards.size(), 2u);
  for (std::uint64_t i = 0; i < 40; ++i) {
    const auto records = (*files)->records(i);
    for (std::size_t f = 1; f < records.size(); ++f) {
      EXPECT_EQ(records[f].shard(), records[0].shard());
      EXPECT_EQ(records[f].offset(), records[f - 1].offset() + records[f - 1].stored_size());
    }
  }
  for (const StoreFile& shard : (*files)->manifest().shards) {
    EXPECT_LE(shard.size, 16384u);
  }
}

TEST(build_store, resized_pixels_are_no_larger_than_asked_for) {
  const TableForTest source(20);
  const TemporaryFolder folder;
  BuildSettings settings = with(StoreImage::raw);
  settings.resize_shorter = 24;
  build(source, folder / "raw", settings);
  settings.resize_shorter.reset();
  settings.resize_longest = 24;
  build(source, folder / "longest", settings);
  const auto raw = open(folder / "raw");
  const auto longest = open(folder / "longest");
  for (std::uint64_t i = 0; i < 20; ++i) {
    ImageSize size;
    ImageSize before;
    pixels_of(source, i, before);
    pixels_of(*raw, i, size);
    EXPECT_EQ(std::min(size.width, size.height), std::min({before.width, before.height, 24}));
    pixels_of(*longest, i, size);
    EXPECT_EQ(std::max(size.width, size.height), std::min(std::max(before.width, before.height), 24));
  }
  EXPECT_NE(raw->fingerprint(), source.fingerprint());
}

TEST(build_store, quality_makes_new_jpeg_files) {
  const TableForTest source(5);
  const TemporaryFolder folder;
  for (const StoreImage image : {StoreImage::keep, StoreImage::raw, StoreImage::repack}) {
    BuildSettings settings = with(image);
    settings.quality = 20;
    const std::string path = folder / (std::string("q") + name_of(image));
    build(source, path, settings);
    const auto store = open(path);
    OriginalFile original;
    const auto stored = store->read(0, 0);
    const auto file = original.of(*stored);
    ASSERT_TRUE(file.ok()) << file.error().to_string();
    EXPECT_LT(file->size(), source.stored_size(0, 0));
    EXPECT_EQ(file->size(), store->stored_size(0, 0));
  }
}

TEST(build_store, bad_samples_fail_the_build_or_are_left_out) {
  TableForTest source(30);
  source.bad = {3, 17};
  source.replace_image(8, {0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3});
  const TemporaryFolder folder;
  BuildSettings settings = with(StoreImage::keep);
  const auto failed = build_store(source, "test", folder / "s", settings);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().kind, ErrorKind::corrupt);
  EXPECT_EQ(failed.error().place.index, 3u);
  EXPECT_THAT(failed.error().to_string(), HasSubstr("bad on purpose"));
  settings.skip_errors = true;
  settings.max_errors = 2;
  const auto too_many = build_store(source, "test", folder / "s", settings);
  ASSERT_FALSE(too_many.ok());
  EXPECT_THAT(too_many.error().message, HasSubstr("max_errors"));
  settings.max_errors = 3;
  const BuildReport report = build(source, folder / "s", settings);
  EXPECT_EQ(report.samples, 27u);
  EXPECT_EQ(report.skipped, 3u);
  const auto store = open(folder / "s");
  EXPECT_EQ(store->key(3), source.key(4));
  EXPECT_EQ(store->warnings().size(), 1u);
}

TEST(build_store, a_share_of_bad_samples_counts_when_enough_were_seen) {
  TableForTest source(150);
  for (std::uint64_t i = 10; i < 40; ++i) {
    source.bad.insert(i);
  }
  const TemporaryFolder folder;
  BuildSettings settings = with(StoreImage::keep);
  settings.skip_errors = true;
  settings.max_error_share = 0.25;
  const auto failed = build_store(source, "test", folder / "s", settings);  // 30 of the first 100
  ASSERT_FALSE(failed.ok());
  EXPECT_THAT(failed.error().message, HasSubstr("30 of 100 samples are bad, more than max_errors allows"));
  EXPECT_EQ(failed.error().place.index, 39u);
  settings.max_error_share = 0.3;
  EXPECT_EQ(build(source, folder / "s", settings).skipped, 30u);
}

TEST(build_store, what_is_there_is_not_overwritten) {
  const TableForTest source(10);
  const TableForTest other(10, 7);
  const TemporaryFolder folder;
  EXPECT_FALSE(build(source, folder / "s", with(StoreImage::keep)).was_complete);
  EXPECT_TRUE(build(source, folder / "s", with(StoreImage::keep)).was_complete);
  EXPECT_EQ(build_store(source, "", folder / "s", with(StoreImage::raw)).error().kind, ErrorKind::invalid);
  EXPECT_EQ(build_store(other, "", folder / "s", with(StoreImage::keep)).error().kind, ErrorKind::invalid);
  folder.write("d/x.txt", std::string_view("mine"));
  EXPECT_EQ(build_store(source, "", folder / "d", with(StoreImage::keep)).error().kind, ErrorKind::invalid);
}

TEST(build_store, a_store_without_bad_samples_is_not_what_raise_asks_for) {
  TableForTest source(30);
  source.bad = {3};
  const TableForTest more(10, 4);
  const TemporaryFolder folder;
  BuildSettings settings = with(StoreImage::keep);
  settings.skip_errors = true;
  build(source, folder / "s", settings);
  const BuildReport again = build(source, folder / "s", settings);
  EXPECT_TRUE(again.was_complete);
  EXPECT_EQ(again.skipped, 1u);
  settings.skip_errors = false;
  const auto refused = build_store(source, "test", folder / "s", settings);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::invalid);
  EXPECT_THAT(refused.error().to_string(), HasSubstr("lacks 1 bad samples"));

  settings.append = true;  // what was left out before is not this source's
  EXPECT_EQ(build(more, folder / "s", settings).skipped, 0u);
  EXPECT_TRUE(build(more, folder / "s", settings).was_complete);

  TableForTest last(10, 5);
  last.bad = {0, 9};
  settings.skip_errors = true;
  EXPECT_EQ(build(last, folder / "s", settings).skipped, 2u);
  const BuildReport appended = build(last, folder / "s", settings);
  EXPECT_TRUE(appended.was_complete);
  EXPECT_EQ(appended.skipped, 2u);
}

TEST(build_store, a_destination_inside_the_source_is_refused) {
  const TemporaryFolder folder;
  folder.write("set/cat/a.jpg", as_text(jpeg_for_test(16, 16, 1)));
  for (const char* const name : {"set/out", "set/cat/out", "set/../set/new/out"}) {
    SCOPED_TRACE(name);
    EXPECT_EQ(build_store({folder / "set"}, folder / name).error().kind, ErrorKind::invalid);
    EXPECT_EQ(convert_store(folder / "set", folder / name).error().kind, ErrorKind::invalid);
  }
  EXPECT_EQ(open(folder / "set")->size(), 1u);
  EXPECT_TRUE(build_store({folder / "set"}, folder / "set.store").ok());
  TarForTest tar;
  folder.write("tars/x.tar", tar.file("a.jpg", as_text(jpeg_for_test(16, 16, 1))).end().bytes());
  EXPECT_TRUE(build_store({folder / "tars"}, folder / "tars/out").ok());
  EXPECT_EQ(open(folder / "tars")->size(), 1u);
}

TEST(build_store, a_folder_of_the_user_is_not_cleared) {
  const TableForTest source(3);
  const TemporaryFolder folder;
  folder.write("s.building/thesis.txt", std::string_view("mine"));
  folder.write("s.building/journal", std::string_view("also mine"));
  folder.write("t.building/shard-000000.tar", std::string_view("mine"));
  folder.write("u.building", std::string_view("mine"));
  for (const char* const name : {"s", "t", "u"}) {
    const auto report = build_store(source, "", folder / name, with(StoreImage::keep));
    ASSERT_FALSE(report.ok());
    EXPECT_EQ(report.error().kind, ErrorKind::invalid);
    EXPECT_THAT(report.error().to_string(), HasSubstr(std::string(name) + ".building"));
  }
  EXPECT_EQ(files_in(folder / "s.building").size(), 2u);
  EXPECT_EQ(files_in(folder / "t.building").size(), 1u);
  EXPECT_EQ(read_text(folder / "u.building"), "mine");
}

TEST(build_store, appends_in_one_step) {
  const TableForTest source(30);
  const TableForTest more(20, 9);
  const TemporaryFolder folder;
  BuildSettings settings = with(StoreImage::repack);
  settings.append = true;
  EXPECT_EQ(build_store(source, "a", folder / "s", settings).error().kind, ErrorKind::invalid);
  build(source, folder / "s", with(StoreImage::repack));
  const auto before = open(folder / "s");
  const BuildReport report = build(more, folder / "s", settings);
  EXPECT_EQ(report.samples, 50u);
  EXPECT_EQ(report.added, 20u);
  EXPECT_TRUE(build(more, folder / "s", settings).was_complete);
  EXPECT_FALSE(std::filesystem::exists(folder / "s.building"));
  const auto store = open(folder / "s");
  ASSERT_EQ(store->size(), 50u);
  ImageSize size;
  EXPECT_EQ(pixels_of(*store, 5, size), pixels_of(source, 5, size));
  EXPECT_EQ(pixels_of(*store, 33, size), pixels_of(more, 3, size));
  EXPECT_EQ(pixels_of(*before, 29, size), pixels_of(source, 29, size));  // who had it open keeps it
  EXPECT_TRUE(verify_store(folder / "s")->ok());
  settings.quality = 50;
  EXPECT_EQ(build_store(more, "a", folder / "s", settings).error().kind, ErrorKind::invalid);
}

TEST(build_store, says_how_the_store_that_is_there_differs) {
  const TableForTest source(4);
  const TemporaryFolder folder;
  build(source, folder / "s", with(StoreImage::keep));
  const auto why = [&](const SampleTable& table, const BuildSettings& settings) {
    const auto report = build_store(table, "", folder / "s", settings);
    return report.ok() ? "it was built" : report.error().to_string();
  };
  EXPECT_THAT(why(source, with(StoreImage::raw)), HasSubstr("image is raw and was keep"));
  EXPECT_THAT(why(TableForTest(5), with(StoreImage::keep)), HasSubstr("another source"));
  BuildSettings again = with(StoreImage::keep);
  again.resume = false;
  EXPECT_THAT(why(source, again), HasSubstr("complete store of this source and settings"));
}

TEST(build_store, impossible_settings_are_refused) {
  const TableForTest source(2);
  const TemporaryFolder folder;
  const auto kind = [&](auto change) {
    BuildSettings settings = with(StoreImage::keep);
    change(settings);
    return build_store(source, "", folder / "s", settings).error().kind;
  };
  EXPECT_EQ(kind([](BuildSettings& s) { s.quality = 0; }), ErrorKind::invalid);
  EXPECT_EQ(kind([](BuildSettings& s) { s.resize_shorter = 0; }), ErrorKind::invalid);
  EXPECT_EQ(kind([](BuildSettings& s) { s.shard_bytes = 1; }), ErrorKind::invalid);
  EXPECT_EQ(kind([](BuildSettings& s) { s.workers = 0; }), ErrorKind::invalid);
  EXPECT_EQ(kind([](BuildSettings& s) { s.workers = 99'999'999; }), ErrorKind::invalid);
  EXPECT_EQ(build_store(source, "", "/", with(StoreImage::keep)).error().kind, ErrorKind::invalid);
}

}  // namespace
}  // namespace penstock::inline v0
