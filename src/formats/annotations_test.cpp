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

TEST(Annotations, flat_key_points_are_coco_triples_however_many_there_are) {
  const AnnotationSpec spec{.kind = AnnotationKind::keypoints, .path = ""};
  EXPECT_THAT(read("[1, 2, 3, 4, 5, 6]", spec).value().numbers, ElementsAre(1, 2, 4, 5));  // not three pairs
  EXPECT_THAT(read("[1, 2]", spec).value().numbers, ElementsAre(1, 2));
  EXPECT_THAT(read("[[1, 2, 3, 4, 5, 6], [7, 8]]", spec).value().numbers, ElementsAre(1, 2, 4, 5, 7, 8));
  for (const char* const flat : {"[1, 2, 3, 4]", "[1]", "[[1, 2, 3, 4, 5, 6, 7, 8]]"}) {
    EXPECT_THAT(read(flat, spec).error().message, HasSubstr("x, y and visibility of each")) << flat;
  }
}

TEST(Annotations, visibility_of_key_points_is_their_third_number) {
  const AnnotationSpec spec{.kind = AnnotationKind::keypoints, .path = "", .visibility = true};
  const Annotations found = read("[[1, 2, 0, 3, 4, 2], [5, 6, 1]]", spec).value();
  EXPECT_THAT(found.numbers, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(found.labels, ElementsAre(0, 2, 1));
  for (const char* wrong : {"[[1, 2]]", "[[1, 2, 0.5]]", "[[1, 2, null]]", "[[1, 2, 1e20]]"}) {
    EXPECT_EQ(read(wrong, spec).error().kind, ErrorKind::corrupt) << wrong;
  }
  EXPECT_TRUE(read("[]", spec).ok());
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

std::string refused(std::string_view json, const AnnotationSpec& spec) {
  const auto found = read(json, spec);
  EXPECT_FALSE(found.ok());
  if (found.ok()) {
    return {};
  }
  EXPECT_EQ(found.error().kind, ErrorKind::corrupt);
  EXPECT_FALSE(found.error().place.offset) << "which would be taken for the shard's";
  return found.error().message;
}

TEST(Annotations, what_is_not_there_is_corrupt_and_named) {
  EXPECT_THAT(refused("{", {.path = "a"}), HasSubstr("JSON"));
  EXPECT_EQ(refused("{}", {.path = "a.*.bbox"}), "path 'a.*.bbox': there is no 'a', at byte 0 of the json");
  EXPECT_THAT(refused(R"({"a": 1})", {.path = "a"}), HasSubstr("a number is no list of boxes, at byte 6"));
  EXPECT_THAT(refused(R"({"a": {"b": 1}})", {.path = "a.*.b"}), HasSubstr("'*'"));
  EXPECT_THAT(refused(R"({"a": [[1, 2, 3]]})", {.path = "a"}), HasSubstr("3 numbers"));
  EXPECT_THAT(refused(R"({"a": [1, 2, 3, 4, 5, 6, 7, 8]})", {.path = "a"}), HasSubstr("8 numbers"));
  EXPECT_THAT(refused(R"({"a": [[1, 2, "x", 4]]})", {.path = "a"}),
              HasSubstr("text is no number of a box, at byte 14 of the json"));
  EXPECT_THAT(refused(R"({"a": [[1, 2, 3, 4]], "l": []})", {.path = "a", .labels = "l"}),
              HasSubstr("0 labels"));
  EXPECT_THAT(refused(R"({"a": [[1, 2, 3, 4]], "l": [1.5]})", {.path = "a", .labels = "l"}),
              HasSubstr("path 'l': label 1.5 is not an integer of 64 bits"));
  EXPECT_THAT(refused(R"({"a": [[1, 2, 3, 4]], "l": [null]})", {.path = "a", .labels = "l"}),
              HasSubstr("null"));
}

TEST(Annotations, what_stands_in_place_of_numbers_is_named) {
  EXPECT_THAT(refused(R"([{"x": 1}, {"x": 2}])", {.path = ""}), HasSubstr("an object is no number of a box"));
  EXPECT_THAT(refused(R"(["a", "b"])", {.path = ""}), HasSubstr("text is no number of a box"));
  EXPECT_THAT(refused("[1, [2], 3, 4]", {.path = ""}), HasSubstr("a list is no number of a box"));
  EXPECT_THAT(refused("[[1, 2], null]", {.kind = AnnotationKind::keypoints, .path = ""}),
              HasSubstr("null is no list of key points"));
}

TEST(Annotations, coordinates_fit_in_float32) {
  EXPECT_EQ(refused("[[1, 2, 1e39, 4]]", {.path = ""}),
            "path '': 1e39 is no finite number of float32, at byte 8 of the json");
  EXPECT_THAT(refused("[[1, 2, -1e400, 4]]", {.path = ""}), HasSubstr("-1e400"));
  EXPECT_THAT(refused("[[1, 2, NaN, 4]]", {.path = ""}), HasSubstr("NaN"));
  EXPECT_THAT(refused("[[1, 2, -Infinity, 4]]", {.path = ""}), HasSubstr("-Infinity"));
  EXPECT_THAT(refused("[[3e38, 0, 3e38, 4]]", {.path = "", .format = BoxFormat::xywh}),
              HasSubstr("corners of a box do not fit in float32, at byte 1 of the json"));
  const AnnotationSpec points{.kind = AnnotationKind::keypoints, .path = ""};
  EXPECT_THAT(refused("[1, 1e39]", points), HasSubstr("1e39"));
  EXPECT_THAT(read("[1, 2, 1e400]", points).value().numbers, ElementsAre(1, 2));
  EXPECT_THAT(read("[[1e-400, 2, 3e38, 1e-60]]", {.path = ""}).value().numbers, ElementsAre(0, 2, 3e38F, 0));
}

TEST(Annotations, what_is_no_json_is_told_before_what_a_path_lacks) {
  const AnnotationSpec spec{.path = "a.*.bbox", .labels = "a.*.id"};
  EXPECT_EQ(refused(R"({"a": [{"bbox": 3}], "b": [1, 2})", spec),
            "not JSON: expected a comma or the end of the list at byte 31 of the json");
  EXPECT_THAT(refused(R"({"a": [{"bbox": 3}, {}]} x)", spec), HasSubstr("after the value"));
  EXPECT_THAT(refused(R"({"a": [{"bbox": 3}, {}]})", spec), HasSubstr("no list"));
  EXPECT_THAT(refused(R"({"a": [{}, {"bbox": 3}]})", spec), HasSubstr("no 'bbox'"));
  EXPECT_THAT(refused(R"({"a": [{"bbox": [1, 2, 3, 4], "id": "x"}, {"bbox": [1]}]})", spec),
              HasSubstr("1 numbers"));
  EXPECT_THAT(refused(std::string(501, '[') + "1" + std::string(501, ']'), spec),
              HasSubstr("nested too deeply"));
}

/// A field of kind json takes all of this, so boxes beside it are read.
TEST(Annotations, what_the_path_does_not_lead_to_may_be_any_json) {
  const auto beside = [](const std::string& other) {
    return read(R"({"a": [[1, 2, 3, 4]], "b": )" + other + "}", {.path = "a"});
  };
  std::string many = "{";
  for (int i = 0; i < 300; ++i) {
    many += (i > 0 ? ", \"" : "\"") + std::to_string(i) + "\": 1";
  }
  for (const std::string& other :
       {std::string(400, '[') + "1" + std::string(400, ']'), std::string(R"({"c": 1, "c": 2})"), many + "}",
        std::string("[NaN, -Infinity, 1e999]"), std::string(R"("\ud800")"), std::string(100, '7')}) {
    const auto found = beside(other);
    ASSERT_TRUE(found.ok()) << other << found.error().to_string();
    EXPECT_THAT(found->numbers, ElementsAre(1, 2, 3, 4)) << other;
  }
  EXPECT_FALSE(beside(std::string(5000, '7')).ok());  // no integer of Python's
}

TEST(Annotations, the_last_of_several_members_of_one_name_counts) {
  const AnnotationSpec spec{.path = "a.b", .labels = "l"};
  const auto last = [&](std::string_view json) { return read(json, spec).value(); };
  EXPECT_THAT(
      last(R"({"a": {"b": [[9, 9, 9, 9], [8, 8, 8, 8]], "b": [[1, 2, 3, 4]]}, "l": [5, 6], "l": 7})").numbers,
      ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(last(R"({"l": [5, 6], "l": 7, "a": 5, "a": {"b": "x", "\u0062": [[1, 2, 3, 4]]}})").labels,
              ElementsAre(7));
  EXPECT_THAT(refused(R"({"a": {"b": [[1, 2, 3, 4]]}, "a": {}, "l": 1})", spec), HasSubstr("no 'b'"));
  const AnnotationSpec points{.kind = AnnotationKind::keypoints, .path = "p"};
  EXPECT_THAT(read(R"({"p": [[1, 2], [3, 4]], "p": [[5, 6]]})", points).value().groups, ElementsAre(1));
}

TEST(Annotations, json_may_be_in_every_form_of_unicode) {
  using namespace std::string_view_literals;
  EXPECT_THAT(read("\xEF\xBB\xBF[[1, 2, 3, 4]]", {.path = ""}).value().numbers, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(refused("\xEF\xBB\xBF[[1, 2, 3]]", {.path = ""}), HasSubstr("at byte 4 of the json"));
  EXPECT_THAT(read("[\0001\0,\0002\0,\0003\0,\0004\0]\0"sv, {.path = ""}).value().numbers,
              ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(refused("[\0001\0]\0"sv, {.path = ""}), HasSubstr("at byte 0 of the json's UTF-8 form"));
  EXPECT_THAT(refused("\xFF\xFE[\0]"sv, {.path = ""}), HasSubstr("looks like UTF-16"));
}

TEST(Annotations, places_names_and_odd_numbers_are_read_as_written) {
  EXPECT_THAT(
      read(R"({"\u0061": [9, [1, 2, 3, -0]], "*": [[5, 6, 7, -0.0]]})", {.path = "a.1"}).value().numbers,
      ElementsAre(1, 2, 3, 0));
  const auto starred = read(R"({"*": [[5, 6, 7, -0.0]]})", {.path = "*.0"}).value().numbers;
  EXPECT_TRUE(std::signbit(starred.at(3)));
  EXPECT_THAT(refused("[1, 2]", {.path = "2"}), HasSubstr("a list of 2 has no '2'"));
  EXPECT_THAT(refused("[1, 2]", {.path = "x"}), HasSubstr("a list of 2 has no 'x'"));
  const AnnotationSpec points{.kind = AnnotationKind::keypoints, .path = ""};
  EXPECT_THAT(read("[1, 2, \"seen\"]", points).value().numbers, ElementsAre(1, 2));
  EXPECT_THAT(refused("[1, [2], 3]", points), HasSubstr("a list is no number of a key point"));
}

TEST(Annotations, paths_with_empty_parts_are_refused) {
  EXPECT_TRUE(check_annotations({.path = "annotations.*.bbox"}).ok());
  EXPECT_FALSE(check_annotations({.path = "annotations..bbox"}).ok());
  EXPECT_FALSE(check_annotations({.path = "a", .labels = ".b"}).ok());
}

}  // namespace
}  // namespace penstock::inline v0
