// The operations that are one table for each channel: what they make of an image, and of each other.
#include <gtest/gtest.h>

#include "transforms/kernels/byte_tables.hpp"
#include "transforms/kernels/color.hpp"
#include "transforms/run_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using test::make;
using test::run_on;
using test::TestImage;

const Params kAlways = {{"p", 1.0}};

std::array<std::uint32_t, 256> counts_of(const TestImage& image, int channel) {
  std::array<std::uint32_t, 256> counts{};
  for (std::size_t i = static_cast<std::size_t>(channel); i < image.bytes.size();
       i += static_cast<std::size_t>(image.channels)) {
    ++counts[image.bytes[i]];
  }
  return counts;
}

/// `image` with the values of its colours through what `table_of(channel)` gives.
template <class TableOf>
TestImage through(TestImage image, TableOf table_of) {
  for (int c = 0; c < std::min(image.channels, 3); ++c) {
    const ByteTable table = table_of(c);
    for (int y = 0; y < image.size.height; ++y) {
      for (int x = 0; x < image.size.width; ++x) {
        image.at(x, y, c) = table[image.at(x, y, c)];
      }
    }
  }
  return image;
}

class color_tables : public testing::TestWithParam<int> {
 protected:
  /// Values of 40 to 167, so that there is something to stretch.
  static TestImage image(unsigned seed) {
    TestImage image = TestImage::noise({53, 31}, seed, GetParam());
    for (std::uint8_t& byte : image.bytes) {
      byte = static_cast<std::uint8_t>(40 + byte / 2);
    }
    return image;
  }
};
INSTANTIATE_TEST_SUITE_P(channels, color_tables, testing::Values(1, 3, 4));

TEST_P(color_tables, invert_is_255_minus_the_value) {
  const TestImage in = image(1);
  EXPECT_EQ(run_on({make("RandomInvert", kAlways)}, in), through(in, [](int) { return invert_table(); }));
}

TEST_P(color_tables, posterize_keeps_the_upper_bits) {
  const TestImage in = image(2);
  for (std::int64_t bits = 0; bits <= 8; ++bits) {
    const TestImage made = run_on({make("RandomPosterize", {{"bits", bits}, {"p", 1.0}})}, in);
    EXPECT_EQ(made, through(in, [&](int) { return posterize_table(static_cast<int>(bits)); }));
    EXPECT_EQ(made.bytes[0], in.bytes[0] >> (8 - bits) << (8 - bits));
  }
}

TEST_P(color_tables, autocontrast_stretches_each_channel_by_itself) {
  TestImage in = image(3);
  in.at(7, 5, 0) = 9;
  const TestImage made = run_on({make("RandomAutocontrast", kAlways)}, in);
  EXPECT_EQ(made, through(in, [&](int c) {
              const auto counts = counts_of(in, c);
              std::uint8_t low = 255, high = 0;
              for (std::size_t v = 0; v < 256; ++v) {
                low = counts[v] != 0 ? std::min(low, static_cast<std::uint8_t>(v)) : low;
                high = counts[v] != 0 ? static_cast<std::uint8_t>(v) : high;
              }
              EXPECT_EQ(low, c == 0 ? 9 : low);
              return autocontrast_table(low, high);
            }));
  const TestImage flat = TestImage::filled({5, 4}, 77, GetParam());
  EXPECT_EQ(run_on({make("RandomAutocontrast", kAlways)}, flat), flat);
}

TEST_P(color_tables, equalize_follows_each_channels_histogram) {
  const TestImage in = image(4);
  EXPECT_EQ(run_on({make("RandomEqualize", kAlways)}, in),
            through(in, [&](int c) { return equalize_table(counts_of(in, c)); }));
}

TEST_P(color_tables, gamma_is_a_power_with_a_gain) {
  const TestImage in = image(5);
  for (const double gamma : {0.0, 0.5, 1.0, 2.2}) {
    EXPECT_EQ(run_on({make("Gamma", {{"gamma", gamma}, {"gain", 1.3}})}, in),
              through(in, [&](int) { return gamma_table(gamma, 1.3); }));
  }
  EXPECT_EQ(gamma_table(1.0, 1.0), identity_table());
  EXPECT_EQ(gamma_table(2.0, 1.0)[128], 64);
  EXPECT_EQ(gamma_table(0.5, 3.0)[200], 255);
}

TEST_P(color_tables, brightness_and_contrast_are_blends) {
  const TestImage in = image(6);
  const Params range = {{"scale_range", std::vector<double>{1.3, 1.3}}};
  EXPECT_EQ(run_on({make("RandomBrightness", range)}, in),
            through(in, [](int) { return blend_table(0, 1.3F); }));
  const std::uint8_t mean = gray_mean({in.bytes.data(), in.bytes.size() / 31, in.size, in.channels});
  EXPECT_EQ(run_on({make("RandomContrast", range)}, in),
            through(in, [&](int) { return blend_table(mean, 1.3F); }));
}

TEST_P(color_tables, a_chain_with_statistics_is_what_its_parts_are_one_after_the_other) {
  const std::vector<TransformPtr> chain = {make("RandomBrightness"),
                                           make("RandomContrast"),
                                           make("RandomPosterize", {{"bits", std::int64_t{5}}}),
                                           make("RandomSolarize", {{"threshold", 150.0}}),
                                           make("RandomAutocontrast"),
                                           make("RandomEqualize"),
                                           make("RandomContrast"),
                                           make("Gamma", {{"gamma", std::vector<double>{0.5, 1.5}}}),
                                           make("RandomInvert"),
                                           make("RandomAutocontrast")};
  const TestImage in = image(7);
  for (std::uint64_t sample = 0; sample < 40; ++sample) {
    const TestImage fused = run_on(chain, in, sample);
    ASSERT_EQ(fused, run_on(chain, in, sample, Fuse::off)) << sample;
    if (GetParam() == 4) {
      for (std::size_t i = 3; i < in.bytes.size(); i += 4) {
        ASSERT_EQ(fused.bytes[i], in.bytes[i]);
      }
    }
  }
}

TEST(ColorTables, become_one_pass) {
  const auto program = ImageProgram::compile({make("RandomAutocontrast", kAlways), make("RandomContrast"),
                                              make("RandomEqualize", kAlways)},
                                             MemoryFormat::channels_last)
                           .value();
  EXPECT_NE(program.describe().find("autocontrast + contrast + equalize + write"), std::string::npos)
      << program.describe();
}

TEST(ColorTables, refuse_impossible_parameters_and_images_that_are_not_of_bytes) {
  EXPECT_NE(test::refusal("RandomPosterize", {}).find("bits is required"), std::string::npos);
  EXPECT_NE(test::refusal("RandomPosterize", {{"bits", std::int64_t{9}}}).find("between 0 and 8, got 9"),
            std::string::npos);
  EXPECT_NE(test::refusal("Gamma", {{"gamma", -1.0}}).find("gamma"), std::string::npos);
  EXPECT_NE(test::refusal("Gamma", {{"gamma", 1.0}, {"gain", -1.0}}).find("gain"), std::string::npos);
  for (const char* name : {"RandomBrightness", "RandomContrast"}) {
    EXPECT_NE(test::refusal(name, {{"scale_range", std::vector<double>{2.0, 1.0}}}).find("scale_range"),
              std::string::npos);
  }
  for (const char* name : {"RandomInvert", "RandomAutocontrast", "RandomEqualize", "RandomContrast"}) {
    EXPECT_NE(test::refusal(name, {{"p", 1.5}}).find("p must be between 0 and 1"), std::string::npos);
    const auto wide =
        ImageProgram::compile({make(name)}, MemoryFormat::channels_last, Fuse::exact,
                              {.input = {.size = {}, .type = ElementType::uint16, .channels = 1}});
    ASSERT_FALSE(wide.ok());
    EXPECT_NE(wide.error().to_string().find("I;16"), std::string::npos);
    EXPECT_FALSE(
        ImageProgram::compile({transforms::ToFloat{}, make(name)}, MemoryFormat::channels_last).ok());
  }
}

}  // namespace
}  // namespace penstock::inline v0
