// Sequential, RandomApply, RandomChoice and RandomOrder; every_operation_test.cpp has what all operations
// must do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "transforms/distribution_for_test.hpp"
#include "transforms/run_for_test.hpp"
#include "transforms/sample_program.hpp"

namespace penstock::inline v0 {
namespace {

using test::make;
using test::run_on;
using test::TestImage;
using testing::HasSubstr;

HeldOperations held(std::vector<TransformPtr> operations) { return {std::move(operations)}; }

std::vector<std::int64_t> chosen_of(const TransformPtr& operation, std::uint64_t sample) {
  return test::value_of<std::vector<std::int64_t>>(test::drawn_by(operation, {31, 17}, sample), "chosen");
}

TEST(RandomApply, runs_all_or_none_with_the_given_probability) {
  const HeldOperations some =
      held({transforms::Resize{.size = {9, 8}}, make("RandomSolarize", {{"threshold", 99.0}, {"p", 1.0}})});
  const TestImage image = TestImage::noise({31, 17}, 1);
  EXPECT_EQ(run_on({make("RandomApply", {{"transforms", some}, {"p", 0.0}})}, image), image);
  EXPECT_EQ(run_on({make("RandomApply", {{"transforms", some}, {"p", 1.0}})}, image),
            run_on(some.list, image));
  const TransformPtr apply = make("RandomApply", {{"transforms", some}, {"p", 0.3}});
  int all = 0;
  constexpr int kCount = 4000;
  for (std::uint64_t sample = 0; sample < kCount; ++sample) {
    const auto chosen = chosen_of(apply, sample);
    ASSERT_TRUE(chosen.empty() || chosen == (std::vector<std::int64_t>{0, 1}));
    all += chosen.empty() ? 0 : 1;
  }
  EXPECT_NEAR(all, 0.3 * kCount, 4 * std::sqrt(kCount * 0.21));
}

TEST(RandomChoice, chooses_by_weight) {
  const HeldOperations some = held(
      {transforms::RandomHorizontalFlip{}, transforms::CenterCrop{.size = 8}, transforms::Resize{.size = 9}});
  const auto count = [](const TransformPtr& choice) {
    std::vector<int> counts(3, 0);
    for (std::uint64_t sample = 0; sample < 4000; ++sample) {
      const auto chosen = chosen_of(choice, sample);
      EXPECT_EQ(chosen.size(), 1u);
      ++counts[static_cast<std::size_t>(chosen[0])];
    }
    return counts;
  };
  for (const int each : count(make("RandomChoice", {{"transforms", some}}))) {
    EXPECT_NEAR(each, 4000 / 3.0, 4 * std::sqrt(4000 * 2 / 9.0));
  }
  const auto weighted =
      count(make("RandomChoice", {{"transforms", some}, {"p", std::vector<double>{0, 30, 10}}}));
  EXPECT_EQ(weighted[0], 0);
  EXPECT_NEAR(weighted[1], 3000, 4 * std::sqrt(4000 * 3 / 16.0));
  EXPECT_THAT(test::refusal("RandomChoice", {{"transforms", some}, {"p", 0.5}}),
              HasSubstr("1 numbers for 3"));
  EXPECT_THAT(test::refusal("RandomChoice", {{"transforms", some}, {"p", std::vector<double>{1, -1, 2}}}),
              HasSubstr("0 and above"));
  EXPECT_THAT(test::refusal("RandomChoice", {{"transforms", some}, {"p", std::vector<double>{0, 0, 0}}}),
              HasSubstr("above 0"));
}

TEST(RandomOrder, runs_all_in_each_order_as_often) {
  const HeldOperations some =
      held({transforms::RandomHorizontalFlip{}, make("RandomInvert"), make("RandomVerticalFlip")});
  const TransformPtr order = make("RandomOrder", {{"transforms", some}});
  std::map<std::vector<std::int64_t>, int> orders;
  for (std::uint64_t sample = 0; sample < 3000; ++sample) {
    ++orders[chosen_of(order, sample)];
  }
  std::vector<int> counts;
  for (const auto& each : orders) {
    counts.push_back(each.second);
  }
  EXPECT_EQ(counts.size(), 6u);
  EXPECT_LT(test::unevenness(counts), test::kUnevenness);
}

TEST(RandomOrder, is_the_list_in_the_drawn_order) {
  const std::vector<TransformPtr> list = {make("RandomSolarize", {{"threshold", 99.0}, {"p", 1.0}}),
                                          make("RandomPosterize", {{"bits", std::int64_t{2}}, {"p", 1.0}})};
  const TransformPtr order = make("RandomOrder", {{"transforms", held(list)}});
  const TestImage image = TestImage::noise({31, 17}, 1);
  const TestImage forth = run_on(list, image);
  const TestImage back = run_on({list[1], list[0]}, image);
  ASSERT_FALSE(forth == back);
  for (std::uint64_t sample = 0; sample < 16; ++sample) {
    EXPECT_EQ(run_on({order}, image, sample), chosen_of(order, sample)[0] == 0 ? forth : back);
  }
}

TEST(Sequential, is_the_list_that_it_holds) {
  const std::vector<TransformPtr> list = {transforms::Resize{.size = {12, 14}},
                                          transforms::RandomCrop{.size = 11},
                                          transforms::RandomHorizontalFlip{}};
  const TransformPtr nested = make(
      "RandomApply", {{"transforms", held({make("Sequential", {{"transforms", held(list)}})})}, {"p", 1.0}});
  const auto program = ImageProgram::compile({nested}, MemoryFormat::channels_last).value();
  EXPECT_THAT(program.describe(), HasSubstr("resize bilinear + crop + flip (p=0.5) + write"));
  const auto workspace = program.make_workspace();
  const TestImage image = TestImage::noise({31, 17}, 3);
  for (std::uint64_t sample = 0; sample < 8; ++sample) {
    ASSERT_TRUE(program.resolve(*workspace, image.size, {3, 4, sample}).ok());
    // What the innermost drew makes the same of the list itself.
    const Params outer = workspace->drawn[0]->values();
    const auto middle = test::value_of<HeldDrawn>(outer, "transforms");
    const auto inner = test::value_of<HeldDrawn>(middle.list.at(0).values, "transforms");
    const auto flat = ImageProgram::compile(list, MemoryFormat::channels_last).value();
    const auto again = flat.make_workspace();
    ASSERT_TRUE(flat.list().set(inner.list, again->drawn).ok());
    ASSERT_TRUE(flat.replay(*again, image.size).ok());
    std::vector<std::uint8_t> a(11 * 11 * 3), b(11 * 11 * 3);
    ASSERT_TRUE(program.run(*workspace, image.reader(), a.data()).ok());
    ASSERT_TRUE(flat.run(*again, image.reader(), b.data()).ok());
    EXPECT_EQ(a, b);
  }
}

TEST(CompositeOperation, describes_sizes_that_do_not_depend_on_the_draw) {
  const auto size_of_output = [](const TransformPtr& operation) {
    return ImageProgram::compile({transforms::CenterCrop{.size = 32}, operation}, MemoryFormat::channels_last)
        .value()
        .output()
        .size;
  };
  const TransformPtr small = transforms::CenterCrop{.size = 16};
  const TransformPtr flip = transforms::RandomHorizontalFlip{};
  EXPECT_EQ(size_of_output(make("RandomApply", {{"transforms", held({flip})}})), (ImageSize{32, 32}));
  EXPECT_EQ(size_of_output(make("RandomApply", {{"transforms", held({small})}})), (ImageSize{}));
  EXPECT_EQ(size_of_output(
                make("RandomChoice", {{"transforms", held({small, transforms::Resize{.size = {16, 16}}})}})),
            (ImageSize{16, 16}));
  EXPECT_EQ(size_of_output(make("RandomChoice", {{"transforms", held({small, flip})}})), (ImageSize{}));
  const auto any_order = [&](std::vector<TransformPtr> list) {
    return size_of_output(make("RandomOrder", {{"transforms", held(std::move(list))}}));
  };
  const TransformPtr pad = make("Pad", {{"padding", std::int64_t{2}}});
  EXPECT_EQ(any_order({flip, make("RandomInvert")}), (ImageSize{32, 32}));
  EXPECT_EQ(any_order({flip, small}), (ImageSize{16, 16}));
  EXPECT_EQ(any_order({flip, pad}), (ImageSize{36, 36}));
  EXPECT_EQ(any_order({small, pad}), (ImageSize{}));
}

TEST(CompositeOperation, held_operations_with_a_key_draw_as_everywhere) {
  const TransformPtr crop = make("RandomCrop", {{"size", std::int64_t{8}}, {"key", std::string("one")}});
  const TransformPtr other = transforms::RandomHorizontalFlip{};
  const std::vector<TransformPtr> list = {crop, make("Sequential", {{"transforms", held({other, crop})}})};
  const auto program =
      SampleProgram::compile({{"a", 0, {crop}}, {"b", 0, {list[1]}}}, {}, MemoryFormat::channels_last)
          .value();
  auto workspace = program.make_workspace();
  for (std::uint64_t sample = 0; sample < 4; ++sample) {
    ASSERT_TRUE(program.resolve(workspace, {31, 17}, {3, 4, sample}).ok());
    const auto nested = test::value_of<HeldDrawn>(workspace.views[1]->drawn[0]->values(), "transforms");
    EXPECT_EQ(nested.list.at(1).values, workspace.views[0]->drawn[0]->values());
  }
}

TEST(CompositeOperation, held_operations_draw_apart) {
  const TransformPtr erase = make("RandomErasing", {{"p", 1.0}, {"value", std::string("random")}});
  const TransformPtr apply = make("RandomApply", {{"transforms", held({erase, erase})}, {"p", 1.0}});
  const auto drawn = test::value_of<HeldDrawn>(test::drawn_by(apply, {31, 17}, 5), "transforms");
  EXPECT_NE(test::value_of<std::vector<double>>(drawn.list.at(0).values, "stream"),
            test::value_of<std::vector<double>>(drawn.list.at(1).values, "stream"));
}

TEST(CompositeOperation, refuses_what_it_cannot_hold) {
  const auto compiled = [](const TransformPtr& child) {
    const auto made =
        ImageProgram::compile({transforms::ToFloat{}, make("RandomApply", {{"transforms", held({child})}})},
                              MemoryFormat::channels_last);
    return made.ok() ? std::string() : made.error().to_string();
  };
  EXPECT_THAT(compiled(transforms::Normalize{.mean = {0.5}, .std = {0.5}}),
              HasSubstr("RandomApply holds Normalize, which changes the values of all images"));
  EXPECT_EQ(compiled(make("RandomErasing")), "");
  const auto floats = ImageProgram::compile(
      {make("RandomApply", {{"transforms", held({transforms::ToFloat{}})}})}, MemoryFormat::channels_last);
  EXPECT_THAT(floats.error().to_string(), HasSubstr("holds ToFloat"));
  EXPECT_THAT(test::refusal("RandomApply", {{"transforms", held({make("ToMono")})}}),
              HasSubstr("recordings"));
  EXPECT_THAT(test::refusal("RandomApply", {}), HasSubstr("transforms is required"));
  EXPECT_THAT(test::refusal("RandomApply", {{"transforms", std::int64_t{3}}}),
              HasSubstr("sequence of operations"));
}

TEST(CompositeOperation, refuses_params_that_were_never_drawn) {
  const TransformPtr apply =
      make("RandomApply", {{"transforms", held({transforms::RandomHorizontalFlip{}})}});
  const DrawnPtr drawn = apply->make_drawn();
  const HeldDrawn flip{{{"RandomHorizontalFlip", {{"apply", true}}}}};
  const auto set = [&](const Params& values) {
    const Status status = drawn->set("RandomApply", values);
    return status.ok() ? std::string() : status.error().to_string();
  };
  EXPECT_EQ(set({{"chosen", std::vector<std::int64_t>{0}}, {"transforms", flip}}), "");
  EXPECT_EQ(set({{"chosen", std::vector<std::int64_t>{}}, {"transforms", std::vector<std::int64_t>{}}}), "");
  EXPECT_THAT(set({{"chosen", std::vector<std::int64_t>{1}}, {"transforms", flip}}),
              HasSubstr("there are 1"));
  EXPECT_THAT(set({{"chosen", std::vector<std::int64_t>{-1}}, {"transforms", flip}}), HasSubstr("-1"));
  EXPECT_THAT(set({{"chosen", std::vector<std::int64_t>{0, 0}}, {"transforms", flip}}),
              HasSubstr("2 operations"));
  EXPECT_THAT(set({{"transforms", flip}}), HasSubstr("chosen"));
  EXPECT_THAT(set({{"chosen", std::vector<std::int64_t>{0}}}), HasSubstr("transforms"));
  EXPECT_THAT(set({{"chosen", std::vector<std::int64_t>{0}}, {"transforms", flip}, {"more", true}}),
              HasSubstr("unknown name more"));
  EXPECT_THAT(set({{"chosen", std::vector<std::int64_t>{0}}, {"transforms", HeldDrawn{{{"Resize", {}}}}}}),
              HasSubstr("params of Resize, where the list has RandomHorizontalFlip"));
}

}  // namespace
}  // namespace penstock::inline v0
