// TimmRandAugment and ThreeAugment: what they draw. python/tests/test_policies.py has their pixels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "transforms/distribution_for_test.hpp"
#include "transforms/image/timm_config.hpp"
#include "transforms/policy_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using test::make;
using test::number_of;
using test::steps_of;
using testing::HasSubstr;

constexpr ImageSize kTimmImage{200, 100};

TransformPtr timm(const std::string& config) { return make("TimmRandAugment", {{"config", config}}); }

std::map<std::string, std::vector<double>> numbers_of(const TransformPtr& policy, std::uint64_t samples) {
  std::map<std::string, std::vector<double>> numbers;
  for (std::uint64_t sample = 0; sample < samples; ++sample) {
    for (const NamedDrawn& step : steps_of(policy, kTimmImage, sample)) {
      numbers[step.operation].push_back(number_of(step));
    }
  }
  return numbers;
}

std::set<double> distinct(const std::vector<double>& numbers) { return {numbers.begin(), numbers.end()}; }

TEST(TimmConfig, reads_every_part_in_any_order) {
  const TimmConfig all = parse_timm_config("rand-m9-n3-mstd0.5-inc1-p0.25-mmax12-t3a").value();
  EXPECT_EQ(all.magnitude, 9);
  EXPECT_EQ(all.count, 3);
  EXPECT_EQ(all.deviation, 0.5);
  EXPECT_FALSE(all.uniform);
  EXPECT_TRUE(all.increasing);
  EXPECT_EQ(all.p, 0.25);
  EXPECT_EQ(all.max_magnitude, 12);
  EXPECT_EQ(all.set, TimmSet::three);
  const TimmConfig other = parse_timm_config("rand-tweights-mstd101-m7").value();
  EXPECT_TRUE(other.uniform);
  EXPECT_EQ(other.magnitude, 7);
  EXPECT_EQ(other.set, TimmSet::weighted);
  const TimmConfig none = parse_timm_config("rand").value();
  EXPECT_EQ(none.magnitude, 10);
  EXPECT_EQ(none.count, 2);
  EXPECT_EQ(none.p, 0.5);
  EXPECT_EQ(none.deviation, 0);
  EXPECT_EQ(none.max_magnitude, 10);
  EXPECT_FALSE(none.increasing);
}

TEST(TimmConfig, names_the_wrong_part) {
  const auto refused = [](const char* text) {
    return test::refusal("TimmRandAugment", {{"config", std::string(text)}});
  };
  EXPECT_EQ(refused("rand-m9-x3"),
            "TimmRandAugment: config 'rand-m9-x3': the part 'x3' is unknown; use m, n, p, mstd, mmax and inc "
            "with a number, and t with a name");
  EXPECT_THAT(refused("original-mstd0.5"), HasSubstr("the part 'original' must be 'rand'"));
  EXPECT_THAT(refused(""), HasSubstr("the part '' must be 'rand'"));
  EXPECT_THAT(refused("rand-m9.5"), HasSubstr("the part 'm9.5' must be m and an integer"));
  EXPECT_THAT(refused("rand-m"), HasSubstr("the part 'm' must be m and an integer"));
  EXPECT_THAT(refused("rand-p1.5"), HasSubstr("the part 'p1.5' must be p and a number from 0 to 1"));
  EXPECT_THAT(refused("rand-mstdinf"), HasSubstr("the part 'mstdinf' is unknown"));
  EXPECT_THAT(refused("rand-inc2"), HasSubstr("the part 'inc2' must be inc and an integer from 0 to 1"));
  EXPECT_THAT(refused("rand-t4a"), HasSubstr("the part 't4a' names no set"));
  EXPECT_THAT(refused("rand-m9-m8"), HasSubstr("the part 'm8' is the second one of m"));
  EXPECT_THAT(refused("rand-m9-"), HasSubstr("the part '' is empty"));
  EXPECT_THAT(refused("rand--m9"), HasSubstr("the part '' is unknown"));
  EXPECT_THAT(refused("rand-n20-tweights"), HasSubstr("20 operations without replacement, and there are 15"));
}

TEST(TimmRandAugment, draws_operations_evenly_and_each_with_its_probability) {
  std::map<std::string, int> operations;
  std::array<int, 3> lengths{};
  const TransformPtr policy = timm("rand-m9-n2-mstd0.5-inc1");
  for (std::uint64_t sample = 0; sample < 12000; ++sample) {
    const auto steps = steps_of(policy, kTimmImage, sample);
    ++lengths[steps.size()];
    for (const NamedDrawn& step : steps) {
      ++operations[step.operation];
    }
  }
  std::vector<int> counts;
  for (const auto& each : operations) {
    counts.push_back(each.second);
  }
  EXPECT_EQ(counts.size(), 15u);
  EXPECT_LT(test::unevenness(counts), test::kUnevenness);
  const int of_equal_cells[] = {lengths[0], lengths[2], (lengths[1] + 1) / 2, lengths[1] / 2};
  EXPECT_LT(test::unevenness(of_equal_cells), test::kUnevenness);
}

TEST(TimmRandAugment, turns_a_level_into_numbers_as_timm_does) {
  const auto plain = numbers_of(timm("rand-m7-p1"), 1500);
  const auto wanted = [](std::initializer_list<double> values) { return std::set<double>(values); };
  EXPECT_EQ(distinct(plain.at("Rotate")), wanted({0.7 * 30, -0.7 * 30}));
  EXPECT_EQ(distinct(plain.at("ShearY")), wanted({0.7 * 0.3, -0.7 * 0.3}));
  EXPECT_EQ(distinct(plain.at("TranslateX")), wanted({0.7 * 0.45 * 200, -0.7 * 0.45 * 200}));
  EXPECT_EQ(distinct(plain.at("TranslateY")), wanted({0.7 * 0.45 * 100, -0.7 * 0.45 * 100}));
  EXPECT_EQ(distinct(plain.at("Color")), wanted({0.7 * 1.8 + 0.1}));
  EXPECT_EQ(distinct(plain.at("Posterize")), wanted({2}));
  EXPECT_EQ(distinct(plain.at("Solarize")), wanted({179}));
  EXPECT_EQ(distinct(plain.at("SolarizeAdd")), wanted({77}));
  const auto increasing = numbers_of(timm("rand-m7-p1-inc1"), 1500);
  EXPECT_EQ(distinct(increasing.at("Color")), wanted({1 + 0.7 * 0.9, 1 - 0.7 * 0.9}));
  EXPECT_EQ(distinct(increasing.at("Posterize")), wanted({2}));
  EXPECT_EQ(distinct(increasing.at("Solarize")), wanted({256 - 179}));
  EXPECT_EQ(distinct(increasing.at("SolarizeAdd")), wanted({77}));
  const auto three = numbers_of(timm("rand-m7-p1-t3a"), 300);
  EXPECT_EQ(three.size(), 3u);
  EXPECT_EQ(distinct(three.at("Desaturate")), wanted({1 - (0.5 + 0.5 * 0.7)}));
  EXPECT_EQ(distinct(three.at("GaussianBlur")), wanted({0.1 + (2.0 - 0.1) * 0.7}));
  // Beyond the usual maximum nothing is left of bits, and all is solarized.
  const auto strong = numbers_of(timm("rand-m30-mmax30-p1-inc1"), 300);
  EXPECT_EQ(distinct(strong.at("Posterize")), wanted({0}));
  EXPECT_EQ(distinct(strong.at("Solarize")), wanted({0}));
  EXPECT_EQ(distinct(numbers_of(timm("rand-m30-p1"), 300).at("Rotate")), wanted({30, -30}));
}

TEST(TimmRandAugment, draws_magnitudes_as_mstd_says) {
  std::vector<double> magnitudes;
  const auto uniform = numbers_of(timm("rand-m8-mstd101-p1-n15"), 2000);
  for (const double degrees : uniform.at("Rotate")) {
    magnitudes.push_back(std::abs(degrees) / 3);
  }
  EXPECT_LT(test::uniform_distance(magnitudes, 0, 8), test::kUniformDistance);
  std::vector<double> shares;
  const auto normal = numbers_of(timm("rand-m5-mstd0.5-p1-n15"), 2000);
  for (const double degrees : normal.at("Rotate")) {
    shares.push_back(0.5 * std::erfc((5 - std::abs(degrees) / 3) / 0.5 / std::sqrt(2.0)));
  }
  EXPECT_LT(test::uniform_distance(shares, 0, 1), test::kUniformDistance);
}

TEST(TimmRandAugment, draws_by_weight_without_replacement) {
  std::map<std::string, int> first;
  constexpr int kSamples = 8000;
  for (std::uint64_t sample = 0; sample < kSamples; ++sample) {
    const auto steps = steps_of(timm("rand-tweights-n3-p1"), kTimmImage, sample);
    ASSERT_EQ(steps.size(), 3u);
    EXPECT_EQ(std::set<std::string>({steps[0].operation, steps[1].operation, steps[2].operation}).size(), 3u);
    ++first[steps[0].operation];
  }
  constexpr double kSum = 10.1;
  for (const auto& [name, weight] : std::map<std::string, double>{
           {"Rotate", 3}, {"ShearX", 2}, {"TranslateY", 1}, {"Sharpness", 0.25}, {"Invert", 0.05}}) {
    const double share = weight / kSum;
    EXPECT_NEAR(first[name], kSamples * share, 4 * std::sqrt(kSamples * share * (1 - share))) << name;
  }
  EXPECT_EQ(numbers_of(timm("rand-t3aw-n14-p1"), 1).size(), 14u);
}

TEST(TimmRandAugment, draws_the_filter_unless_one_is_given) {
  const auto filters = [](const TransformPtr& policy) {
    std::map<std::string, int> counts;
    for (std::uint64_t sample = 0; sample < 2000; ++sample) {
      for (const NamedDrawn& step : steps_of(policy, kTimmImage, sample)) {
        if (step.operation == "Rotate") {
          ++counts[step.values.size() > 1 ? std::get<std::string>(step.values.back().second) : "none"];
        }
      }
    }
    return counts;
  };
  const auto random = filters(timm("rand-p1"));
  EXPECT_EQ(random.size(), 2u);
  const int counts[] = {random.at("bilinear"), random.at("bicubic")};
  EXPECT_LT(test::unevenness(counts), test::kUnevenness);
  const auto fixed = filters(make(
      "TimmRandAugment", {{"config", std::string("rand-p1")}, {"interpolation", std::string("bicubic")}}));
  EXPECT_EQ(fixed.size(), 1u);
  EXPECT_EQ(fixed.count("none"), 1u);
}

TEST(ThreeAugment, draws_one_of_three_then_three_factors_in_any_order) {
  std::map<std::string, int> first;
  std::map<std::string, int> orders;
  std::vector<double> radii, factors;
  for (std::uint64_t sample = 0; sample < 6000; ++sample) {
    const auto steps = steps_of(make("ThreeAugment"), kTimmImage, sample);
    ASSERT_EQ(steps.size(), 4u);
    ++first[steps[0].operation];
    if (steps[0].operation == "GaussianBlur") {
      radii.push_back(number_of(steps[0]));
    } else {
      EXPECT_EQ(number_of(steps[0]), steps[0].operation == "Solarize" ? 128 : 0);
    }
    ++orders[steps[1].operation + steps[2].operation + steps[3].operation];
    factors.push_back(number_of(steps[1]));
  }
  const int of_three[] = {first["Grayscale"], first["Solarize"], first["GaussianBlur"]};
  EXPECT_EQ(first.size(), 3u);
  EXPECT_LT(test::unevenness(of_three), test::kUnevenness);
  std::vector<int> counts;
  for (const auto& each : orders) {
    counts.push_back(each.second);
  }
  EXPECT_EQ(counts.size(), 6u);
  EXPECT_LT(test::unevenness(counts), test::kUnevenness);
  EXPECT_LT(test::uniform_distance(radii, 0.1, 2), test::kUniformDistance);
  EXPECT_LT(test::uniform_distance(factors, 0.7, 1.3), test::kUniformDistance);
  EXPECT_EQ(steps_of(make("ThreeAugment", {{"color_jitter", std::monostate{}}}), kTimmImage, 1).size(), 1u);
  EXPECT_THAT(test::refusal("ThreeAugment", {{"color_jitter", -0.1}}), HasSubstr("color_jitter must be"));
}

}  // namespace
}  // namespace penstock::inline v0
