#include "formats/annotations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <string_view>

namespace penstock::inline v0 {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Result<Annotations> read(std::string_view json, const AnnotationSpec& spec) {
  Annotations found;
  PENSTOCK_TRY(
      read_annotations({reinterpret_cast<const std::uint8_t*>(json.data()), json.size()}, spec, found));
  return found;
}

constexpr std::string_view kCoco = R"({"annotations": [
  {"bbox": [10, 20.5, 30, 40], "category_id": 7, "keypoints": [1, 2, 2, 3.5, 4, 0]},
  {"bbox": [0, 0, 1, 1], "category_id": -3, "keypoints": [9, 8, 1]}], "boxes": [[1, 2, 3, 4]], "none": []})";

TEST(Annotations, boxes_become_corners_from_every_format) {
  const auto boxes = [](BoxFormat format) {
    return read(kCoco, {.path = "annotations.*.bbox", .format = format}).value().numbers;
  };
  EXPECT_THAT(boxes(BoxFormat::xyxy), ElementsAre(10, 20.5F, 30, 40, 0, 0, 1, 1));
  EXPECT_THAT(boxes(BoxFormat::xywh), ElementsAre(10, 20.5F, 40, 60.5F, 0, 0, 1, 1));
  EXPECT_THAT(boxes(BoxFormat::cxcywh), ElementsAre(-5, 0.5F, 25, 40.5F, -0.5F, -0.5F, 0.5F, 0.5F));
}

TEST(Annotations, a_path_may_lead_to_one_list_of_boxes_or_to_one_box) {
  EXPECT_THAT(read(kCoco, {.path = "boxes"}).value().numbers, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(read(kCoco, {.path = "annotations.1.bbox"}).value().numbers, ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(read("[[5, 6, 7, 8]]", {.path = ""}).value().numbers, ElementsAre(5, 6, 7, 8));
  EXPECT_EQ(read(kCoco, {.path = "none"}).value().count, 0U);
  EXPECT_EQ(read(R"({"a": []})", {.path = "a.*.bbox"}).value().count, 0U);
}

TEST(Annotations, labels_stand_beside_boxes) {
  const auto found =
      read(kCoco, {.path = "annotations.*.bbox", .labels = "annotations.*.category_id"}).value();
  EXPECT_EQ(found.count, 2U);
  EXPECT_THAT(found.labels, ElementsAre(7, -3));
}

TEST(Annotations, key_points_have_two_numbers_or_visibility_besides) {
  const AnnotationSpec spec{.kind = AnnotationKind::keypoints, .path = "annotations.*.keypoints"};
  EXPECT_THAT(read(kCoco, spec).value().numbers, ElementsAre(1, 2, 3.5F, 4, 9, 8));
  const AnnotationSpec all{.kind = AnnotationKind::keypoints, .path = ""};
  EXPECT_THAT(read("[[1, 2], [3, 4]]", all).value().numbers, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(read("[[1, 2, 0], [3, 4, 1]]", all).value().numbers, ElementsAre(1, 2, 3, 4));
}

TEST(Annotations, key_points_of_one_object_belong_together) {
  const auto groups = [](std::string_view json, const char* path) {
    return read(json, {.kind = AnnotationKind::keypoints, .path = path}).value().groups;
  };
  EXPECT_THAT(groups(kCoco, "annotations.*.keypoints"), ElementsAre(2, 1));
  EXPECT_THAT(groups(R"([{"p": [[1, 2], [3, 4]]}, {"p": []}])", "*.p"), ElementsAre(2, 0));
  EXPECT_THAT(groups("[[1, 2], [3, 4]]", ""), ElementsAre(1, 1));
  EXPECT_THAT(groups("[[[1, 2], [3, 4]], [[5, 6]]]", ""), ElementsAre(2, 1));
  EXPECT_THAT(groups("[1, 2, 2, 3.5, 4, 0]", ""), ElementsAre(2));
}

TEST(Annotations, what_is_not_there_is_corrupt_and_named) {
  const auto refused = [](std::string_view json, const AnnotationSpec& spec) {
    const auto found = read(json, spec);
    EXPECT_FALSE(found.ok());
    return found.ok() ? std::string() : found.error().to_string();
  };
  EXPECT_THAT(refused("{", {.path = "a"}), HasSubstr("JSON"));
  EXPECT_THAT(refused("{}", {.path = "a.*.bbox"}), HasSubstr("no 'a'"));
  EXPECT_THAT(refused(R"({"a": 1})", {.path = "a"}), HasSubstr("no list"));
  EXPECT_THAT(refused(R"({"a": {"b": 1}})", {.path = "a.*.b"}), HasSubstr("'*'"));
  EXPECT_THAT(refused(R"({"a": [[1, 2, 3]]})", {.path = "a"}), HasSubstr("3 numbers"));
  EXPECT_THAT(refused(R"({"a": [1, 2, 3, 4, 5, 6, 7, 8]})", {.path = "a"}), HasSubstr("8 numbers"));
  EXPECT_THAT(refused(R"({"a": [[1, 2, "x", 4]]})", {.path = "a"}), HasSubstr("not a number"));
  EXPECT_THAT(refused(R"({"a": [[1, 2, 3, 4]], "l": []})", {.path = "a", .labels = "l"}),
              HasSubstr("0 labels"));
  EXPECT_THAT(refused(R"({"a": [[1, 2, 3, 4]], "l": [1.5]})", {.path = "a", .labels = "l"}),
              HasSubstr("label"));
}

TEST(Annotations, what_is_no_json_is_told_before_what_a_path_lacks) {
  const auto refused = [](std::string_view json) {
    return read(json, {.path = "a.*.bbox", .labels = "a.*.id"}).error().to_string();
  };
  EXPECT_THAT(refused(R"({"b": 1, "b": 2})"), HasSubstr("duplicate member"));
  EXPECT_THAT(refused(R"({"b": 1, "\u0062": 2})"), HasSubstr("duplicate member"));
  EXPECT_THAT(refused(R"({"a": [{"bbox": 3}], "b": 1e999})"), HasSubstr("number too large"));
  EXPECT_THAT(refused(R"({"a": [{"bbox": 3}], "b": [1, 2})"), HasSubstr("expected a comma"));
  EXPECT_THAT(refused(R"({"a": [{"bbox": 3}, {}]} x)"), HasSubstr("after the value"));
  EXPECT_THAT(refused(R"({"a": [{"bbox": 3}, {}]})"), HasSubstr("no list"));
  EXPECT_THAT(refused(R"({"a": [{}, {"bbox": 3}]})"), HasSubstr("no 'bbox'"));
  EXPECT_THAT(refused(R"({"a": [{"bbox": [1, 2, 3, 4], "id": "x"}, {"bbox": [1]}]})"),
              HasSubstr("1 numbers"));
  EXPECT_THAT(refused(std::string(40, '[') + "1" + std::string(40, ']')), HasSubstr("nested too deeply"));
  std::string many = "{";
  for (int i = 0; i < 300; ++i) {
    many += (i > 0 ? ", \"" : "\"") + std::to_string(i) + "\": 1";
  }
  EXPECT_THAT(refused(many + "}"), HasSubstr("too many members"));
}

TEST(Annotations, places_names_and_odd_numbers_are_read_as_written) {
  EXPECT_THAT(
      read(R"({"\u0061": [9, [1, 2, 3, -0]], "*": [[5, 6, 7, -0.0]]})", {.path = "a.1"}).value().numbers,
      ElementsAre(1, 2, 3, 0));
  const auto starred = read(R"({"*": [[5, 6, 7, -0.0]]})", {.path = "*.0"}).value().numbers;
  EXPECT_TRUE(std::signbit(starred.at(3)));
  EXPECT_THAT(read("[1, 2]", {.path = "2"}).error().to_string(), HasSubstr("a list of 2 has no '2'"));
  EXPECT_THAT(read("[1, 2]", {.path = "x"}).error().to_string(), HasSubstr("a list of 2 has no 'x'"));
  const AnnotationSpec points{.kind = AnnotationKind::keypoints, .path = ""};
  EXPECT_THAT(read("[1, 2, \"seen\"]", points).value().numbers, ElementsAre(1, 2));
  EXPECT_THAT(read("[1, [2], 3]", points).error().to_string(), HasSubstr("not a number"));
}

TEST(Annotations, paths_with_empty_parts_are_refused) {
  EXPECT_TRUE(check_annotations({.path = "annotations.*.bbox"}).ok());
  EXPECT_FALSE(check_annotations({.path = "annotations..bbox"}).ok());
  EXPECT_FALSE(check_annotations({.path = "a", .labels = ".b"}).ok());
}

}  // namespace
}  // namespace penstock::inline v0
