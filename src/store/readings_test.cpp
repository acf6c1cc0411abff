// How fields are read, as a store remembers it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/store.hpp"
#include "formats/tar_for_test.hpp"
#include "store/store_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using testing::HasSubstr;

/// `samples` of two boxes each.
std::unique_ptr<SampleTable> boxes_for_test(const TemporaryFolder& folder, int samples, int first = 0) {
  TarForTest tar;
  for (int i = first; i < first + samples; ++i) {
    tar.file(fmt::format("{:05}.json", i),
             fmt::format(R"({{"boxes": [[{0}, 1, 2, 3], [4, 5, 6, 7]], "ids": [{0}, 1]}})", i));
  }
  const std::string path = folder.write(fmt::format("{}.tar", first), tar.end().bytes());
  return open_samples({path}, {{{"boxes", "json"}}}).value();
}

BuildSettings with_boxes(std::string path = "boxes", std::string labels = "ids") {
  BuildSettings settings;
  settings.readings["boxes"].annotations =
      AnnotationSpec{.path = std::move(path), .labels = std::move(labels)};
  return settings;
}

FieldReading reading_of_store(const std::string& path) {
  return open_samples({path}, {}).value()->spec(0).reading;
}

TEST(readings, are_kept_by_appending_and_by_a_store_of_the_store) {
  const TemporaryFolder folder;
  const FieldReading wanted = with_boxes().readings["boxes"];
  ASSERT_TRUE(build_store(*boxes_for_test(folder, 3), "x", folder / "s", with_boxes()).ok());
  EXPECT_EQ(reading_of_store(folder / "s"), wanted);
  BuildSettings append = with_boxes();
  append.append = true;
  ASSERT_TRUE(build_store(*boxes_for_test(folder, 3, 7), "y", folder / "s", append).ok());
  EXPECT_EQ(reading_of_store(folder / "s"), wanted);
  ASSERT_TRUE(build_store({folder / "s"}, folder / "t").ok());
  EXPECT_EQ(reading_of_store(folder / "t"), wanted);
  EXPECT_EQ(open_samples({folder / "t"}, {{{"mine", "boxes"}}}).value()->spec(0).reading, wanted);
  EXPECT_TRUE(verify_store(folder / "t").value().ok());
}

TEST(readings, of_another_kind_are_another_store) {
  const TemporaryFolder folder;
  const auto source = boxes_for_test(folder, 3);
  ASSERT_TRUE(build_store(*source, "x", folder / "s", with_boxes()).ok());
  for (BuildSettings other : {BuildSettings(), with_boxes("boxes", "")}) {
    for (const bool append : {false, true}) {
      other.append = append;
      const auto refused = build_store(*source, "x", folder / "s", other);
      ASSERT_FALSE(refused.ok());
      EXPECT_EQ(refused.error().kind, ErrorKind::invalid);
      EXPECT_THAT(refused.error().to_string(), HasSubstr("how field 'boxes' is read"));
    }
  }
  EXPECT_TRUE(build_store(*source, "x", folder / "s", with_boxes())->was_complete);
}

TEST(readings, an_interrupted_build_resumes_with_the_same_and_begins_again_with_others) {
  const TemporaryFolder folder;
  const auto source = boxes_for_test(folder, 600);
  const auto interrupt = [&](const std::string& path) {
    BuildSettings settings = with_boxes();
    settings.workers = 1;
    settings.progress = [](const BuildProgress& progress) { return progress.samples < 512; };
    EXPECT_EQ(build_store(*source, "x", path, settings).error().kind, ErrorKind::cancelled);
  };
  interrupt(folder / "same");
  const auto same = build_store(*source, "x", folder / "same", with_boxes());
  ASSERT_TRUE(same.ok()) << same.error().to_string();
  EXPECT_GT(same->resumed_at, 0u);
  EXPECT_EQ(reading_of_store(folder / "same"), with_boxes().readings["boxes"]);
  ASSERT_TRUE(build_store(*source, "x", folder / "whole", with_boxes()).ok());
  expect_same_files(folder / "same", folder / "whole");
  interrupt(folder / "other");
  const auto other = build_store(*source, "x", folder / "other", with_boxes("boxes", ""));
  ASSERT_TRUE(other.ok()) << other.error().to_string();
  EXPECT_EQ(other->resumed_at, 0u);
}

TEST(readings, what_they_do_not_find_is_a_bad_sample) {
  const TemporaryFolder folder;
  TarForTest tar;
  tar.file("a.json", R"({"boxes": [[1, 2, 3, 4]]})").file("b.json", "{}");
  const std::string path = folder.write("x.tar", tar.end().bytes());
  const auto source = open_samples({path}, {{{"boxes", "json"}}}).value();
  BuildSettings settings = with_boxes("boxes", "");
  const auto raised = build_store(*source, "x", folder / "s", settings);
  ASSERT_FALSE(raised.ok());
  EXPECT_THAT(raised.error().to_string(), HasSubstr("path 'boxes': there is no 'boxes'"));
  settings.skip_errors = true;
  EXPECT_EQ(build_store(*source, "x", folder / "s", settings)->samples, 1u);
  settings = with_boxes("boxes", "");
  settings.keep_damaged = true;
  ASSERT_TRUE(build_store(*source, "x", folder / "t", settings).ok());
  const auto report = verify_store(folder / "t");
  ASSERT_EQ(report->problems, 1u);
  EXPECT_EQ(report->errors[0].place.key, "b");
  // Without a store too, if one says how fields are read.
  EXPECT_EQ(verify_samples(*source)->problems, 0u);
  EXPECT_EQ(verify_samples(*source, {.readings = settings.readings})->problems, 1u);
}

TEST(readings, tars_of_a_store_have_the_json_file) {
  const TemporaryFolder folder;
  const auto source = boxes_for_test(folder, 2);
  ASSERT_TRUE(build_store(*source, "x", folder / "s", with_boxes()).ok());
  ASSERT_TRUE(convert_store(folder / "s", folder / "tars").ok());
  const auto tars = open_samples({folder / "tars/shard-000000.tar"}, {}).value();
  ASSERT_EQ(tars->fields().size(), 1u);
  EXPECT_EQ(tars->fields()[0].name, "boxes.json");
  EXPECT_EQ(tars->fields()[0].kind, FieldKind::json);
  for (std::uint64_t sample = 0; sample < 2; ++sample) {
    const StoredValue a = source->read(sample, 0).value(), b = tars->read(sample, 0).value();
    EXPECT_TRUE(std::equal(a.bytes.begin(), a.bytes.end(), b.bytes.begin(), b.bytes.end()));
  }
}

}  // namespace
}  // namespace penstock::inline v0
