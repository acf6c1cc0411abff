#include "transforms/image/pathways.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "transforms/run_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using test::make;
using test::TestImage;

/// The floats of a list's result.
struct Floats {
  int channels = 0;
  std::vector<float> values;
};
Floats floats_of(const std::vector<TransformPtr>& list, const TestImage& image,
                 MemoryFormat format = MemoryFormat::channels_first) {
  const auto program = ImageProgram::compile(list, format).value();
  const auto workspace = program.make_workspace();
  EXPECT_TRUE(program.resolve(*workspace, image.size, {1, 2, 3}).ok());
  Floats made{program.output().channels, {}};
  made.values.resize(static_cast<std::size_t>(image.size.width * image.size.height * made.channels));
  EXPECT_TRUE(program.run(*workspace, image.reader(), made.values.data()).ok());
  return made;
}

double linear(double byte) {
  const double x = byte / 255;
  return x > 0.04045 ? std::pow((x + 0.055) / 1.055, 2.4) : x / 12.92;
}

TEST(Pathways, cones_of_white_and_of_colours) {
  TestImage image = TestImage::noise({9, 5}, 1);
  std::fill_n(image.bytes.begin(), 3, std::uint8_t{255});
  const Floats made = floats_of({make("SRGBToLMS")}, image);
  ASSERT_EQ(made.channels, 3);
  EXPECT_NEAR(made.values[0], 0.9493, 5e-4);
  EXPECT_NEAR(made.values[45], 1.0354, 5e-4);
  EXPECT_NEAR(made.values[90], 1.0871, 5e-4);
  constexpr double kMatrix[3][3] = {{0.3904692, 0.5499104, 0.0089009},
                                    {0.0709250, 0.9631179, 0.0013576},
                                    {0.0231427, 0.1280133, 0.9359760}};
  for (std::size_t i = 0; i < 45; ++i) {
    for (std::size_t c = 0; c < 3; ++c) {
      double sum = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        sum += kMatrix[c][k] * linear(image.bytes[i * 3 + k]);
      }
      ASSERT_NEAR(made.values[c * 45 + i], sum, 2e-6);
    }
  }
  EXPECT_EQ(floats_of({transforms::ToFloat{}, make("SRGBToLMS")}, image).values, made.values);
}

/// By the definition: a square of weights around each pixel, zeros outside.
double blurred(const std::vector<double>& plane, ImageSize size, int x, int y, double sigma) {
  int pixels = static_cast<int>(6 * sigma) + 1;
  pixels += pixels % 2 == 0 ? 1 : 0;
  double sum = 0, weights = 0;
  for (int dy = -(pixels / 2); dy <= pixels / 2; ++dy) {
    for (int dx = -(pixels / 2); dx <= pixels / 2; ++dx) {
      const double weight = std::exp(-(dx * dx + dy * dy) / (2 * sigma * sigma));
      weights += weight;
      const bool inside = x + dx >= 0 && y + dy >= 0 && x + dx < size.width && y + dy < size.height;
      sum += inside ? weight * plane[static_cast<std::size_t>((y + dy) * size.width + x + dx)] : 0;
    }
  }
  return sum / weights;
}

TEST(Pathways, are_differences_of_gaussians_cut_into_above_and_below_zero) {
  const TestImage image = TestImage::noise({23, 19}, 2);
  const std::size_t pixels = 23 * 19;
  const Floats cones = floats_of({make("SRGBToLMS")}, image);
  struct Case {
    const char* name;
    double l, m, s, center, surround;
  };
  std::size_t channel = 0;
  const Floats all = floats_of({make("RGBToLGN")}, image);
  ASSERT_EQ(all.channels, 5);
  for (const Case& c : {Case{"LMSToParvo", 1, -1, 0, 1.5, 5}, Case{"LMSToMagno", 1, 1, 0, 2.5, 5},
                        Case{"LMSToKonio", -1, -1, 1, 2.5, 6.5}}) {
    const Floats made = floats_of({make("SRGBToLMS"), make(c.name)}, image);
    ASSERT_EQ(made.channels, c.s == 0 ? 2 : 1);
    std::vector<double> sums(pixels);
    for (std::size_t i = 0; i < pixels; ++i) {
      sums[i] = c.l * cones.values[i] + c.m * cones.values[pixels + i] + c.s * cones.values[2 * pixels + i];
    }
    for (int y = 0; y < 19; y += 3) {
      for (int x = 0; x < 23; x += 2) {
        const double wanted =
            blurred(sums, image.size, x, y, c.center) - blurred(sums, image.size, x, y, c.surround);
        const auto at = static_cast<std::size_t>(y * 23 + x);
        ASSERT_NEAR(made.values[at], std::max(wanted, 0.0), 2e-6) << c.name;
        if (made.channels == 2) {
          ASSERT_NEAR(made.values[pixels + at], std::max(-wanted, 0.0), 2e-6) << c.name;
        }
      }
    }
    for (std::size_t i = 0; i < made.values.size(); ++i) {
      ASSERT_EQ(all.values[channel * pixels + i], made.values[i]);
    }
    channel += static_cast<std::size_t>(made.channels);
  }
  EXPECT_EQ(floats_of({make("RGBToMagno")}, image).values,
            std::vector<float>(all.values.begin() + 2 * static_cast<std::ptrdiff_t>(pixels),
                               all.values.begin() + 4 * static_cast<std::ptrdiff_t>(pixels)));
}

TEST(Pathways, are_the_same_in_both_formats_and_normalised_after) {
  const TestImage image = TestImage::noise({31, 17}, 3);
  const std::vector<TransformPtr> list = {transforms::ToFloat{}, make("RGBToLGN"), make("NormalizeLGN")};
  const Floats planes = floats_of(list, image);
  const Floats pixels = floats_of(list, image, MemoryFormat::channels_last);
  const Floats plain = floats_of({make("RGBToLGN")}, image);
  ASSERT_EQ(planes.channels, 5);
  for (std::size_t i = 0; i < 31 * 17; ++i) {
    for (std::size_t c = 0; c < 5; ++c) {
      ASSERT_EQ(planes.values[c * 31 * 17 + i], pixels.values[i * 5 + c]);
      ASSERT_EQ(planes.values[c * 31 * 17 + i], (plain.values[c * 31 * 17 + i] - 0.2F) / 0.2F);
    }
  }
}

TEST(Pathways, refuse_other_channels_and_impossible_sigmas) {
  const ImageSpec gray{.size = {}, .type = ElementType::uint8, .channels = 1};
  for (const char* name : {"SRGBToLMS", "LMSToParvo", "LMSToMagno", "LMSToKonio", "RGBToLGN", "RGBToMagno"}) {
    const auto program =
        ImageProgram::compile({make(name)}, MemoryFormat::channels_last, Fuse::exact, {.input = gray});
    ASSERT_FALSE(program.ok());
    EXPECT_NE(program.error().to_string().find("three channels"), std::string::npos);
  }
  EXPECT_FALSE(
      ImageProgram::compile({make("SRGBToLMS"), make("RGBToLGN")}, MemoryFormat::channels_last).ok());
  EXPECT_FALSE(
      ImageProgram::compile({make("RGBToLGN"), make("LMSToParvo")}, MemoryFormat::channels_last).ok());
  EXPECT_NE(test::refusal("RGBToLGN", {{"magno_sigma_s", 0.0}}).find("magno_sigma_s must be positive"),
            std::string::npos);
  EXPECT_NE(test::refusal("LMSToKonio", {{"sigma_c", 1000.0}}).find("at most 100"), std::string::npos);
  EXPECT_NE(test::refusal("NormalizeLGN", {{"std", 0.0}}).find("std"), std::string::npos);
}

}  // namespace
}  // namespace penstock::inline v0
