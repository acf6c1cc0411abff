#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "transforms/distribution_for_test.hpp"
#include "transforms/policy_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using test::make;
using test::TestImage;
using testing::HasSubstr;
using Numbers = std::vector<double>;

TEST(AugMix, draws_weights_depths_operations_and_magnitudes_evenly) {
  const TransformPtr mix = make("AugMix");
  std::vector<double> of_image, of_chain;
  std::array<int, 3> depths{};
  std::map<std::string, int> operations;
  std::array<int, 3> turns{};
  for (std::uint64_t sample = 0; sample < 4000; ++sample) {
    const Params drawn = test::drawn_by(mix, {90, 60}, sample);
    const auto weights = test::value_of<Numbers>(drawn, "weights");
    ASSERT_EQ(weights.size(), 4u);
    EXPECT_NEAR(weights[0] + weights[1] + weights[2] + weights[3], 1.0, 1e-6);
    of_image.push_back(weights[0]);
    // The smaller of two parts of Dirichlet(1, 1, 1) is below x with probability 1 - (1 - x)^2.
    const double share = weights[1] / (1 - weights[0]);
    of_chain.push_back(1 - (1 - share) * (1 - share));
    std::int64_t left = 0;
    for (const std::int64_t depth : test::value_of<std::vector<std::int64_t>>(drawn, "depths")) {
      ++depths[static_cast<std::size_t>(depth - 1)];
      left += depth;
    }
    const auto steps = test::value_of<HeldDrawn>(drawn, "operations").list;
    EXPECT_EQ(steps.size(), static_cast<std::size_t>(left));
    for (const NamedDrawn& step : steps) {
      ++operations[step.operation];
      if (step.operation == "Rotate") {
        ++turns[static_cast<std::size_t>(std::lround(std::abs(test::number_of(step)) * 9 / 30))];
      }
    }
  }
  EXPECT_LT(test::uniform_distance(of_image, 0, 1), test::kUniformDistance);
  EXPECT_LT(test::uniform_distance(of_chain, 0, 1), test::kUniformDistance);
  EXPECT_LT(test::unevenness(depths), test::kUnevenness);
  EXPECT_LT(test::unevenness(turns), test::kUnevenness);
  std::vector<int> counts;
  for (const auto& each : operations) {
    counts.push_back(each.second);
  }
  EXPECT_EQ(counts.size(), 13u);
  EXPECT_LT(test::unevenness(counts), test::kUnevenness);
}

TEST(AugMix, leaves_colours_alone_if_asked_to) {
  const TransformPtr mix = make("AugMix", {{"all_ops", false}, {"chain_depth", std::int64_t{4}}});
  for (std::uint64_t sample = 0; sample < 200; ++sample) {
    const auto steps = test::steps_of(mix, {90, 60}, sample);
    EXPECT_EQ(steps.size(), 12u);
    for (const NamedDrawn& step : steps) {
      for (const char* name : {"Brightness", "Color", "Contrast", "Sharpness"}) {
        EXPECT_NE(step.operation, name);
      }
    }
  }
}

/// What AugMix makes of an image when it draws this.
TestImage mixed(const TestImage& image, const Params& drawn) {
  const auto program =
      ImageProgram::compile({make("AugMix")}, MemoryFormat::channels_last, Fuse::exact,
                            {.input = {.size = {}, .type = ElementType::uint8, .channels = image.channels}})
          .value();
  const auto workspace = program.make_workspace();
  const Status set = program.list().set({{{"AugMix", drawn}}}, workspace->drawn);
  EXPECT_TRUE(set.ok()) << set.error().to_string();
  EXPECT_TRUE(program.replay(*workspace, image.size).ok());
  TestImage out = image;
  EXPECT_TRUE(program.run(*workspace, image.reader(), out.bytes.data()).ok());
  return out;
}

TEST(AugMix, mixes_the_image_with_what_each_chain_makes_of_it) {
  const HeldDrawn steps{{{"Invert", {}},
                         {"Posterize", {{"bits", std::int64_t{3}}}},
                         {"Equalize", {}},
                         {"TranslateX", {{"pixels", 5.0}}},
                         {"Color", {{"factor", 0.5}}}}};
  for (const int channels : {1, 3, 4}) {
    const TestImage image = TestImage::noise({37, 23}, 8, channels);
    const Numbers weights = {0.4F, 0.1F, 0.3F, 0.2F};
    const auto alone = [&](std::vector<NamedDrawn> chain) {
      const auto depth = static_cast<std::int64_t>(chain.size());
      return mixed(image, {{"weights", Numbers{0, 1}},
                           {"depths", std::vector<std::int64_t>{depth}},
                           {"operations", HeldDrawn{std::move(chain)}}});
    };
    const TestImage chains[] = {image, alone({steps.list[0]}), alone({steps.list[1], steps.list[2]}),
                                alone({steps.list[3], steps.list[4]})};
    EXPECT_EQ(chains[1], test::run_on({make("RandomInvert", {{"p", 1.0}})}, image));
    TestImage wanted = image;
    for (std::size_t i = 0; i < wanted.bytes.size(); ++i) {
      float sum = 0;
      for (std::size_t k = 0; k < 4; ++k) {
        sum += static_cast<float>(weights[k]) * static_cast<float>(chains[k].bytes[i]);
      }
      wanted.bytes[i] = static_cast<std::uint8_t>(sum);
    }
    EXPECT_EQ(
        mixed(image,
              {{"weights", weights}, {"depths", std::vector<std::int64_t>{1, 2, 2}}, {"operations", steps}}),
        wanted)
        << channels << " channels";
  }
}

TEST(AugMix, refuses_params_that_were_never_drawn) {
  const auto given = [](Numbers weights, std::vector<std::int64_t> depths) {
    const auto program = ImageProgram::compile({make("AugMix")}, MemoryFormat::channels_last).value();
    const auto workspace = program.make_workspace();
    const Status set =
        program.list().set({{{"AugMix",
                              {{"weights", std::move(weights)},
                               {"depths", std::move(depths)},
                               {"operations", HeldDrawn{{{"Invert", {}}, {"Equalize", {}}}}}}}}},
                           workspace->drawn);
    EXPECT_TRUE(set.ok());
    const auto planned = program.replay(*workspace, {9, 9});
    return planned.ok() ? std::string() : planned.error().to_string();
  };
  EXPECT_EQ(given({0.5, 0.5}, {2}), "");
  EXPECT_THAT(given({0.5, 0.5, 0.5}, {2}), HasSubstr("weights must have one number for the image"));
  EXPECT_THAT(given({}, {}), HasSubstr("weights must have"));
  EXPECT_THAT(given({0.5, 0.5}, {3}), HasSubstr("depths must be"));
  EXPECT_THAT(given({0.5, 0.5}, {-1}), HasSubstr("depths must be"));
  EXPECT_THAT(given({0.5, -0.5}, {2}), HasSubstr("weights must be between 0 and 1"));
}

TEST(AugMix, refuses_impossible_parameters) {
  using test::refusal;
  EXPECT_THAT(refusal("AugMix", {{"severity", std::int64_t{11}}}),
              HasSubstr("severity must be between 1 and 10"));
  EXPECT_THAT(refusal("AugMix", {{"mixture_width", std::int64_t{0}}}), HasSubstr("mixture_width must be"));
  for (const std::int64_t depth : {-2, 0, 101}) {
    EXPECT_THAT(refusal("AugMix", {{"chain_depth", depth}}), HasSubstr("chain_depth must be -1 or between"));
  }
  EXPECT_THAT(refusal("AugMix", {{"alpha", 0.0}}), HasSubstr("alpha must be positive, got 0"));
}

}  // namespace
}  // namespace penstock::inline v0
