#include "transforms/config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace penstock::inline v0 {
namespace {

using testing::HasSubstr;

std::string message_of(const char* text) {
  const auto config = transforms_from_json(text);
  return config.ok() ? "" : config.error().to_string();
}

TEST(config, reads_lists_and_targets) {
  const auto config = transforms_from_json(R"([
      {"op": "Resize", "size": [30, 40], "interpolation": "bicubic", "max_size": null},
      {"_target_": "penstock.transforms.RandomHorizontalFlip", "p": 0.25, "key": "flip"},
      {"_target_": "torchvision.transforms.v2.RandomCrop", "size": 24, "pad_if_needed": true},
      {"op": "ColorJitter", "hue": [-0.1, 0]}])");
  ASSERT_TRUE(config.ok()) << config.error().to_string();
  ASSERT_EQ(config->list.size(), 4U);
  EXPECT_TRUE(config->views.empty());
  EXPECT_THAT(repr(*config->list[0]), HasSubstr("size=(30, 40), interpolation='bicubic'"));
  EXPECT_EQ(repr(*config->list[1]), "RandomHorizontalFlip(p=0.25, key='flip')");
  EXPECT_THAT(repr(*config->list[2]), HasSubstr("pad_if_needed=True"));
  EXPECT_THAT(repr(*config->list[3]), HasSubstr("hue=(-0.1, 0.0)"));
}

TEST(config, reads_operations_that_hold_others) {
  const auto config = transforms_from_json(R"([
      {"op": "RandomApply", "transforms": [{"op": "ColorJitter", "brightness": 0.4}], "p": 0.8},
      {"op": "RandomChoice", "transforms": [{"op": "RandomOrder", "transforms": [{"op": "RandomInvert"}]},
                                            {"op": "Grayscale"}], "p": [1, 2]}])");
  ASSERT_TRUE(config.ok()) << config.error().to_string();
  ASSERT_EQ(config->list.size(), 2U);
  EXPECT_THAT(repr(*config->list[0]), HasSubstr("RandomApply(transforms=[ColorJitter(brightness=0.4"));
  EXPECT_THAT(repr(*config->list[1]), HasSubstr("RandomInvert(p=0.5)"));
  EXPECT_THAT(message_of(R"([{"op": "RandomApply", "transforms": [{"op": "Resize", "size": "q"}]}])"),
              HasSubstr("[0].transforms[0]: Resize"));
}

TEST(config, reads_views) {
  const auto config = transforms_from_json(
      R"({"views": {"a": [{"op": "CenterCrop", "size": 8}], "local": [6, [{"op": "ToFloat"}]], "b": []}})");
  ASSERT_TRUE(config.ok()) << config.error().to_string();
  ASSERT_EQ(config->views.size(), 3U);
  EXPECT_EQ(config->views[0].count, 0);
  EXPECT_EQ(config->views[1].name, "local");
  EXPECT_EQ(config->views[1].count, 6);
  EXPECT_EQ(config->views[1].operations.size(), 1U);
}

TEST(config, names_the_path_of_what_is_wrong) {
  EXPECT_THAT(message_of("[1"), HasSubstr("the config"));
  EXPECT_THAT(message_of("3"), HasSubstr("must be a list of operations"));
  EXPECT_THAT(message_of(R"([{"op": "ToFloat"}, 7])"), HasSubstr("[1]: must be {\"op\": name, ...}"));
  EXPECT_THAT(message_of(R"([{"op": "ToFloat", "_target_": "x"}])"), HasSubstr("[0]: must be"));
  EXPECT_THAT(message_of(R"([{"op": "Nothing"}])"), HasSubstr("[0]: unknown operation Nothing"));
  EXPECT_THAT(message_of(R"([{"_target_": "os.system"}])"), HasSubstr("[0]._target_: must be a class of"));
  EXPECT_THAT(message_of(R"([{"_target_": "penstock.transforms.x.Y"}])"), HasSubstr("[0]._target_"));
  EXPECT_THAT(message_of(R"([{"op": "Resize", "size": {"a": 1}}])"), HasSubstr("[0].size: must be a number"));
  EXPECT_THAT(message_of(R"([{"op": "Resize", "size": ["a"]}])"),
              HasSubstr("[0].size: must be a list of numbers"));
  EXPECT_THAT(message_of(R"([{"op": "Resize", "size": -4}])"), HasSubstr("[0]: Resize"));
  EXPECT_THAT(message_of(R"([{"op": "Resize", "sizes": 4}])"), HasSubstr("Resize has no parameter sizes"));
  EXPECT_THAT(message_of(R"({"views": {"a": 3}})"), HasSubstr("views.a: must be a list"));
  EXPECT_THAT(message_of(R"({"views": {"a": [0, []]}})"), HasSubstr("views.a[0]: must be a positive count"));
  EXPECT_THAT(message_of(R"({"views": {"a": [2, [{"op": "X"}]]}})"), HasSubstr("views.a[1][0]: unknown"));
  EXPECT_THAT(message_of(R"({"view": {}})"), HasSubstr("{\"views\": {name: list}}"));
}

}  // namespace
}  // namespace penstock::inline v0
