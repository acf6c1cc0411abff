#include "formats/store_fields.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "core/crc32c.hpp"

namespace penstock::inline v0 {
namespace {

using ::testing::HasSubstr;

StoreManifest manifest_with_readings() {
  StoreManifest manifest;
  manifest.fingerprint = std::string(32, 'f');
  manifest.fields = {{"depth", FieldKind::image},
                     {"boxes", FieldKind::json},
                     {"points", FieldKind::json},
                     {"json", FieldKind::json}};
  manifest.readings = {
      {"depth", {.mode = ImageMode::gray_16}},
      {"boxes",
       {.annotations =
            AnnotationSpec{.path = "a.*.\xC3\xA9\"", .format = BoxFormat::cxcywh, .labels = "a.*.id"}}},
      {"points", {.annotations = AnnotationSpec{.kind = AnnotationKind::keypoints, .path = ""}}}};
  return manifest;
}

/// The text with another in place of `from`, and the checksum that it has then.
std::string changed(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  const std::size_t end = text.rfind("\n  \"crc32c\": \"");
  const std::uint32_t checksum = crc32c({reinterpret_cast<const std::uint8_t*>(text.data()), end});
  return text.substr(0, end) + fmt::format("\n  \"crc32c\": \"{:08x}\"\n}}\n", checksum);
}

TEST(store_fields, readings_are_read_as_they_were_written) {
  const StoreManifest manifest = manifest_with_readings();
  const std::string text = manifest.text();
  const auto parsed = StoreManifest::parse(text);
  ASSERT_TRUE(parsed.ok()) << parsed.error().to_string();
  EXPECT_TRUE(*parsed == manifest);
  EXPECT_THAT(text, HasSubstr(R"("annotations": {"kind": "keypoints", "path": ""})"));
  StoreManifest unlabelled = manifest;
  unlabelled.readings["boxes"].annotations->labels.clear();
  EXPECT_EQ(unlabelled.text().find("labels"), std::string::npos);
  EXPECT_TRUE(StoreManifest::parse(unlabelled.text()).value() == unlabelled);
}

TEST(store_fields, impossible_readings_are_damage) {
  const std::string text = manifest_with_readings().text();
  for (const auto& [from, to] : {std::pair("\"keypoints\"", "\"polygons\""),
                                 {"\"cxcywh\"", "\"yxyx\""},
                                 {"\"a.*.id\"", "\"a..id\""},
                                 {"\"a.*.id\"", "null"},
                                 {"\"path\": \"\"", "\"path\": 3"},
                                 {"\"kind\": \"json\"", "\"kind\": \"text\""}}) {
    const auto parsed = StoreManifest::parse(changed(text, from, to));
    ASSERT_FALSE(parsed.ok()) << to;
    EXPECT_EQ(parsed.error().kind, ErrorKind::corrupt);
    EXPECT_THAT(parsed.error().message, HasSubstr("the manifest of the store is damaged"));
  }
}

/// So earlier versions read boxes as the json that they stand in.
TEST(store_fields, members_that_a_version_does_not_know_are_left_alone) {
  const std::string text =
      changed(manifest_with_readings().text(), "\"annotations\": {\"kind\": \"keypoints\"",
              "\"something new\": {\"kind\": \"keypoints\"");
  const auto parsed = StoreManifest::parse(text);
  ASSERT_TRUE(parsed.ok()) << parsed.error().to_string();
  EXPECT_FALSE(parsed->readings.contains("points"));
  EXPECT_EQ(parsed->fields[2].kind, FieldKind::json);
}

}  // namespace
}  // namespace penstock::inline v0
