// What operations draw follows the distributions that docs/design and torchvision state: one table of them,
// compared by Kolmogorov and Smirnov's test, by chi-square for choices. Seeds are fixed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "transforms/run_for_test.hpp"

namespace penstock::inline v0 {
namespace {

constexpr std::uint64_t kSamples = 4000;

struct Drawing {
  const char* operation;
  Params params;
  const char* name;  ///< of what is drawn
  enum class Law { chance, uniform, choice } law;
  double low = 0;   ///< uniform: from; chance: p
  double high = 0;  ///< uniform: to; choice: how many there are
};

std::vector<Drawing> drawings() {
  using Law = Drawing::Law;
  const auto pair = [](double low, double high) { return std::vector<double>{low, high}; };
  return {
      {"RandomSolarize", {{"threshold", 9.0}}, "apply", Law::chance, 0.5},
      {"RandomPosterize", {{"bits", std::int64_t{3}}, {"p", 0.3}}, "apply", Law::chance, 0.3},
      {"RandomInvert", {}, "apply", Law::chance, 0.5},
      {"RandomAutocontrast", {}, "apply", Law::chance, 0.5},
      {"RandomEqualize", {}, "apply", Law::chance, 0.5},
      {"RandomBrightness", {{"p", 0.7}}, "apply", Law::chance, 0.7},
      {"RandomBrightness", {}, "factor", Law::uniform, 0.6, 1.4},
      {"RandomContrast", {{"scale_range", pair(0.2, 3)}}, "factor", Law::uniform, 0.2, 3},
      {"Gamma", {{"gamma", pair(0.5, 2)}}, "gamma", Law::uniform, 0.5, 2},
      {"ColorJitter", {{"brightness", 0.4}}, "brightness", Law::uniform, 0.6, 1.4},
      {"ColorJitter", {{"brightness", 2.0}}, "brightness", Law::uniform, 0, 3},
      {"ColorJitter", {{"contrast", pair(0.5, 0.9)}}, "contrast", Law::uniform, 0.5, 0.9},
      {"ColorJitter", {{"saturation", 0.4}}, "saturation", Law::uniform, 0.6, 1.4},
      {"ColorJitter", {{"hue", 0.1}}, "hue", Law::uniform, -0.1, 0.1},
      {"ColorJitter", {}, "order", Law::choice, 0, 24},
      {"PillowGaussianBlur", {}, "radius", Law::uniform, 0.1, 2},
      {"PillowGaussianBlur", {{"p", 0.2}}, "apply", Law::chance, 0.2},
      {"RandomErasing", {{"p", 0.3}}, "apply", Law::chance, 0.3},
      {"RandomRotation", {{"degrees", 30.0}}, "angle", Law::uniform, -30, 30},
      {"RandomRotation", {{"degrees", pair(-10, 80)}}, "angle", Law::uniform, -10, 80},
      {"RandomCrop", {{"size", std::int64_t{140}}}, "top", Law::choice, 0, 11},
      {"RandomCrop", {{"size", std::int64_t{140}}}, "left", Law::choice, 0, 61},
      {"Cutout", {{"crop_size", std::int64_t{140}}}, "top", Law::choice, 0, 11},
      {"Cutout", {{"crop_size", std::int64_t{140}}}, "left", Law::choice, 0, 61},
      {"GridMask", {{"unit_size", pair(20, 29)}}, "unit", Law::choice, 0, 10},
      {"GridMask", {{"unit_size", pair(20, 20)}}, "top", Law::choice, 0, 20},
      {"GridMask", {}, "apply", Law::chance, 0.5},
      {"RandomPatchShuffle", {{"sizes", 0.5}}, "apply", Law::chance, 0.5},
      {"RandomPatchShuffle", {{"sizes", 0.5}, {"p", 1.0}}, "permutation", Law::choice, 0, 24},
      {"RandomAdjustSharpness", {{"sharpness_factor", 2.0}}, "apply", Law::chance, 0.5},
      {"RandomGrayscale", {}, "apply", Law::chance, 0.1},
      {"RandomChannelPermutation", {}, "permutation", Law::choice, 0, 6},
      {"RandomPhotometricDistort", {}, "apply_brightness", Law::chance, 0.5},
      {"RandomPhotometricDistort", {{"p", 0.8}}, "apply_contrast", Law::chance, 0.8},
      {"RandomPhotometricDistort", {{"p", 0.8}}, "apply_saturation", Law::chance, 0.8},
      {"RandomPhotometricDistort", {{"p", 0.8}}, "apply_hue", Law::chance, 0.8},
      {"RandomPhotometricDistort", {{"p", 0.8}}, "contrast_before", Law::chance, 0.5},
      {"RandomPhotometricDistort", {{"p", 0.8}}, "permute", Law::chance, 0.8},
      {"RandomPhotometricDistort", {}, "permutation", Law::choice, 0, 6},
      {"RandomPhotometricDistort", {}, "brightness", Law::uniform, 0.875, 1.125},
      {"RandomPhotometricDistort", {}, "contrast", Law::uniform, 0.5, 1.5},
      {"RandomPhotometricDistort", {}, "saturation", Law::uniform, 0.5, 1.5},
      {"RandomPhotometricDistort", {}, "hue", Law::uniform, -0.05, 0.05},
      {"RandomColorJitterHSV", {{"p", 0.6}}, "apply", Law::chance, 0.6},
      {"RandomColorJitterHSV", {{"value", 0.4}}, "value", Law::uniform, 0.6, 1.4},
      {"RandomColorJitterHSV", {{"hue", 0.2}}, "hue", Law::uniform, -0.2, 0.2},
      {"RandomColorJitterYIQ", {}, "apply", Law::chance, 0.8},
      {"RandomColorJitterYIQ", {{"hue", 30.0}}, "hue", Law::uniform, -30, 30},
      {"RandomColorJitterYIQ", {{"brightness", 0.4}}, "brightness", Law::uniform, 0.6, 1.4},
      {"GaussianBlur", {{"kernel_size", std::int64_t{5}}}, "sigma", Law::uniform, 0.1, 2},
      {"JPEG", {{"quality", std::vector<std::int64_t>{30, 49}}}, "quality", Law::choice, 0, 20},
  };
}

double number_of(const ParamValue& value) {
  if (const auto* truth = std::get_if<bool>(&value)) {
    return *truth ? 1 : 0;
  }
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    return static_cast<double>(*whole);
  }
  return std::get<double>(value);
}

class draws : public testing::TestWithParam<Drawing> {};
INSTANTIATE_TEST_SUITE_P(of_operations, draws, testing::ValuesIn(drawings()), [](const auto& info) {
  return std::string(info.param.operation) + "_" + info.param.name + "_" + std::to_string(info.index);
});

TEST_P(draws, follow_the_stated_law) {
  const Drawing& drawing = GetParam();
  const TransformPtr operation = test::make(drawing.operation, drawing.params);
  std::vector<double> numbers;
  std::map<std::string, double> counts;
  for (std::uint64_t sample = 0; sample < kSamples; ++sample) {
    for (const auto& [name, value] : test::drawn_by(operation, {200, 150}, sample)) {
      if (name == drawing.name && drawing.law == Drawing::Law::choice) {
        ++counts[repr(value)];
      } else if (name == drawing.name) {
        numbers.push_back(number_of(value));
      }
    }
  }
  const auto n = static_cast<double>(kSamples);
  if (drawing.law == Drawing::Law::choice) {
    // Wilson and Hilferty's cube root makes chi-square nearly normal.
    const double freedom = drawing.high - 1;
    double chi = 0;
    for (const auto& count : counts) {
      chi += (count.second - n / drawing.high) * (count.second - n / drawing.high) / (n / drawing.high);
    }
    EXPECT_EQ(static_cast<double>(counts.size()), drawing.high);
    const double spread = 2 / (9 * freedom);
    EXPECT_LT((std::cbrt(chi / freedom) - (1 - spread)) / std::sqrt(spread), 3.3);
    return;
  }
  ASSERT_EQ(numbers.size(), kSamples);
  if (drawing.law == Drawing::Law::chance) {
    const auto happened = static_cast<double>(std::count(numbers.begin(), numbers.end(), 1.0));
    EXPECT_NEAR(happened, n * drawing.low, 3.3 * std::sqrt(n * drawing.low * (1 - drawing.low)));
    return;
  }
  std::sort(numbers.begin(), numbers.end());
  EXPECT_GE(numbers.front(), static_cast<float>(drawing.low));
  EXPECT_LE(numbers.back(), static_cast<float>(drawing.high));
  double distance = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    EXPECT_EQ(numbers[i], static_cast<float>(numbers[i])) << "torchvision draws in float32";
    const double expected = (numbers[i] - drawing.low) / (drawing.high - drawing.low);
    distance = std::max({distance, std::abs(expected - static_cast<double>(i) / n),
                         std::abs(static_cast<double>(i + 1) / n - expected)});
  }
  EXPECT_LT(distance * std::sqrt(n), 1.95);  // one in a thousand
}

}  // namespace
}  // namespace penstock::inline v0
