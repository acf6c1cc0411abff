// AutoAugment, RandAugment and TrivialAugmentWide: what they draw, and how it is planned.
// python/tests/test_policies.py compares pixels with torchvision.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "transforms/distribution_for_test.hpp"
#include "transforms/image/policy_operation.hpp"
#include "transforms/policy_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using test::make;
using test::number_of;
using test::steps_of;
using test::TestImage;
using testing::HasSubstr;

constexpr ImageSize kImage{331, 100};

int policy_op(const std::string& name) {
  for (int i = 0; i <= static_cast<int>(PolicyOp::gaussian_blur); ++i) {
    if (name_of(static_cast<PolicyOp>(i)) == name) {
      return i;
    }
  }
  ADD_FAILURE() << name;
  return 0;
}

TEST(RandAugment, draws_each_operation_and_sign_as_often) {
  const TransformPtr policy = make("RandAugment", {{"num_ops", std::int64_t{3}}});
  std::array<std::array<int, 14>, 3> counts{};
  std::array<int, 2> signs{};
  for (std::uint64_t sample = 0; sample < 6000; ++sample) {
    const auto steps = steps_of(policy, kImage, sample);
    ASSERT_EQ(steps.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
      const auto* const found = std::find(std::begin(kRandAugmentOps), std::end(kRandAugmentOps),
                                          static_cast<PolicyOp>(policy_op(steps[i].operation)));
      ASSERT_NE(found, std::end(kRandAugmentOps));
      ++counts[i][static_cast<std::size_t>(found - std::begin(kRandAugmentOps))];
      if (steps[i].operation == "Rotate") {
        ++signs[number_of(steps[i]) < 0 ? 1 : 0];
      }
    }
  }
  for (const auto& at_place : counts) {
    EXPECT_LT(test::unevenness(at_place), test::kUnevenness);
  }
  EXPECT_LT(test::unevenness(signs), test::kUnevenness);
}

TEST(RandAugment, has_the_magnitudes_of_its_bin) {
  const TransformPtr policy = make("RandAugment");
  std::map<std::string, std::set<double>> found;
  for (std::uint64_t sample = 0; sample < 500; ++sample) {
    for (const NamedDrawn& step : steps_of(policy, kImage, sample)) {
      found[step.operation].insert(std::abs(number_of(step)));
    }
  }
  EXPECT_EQ(found.size(), 14u);
  const double enhance = static_cast<float>(0.9F * 9.0 / 30.0);
  const std::map<std::string, std::set<double>> wanted = {
      {"ShearX", {0.09F}},
      {"ShearY", {0.09F}},
      {"TranslateX", {45}},  // 150 / 331 of the width at most, 9 of 30 of that
      {"TranslateY", {13}},
      {"Rotate", {9}},
      {"Brightness", {1 + enhance, 1 - enhance}},
      {"Color", {1 + enhance, 1 - enhance}},
      {"Contrast", {1 + enhance, 1 - enhance}},
      {"Sharpness", {1 + enhance, 1 - enhance}},
      {"Posterize", {7}},
      {"Solarize", {255.0 * 0.7F}}};
  for (const auto& [name, values] : wanted) {
    EXPECT_EQ(found[name], values) << name;
  }
}

TEST(TrivialAugmentWide, draws_each_operation_and_magnitude_as_often) {
  const TransformPtr policy = make("TrivialAugmentWide");
  std::map<std::string, int> operations;
  std::array<int, 31> turns{};
  for (std::uint64_t sample = 0; sample < 20000; ++sample) {
    const auto steps = steps_of(policy, kImage, sample);
    ASSERT_EQ(steps.size(), 1u);
    ++operations[steps[0].operation];
    if (steps[0].operation == "Rotate") {
      const double bin = std::abs(number_of(steps[0])) * 30 / 135;
      ASSERT_EQ(bin, std::round(bin));
      ++turns[static_cast<std::size_t>(bin)];
    }
  }
  std::vector<int> counts;
  for (const auto& each : operations) {
    counts.push_back(each.second);
  }
  EXPECT_EQ(counts.size(), 14u);
  EXPECT_LT(test::unevenness(counts), test::kUnevenness);
  EXPECT_LT(test::unevenness(turns), test::kUnevenness);
}

TEST(TrivialAugmentWide, is_stronger_for_larger_magnitudes_up_to_its_bounds) {
  std::map<std::string, std::pair<double, double>> ranges;
  for (std::uint64_t sample = 0; sample < 20000; ++sample) {
    const auto step = steps_of(make("TrivialAugmentWide"), kImage, sample).at(0);
    const double number = number_of(step);
    auto [entry, is_new] = ranges.try_emplace(step.operation, number, number);
    entry->second.first = std::min(entry->second.first, number);
    entry->second.second = std::max(entry->second.second, number);
  }
  const auto expect = [&](const char* name, double low, double high) {
    EXPECT_NEAR(ranges[name].first, low, 1e-6) << name;  // floats, of which factors add one
    EXPECT_NEAR(ranges[name].second, high, 1e-5) << name;
  };
  expect("ShearX", -0.99, 0.99);
  expect("TranslateY", -32, 32);
  expect("Rotate", -135, 135);
  expect("Sharpness", 0.01, 1.99);
  expect("Posterize", 2, 8);
  expect("Solarize", 0, 255);
}

TEST(AutoAugment, reaches_every_operation_of_its_pairs) {
  const std::map<std::string, std::set<std::string>> wanted = {
      {"imagenet",
       {"Posterize", "Rotate", "Solarize", "AutoContrast", "Equalize", "Color", "Contrast", "Sharpness",
        "Invert", "ShearX"}},
      {"cifar10",
       {"Invert", "Contrast", "Rotate", "TranslateX", "TranslateY", "Sharpness", "ShearY", "AutoContrast",
        "Equalize", "Posterize", "Color", "Brightness", "Solarize"}},
      {"svhn",
       {"ShearX", "ShearY", "Invert", "Equalize", "Solarize", "Rotate", "AutoContrast", "TranslateX",
        "TranslateY", "Contrast"}}};
  for (const auto& [name, operations] : wanted) {
    const TransformPtr policy = make("AutoAugment", {{"policy", name}});
    std::set<std::string> found;
    std::array<int, 3> lengths{};
    for (std::uint64_t sample = 0; sample < 3000; ++sample) {
      const auto steps = steps_of(policy, kImage, sample);
      ASSERT_LE(steps.size(), 2u);
      ++lengths[steps.size()];
      for (const NamedDrawn& step : steps) {
        found.insert(step.operation);
      }
    }
    EXPECT_EQ(found, operations) << name;
    for (const int count : lengths) {
      EXPECT_GT(count, 100) << name;
    }
  }
}

TEST(Policies, magnitudes_are_correctly_rounded_floats) {
  EXPECT_EQ(linspace_float(0, 0.3, 31, 9), 0.09F);
  EXPECT_EQ(linspace_float(0, 0.9, 31, 9), 0.26999998F);
  EXPECT_EQ(linspace_float(0, 0.9, 31, 30), 0.9F);
  EXPECT_EQ(linspace_float(1, 0, 10, 0), 1.0);
  EXPECT_EQ(linspace_float(1, 0, 10, 9), 0.0);
  EXPECT_EQ(linspace_float(1, 0, 10, 6), static_cast<float>(1.0 / 3.0));
}

/// What one step makes of an image.
TestImage after(const TestImage& image, PolicyStep step, transforms::Interpolation filter,
                bool as_warp = false) {
  const ImageSpec spec{.size = image.size, .type = ElementType::uint8, .channels = image.channels};
  const PixelBytes fill = {10, 20, 30, 40};
  ImageEdits edits;
  if (as_warp) {
    const bool across = step.op == PolicyOp::translate_x;
    edits.push_back(WarpEdit{
        image.size, {{1, 0, across ? -step.number : 0, 0, 1, across ? 0 : -step.number}, filter, fill}});
  } else {
    push_steps(spec, {&step, 1}, {.filter = filter, .fill = fill}, edits);
  }
  std::vector<Pass> passes;
  MirrorTest mirrors;
  plan_passes(image.size, edits, Fuse::exact, mirrors, passes);
  PassRunner runner(image.channels, ElementType::uint8);
  TestImage out = TestImage::filled(image.size, 0, image.channels);
  EXPECT_TRUE(runner
                  .run(passes, edits, image.reader(),
                       {.data = out.bytes.data(),
                        .size = image.size,
                        .type = ElementType::uint8,
                        .format = MemoryFormat::channels_last,
                        .floats = nullptr,
                        .channels = image.channels,
                        .from = ElementType::uint8})
                  .ok());
  return out;
}

TEST(Policies, whole_pixels_are_moved_as_a_warp_moves_them) {
  using transforms::Interpolation;
  for (const int channels : {1, 3, 4}) {
    const TestImage image = TestImage::noise({23, 17}, 3, channels);
    for (const auto filter : {Interpolation::nearest, Interpolation::bilinear, Interpolation::bicubic}) {
      for (const auto op : {PolicyOp::translate_x, PolicyOp::translate_y}) {
        for (const double pixels : {0.0, 1.0, -1.0, 16.0, -16.0, 17.0, -22.0, 23.0, 40.0, -500.0}) {
          EXPECT_EQ(after(image, {op, pixels}, filter), after(image, {op, pixels}, filter, true))
              << channels << " channels, " << pixels;
        }
      }
    }
  }
}

TEST(Policies, plan_what_the_operations_of_the_catalogue_plan) {
  const TestImage image = TestImage::noise({23, 17}, 4);
  const auto alone = [&](const char* name, const Params& params) {
    return test::run_on({make(name, params)}, image);
  };
  const auto step = [&](PolicyOp op, double number) {
    return after(image, {op, number}, transforms::Interpolation::nearest);
  };
  EXPECT_EQ(step(PolicyOp::posterize, 3), alone("RandomPosterize", {{"bits", std::int64_t{3}}, {"p", 1.0}}));
  EXPECT_EQ(step(PolicyOp::solarize, 99.5), alone("RandomSolarize", {{"threshold", 99.5}, {"p", 1.0}}));
  EXPECT_EQ(step(PolicyOp::auto_contrast, 0), alone("RandomAutocontrast", {{"p", 1.0}}));
  EXPECT_EQ(step(PolicyOp::equalize, 0), alone("RandomEqualize", {{"p", 1.0}}));
  EXPECT_EQ(step(PolicyOp::invert, 0), alone("RandomInvert", {{"p", 1.0}}));
  EXPECT_EQ(step(PolicyOp::grayscale, 0), alone("RandomGrayscale", {{"p", 1.0}}));
  EXPECT_EQ(step(PolicyOp::gaussian_blur, 1.5), alone("PillowGaussianBlur", {{"radius", 1.5}}));
  EXPECT_EQ(step(PolicyOp::sharpness, 1.5),
            alone("RandomAdjustSharpness", {{"sharpness_factor", 1.5}, {"p", 1.0}}));
  EXPECT_EQ(step(PolicyOp::color, 0.5),
            alone("ColorJitter", {{"saturation", std::vector<double>{0.5, 0.5}}}));
  EXPECT_EQ(step(PolicyOp::contrast, 1.5),
            alone("ColorJitter", {{"contrast", std::vector<double>{1.5, 1.5}}}));
  EXPECT_EQ(step(PolicyOp::brightness, 1.5),
            alone("ColorJitter", {{"brightness", std::vector<double>{1.5, 1.5}}}));
  const std::uint8_t below = step(PolicyOp::solarize_add, 30).bytes[0];
  const std::uint8_t value = image.bytes[0];
  EXPECT_EQ(below, value < 128 ? value + 30 : value);
  EXPECT_EQ(step(PolicyOp::identity, 0), image);
}

TEST(Policies, refuse_params_that_were_never_drawn) {
  const TransformPtr policy = make("RandAugment");
  const auto given = [&](const NamedDrawn& step) {
    const auto program = ImageProgram::compile({policy}, MemoryFormat::channels_last).value();
    const auto workspace = program.make_workspace();
    const Status set =
        program.list().set({{{"RandAugment", {{"operations", HeldDrawn{{step}}}}}}}, workspace->drawn);
    if (!set.ok()) {
      return set.error().to_string();
    }
    const auto planned = program.replay(*workspace, {9, 9});
    return planned.ok() ? std::string() : planned.error().to_string();
  };
  EXPECT_EQ(given({"Rotate", {{"degrees", 30.0}}}), "");
  EXPECT_EQ(given({"Rotate", {{"degrees", std::int64_t{30}}, {"interpolation", std::string("bilinear")}}}),
            "");
  EXPECT_THAT(given({"Rotate", {}}), HasSubstr("operations must be a sequence of {'op': name, ...}"));
  EXPECT_THAT(given({"Rotate", {{"degrees", 30.0}, {"factor", 1.0}}}), HasSubstr("operations must be"));
  EXPECT_THAT(given({"Turn", {{"degrees", 30.0}}}), HasSubstr("operations must be"));
  EXPECT_THAT(given({"Posterize", {{"bits", 2.5}}}),
              HasSubstr("bits of Posterize must be an integer between 0 and 8, got 2.5"));
  EXPECT_THAT(given({"Brightness", {{"factor", HUGE_VAL}}}), HasSubstr("factor of Brightness must be"));
  EXPECT_THAT(given({"ShearX", {{"factor", std::nan("")}}}), HasSubstr("factor of ShearX must be"));
  EXPECT_THAT(given({"Rotate", {{"degrees", 3.0}, {"interpolation", std::string("lanczos")}}}),
              HasSubstr("must be nearest, bilinear or bicubic"));
}

TEST(Policies, refuse_impossible_parameters) {
  using test::refusal;
  EXPECT_THAT(refusal("RandAugment", {{"num_ops", std::int64_t{-1}}}),
              HasSubstr("num_ops must be between 0"));
  EXPECT_THAT(refusal("RandAugment", {{"magnitude", std::int64_t{31}}}),
              HasSubstr("magnitude must be between 0 and 30, got 31"));
  EXPECT_THAT(refusal("TrivialAugmentWide", {{"num_magnitude_bins", std::int64_t{1}}}),
              HasSubstr("num_magnitude_bins must be between 2"));
  EXPECT_THAT(refusal("AutoAugment", {{"policy", std::string("mnist")}}),
              HasSubstr("policy must be 'imagenet', 'cifar10' or 'svhn'"));
  EXPECT_THAT(refusal("AutoAugment", {{"interpolation", std::string("box")}}),
              HasSubstr("for resizing alone"));
  EXPECT_THAT(refusal("AutoAugment", {{"fill", std::int64_t{-1}}}), HasSubstr("fill must be between"));
}

}  // namespace
}  // namespace penstock::inline v0
