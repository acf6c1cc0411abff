// The operations on colours that need a pass of their own.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "transforms/kernels/channels.hpp"
#include "transforms/kernels/color.hpp"
#include "transforms/kernels/gaussian_blur.hpp"
#include "transforms/kernels/sharpen.hpp"
#include "transforms/run_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using test::make;
using test::run_on;
using test::TestImage;

/// What a kernel makes of an image.
template <class Kernel>
TestImage by_kernel(const TestImage& image, int channels, Kernel kernel) {
  std::vector<std::uint8_t> in = image.bytes;
  in.resize(in.size() + 64);
  TestImage out = TestImage::filled(image.size, 0, channels);
  const auto stride = [&](int count) { return static_cast<std::size_t>(image.size.width * count); };
  kernel(ConstPixelRows{in.data(), stride(image.channels), image.size, image.channels},
         PixelRows{out.bytes.data(), stride(channels), image.size, channels});
  return out;
}

std::string refused_for(const TransformPtr& operation, const ImageSpec& input) {
  const auto program =
      ImageProgram::compile({operation}, MemoryFormat::channels_last, Fuse::exact, {.input = input});
  return program.ok() ? "no error" : program.error().to_string();
}

TEST(RandomAdjustSharpness, is_the_kernel) {
  for (const int channels : {1, 3, 4}) {
    const TestImage image = TestImage::noise({33, 21}, 1, channels);
    EXPECT_EQ(run_on({make("RandomAdjustSharpness", {{"sharpness_factor", 2.5}, {"p", 1.0}})}, image),
              by_kernel(image, channels, [](const ConstPixelRows& in, const PixelRows& out) {
                adjust_sharpness(in, out, 2.5F);
              }));
    EXPECT_EQ(run_on({make("RandomAdjustSharpness", {{"sharpness_factor", 2.5}, {"p", 0.0}})}, image), image);
  }
  EXPECT_NE(test::refusal("RandomAdjustSharpness", {}).find("sharpness_factor is required"),
            std::string::npos);
  EXPECT_NE(test::refusal("RandomAdjustSharpness", {{"sharpness_factor", -1.0}}).find("non-negative"),
            std::string::npos);
}

TEST(Grayscale, gives_one_channel_or_three_whatever_it_is_given) {
  for (const int channels : {1, 3, 4}) {
    TestImage image = TestImage::noise({35, 9}, 2, channels);
    const TestImage one = run_on({make("Grayscale")}, image);
    const TestImage three = run_on({make("Grayscale", {{"num_output_channels", std::int64_t{3}}})}, image);
    ASSERT_EQ(one.channels, 1);
    ASSERT_EQ(three.channels, 3);
    for (int y = 0; y < 9; ++y) {
      for (int x = 0; x < 35; ++x) {
        TestImage& it = image;
        const std::uint8_t gray =
            channels == 1 ? it.at(x, y) : gray_of(it.at(x, y, 0), it.at(x, y, 1), it.at(x, y, 2));
        ASSERT_EQ(one.bytes[static_cast<std::size_t>(y * 35 + x)], gray);
        for (std::size_t c = 0; c < 3; ++c) {
          ASSERT_EQ(three.bytes[static_cast<std::size_t>(y * 35 + x) * 3 + c], gray);
        }
      }
    }
  }
}

TEST(RGB, repeats_gray_and_leaves_transparency_out) {
  for (const int channels : {1, 3, 4}) {
    TestImage image = TestImage::noise({17, 5}, 3, channels);
    TestImage out = run_on({make("RGB")}, image);
    ASSERT_EQ(out.channels, 3);
    for (int y = 0; y < 5; ++y) {
      for (int x = 0; x < 17; ++x) {
        for (int c = 0; c < 3; ++c) {
          ASSERT_EQ(out.at(x, y, c), image.at(x, y, channels == 1 ? 0 : c));
        }
      }
    }
  }
}

TEST(Grayscale, stands_among_operations_on_other_channels) {
  const std::vector<TransformPtr> list = {transforms::Resize{.size = {20, 30}},
                                          make("ColorJitter", {{"saturation", 0.5}}),
                                          make("Grayscale"),
                                          make("RandomEqualize"),
                                          transforms::Resize{.size = {9, 14}},
                                          make("Grayscale", {{"num_output_channels", std::int64_t{3}}}),
                                          make("ColorJitter", {{"contrast", 0.5}, {"hue", 0.2}}),
                                          transforms::RandomCrop{.size = 8},
                                          transforms::ToFloat{}};
  for (const int channels : {1, 3, 4}) {
    const TestImage image = TestImage::noise({41, 37}, 3, channels);
    for (std::uint64_t sample = 0; sample < 8; ++sample) {
      const TestImage made = run_on(list, image, sample);
      EXPECT_EQ(made.channels, 3);
      EXPECT_EQ(made, run_on(list, image, sample, Fuse::off));
    }
  }
  EXPECT_NE(
      test::refusal("Grayscale", {{"num_output_channels", std::int64_t{2}}}).find("must be 1 or 3, got 2"),
      std::string::npos);
}

TEST(RandomGrayscale, keeps_the_channels) {
  for (const int channels : {1, 3, 4}) {
    const TestImage image = TestImage::noise({35, 9}, 4, channels);
    const TestImage gray = by_kernel(image, channels, [&](const ConstPixelRows& in, const PixelRows& out) {
      for (int y = 0; y < 9 && channels == 1; ++y) {
        std::copy_n(in.row(y), in.row_bytes(), out.row(y));
      }
      if (channels > 1) {
        to_gray(in, out);
      }
    });
    EXPECT_EQ(run_on({make("RandomGrayscale", {{"p", 1.0}})}, image), gray);
    EXPECT_EQ(run_on({make("RandomGrayscale", {{"p", 0.0}})}, image), image);
  }
}

TEST(RandomChannelPermutation, puts_channels_where_the_drawn_order_says) {
  const TransformPtr operation = make("RandomChannelPermutation");
  const TestImage image = TestImage::noise({35, 9}, 5);
  for (std::uint64_t sample = 0; sample < 12; ++sample) {
    const auto order =
        test::value_of<std::vector<std::int64_t>>(test::drawn_by(operation, {8, 8}, sample), "permutation");
    const TestImage made = run_on({operation}, image, sample);
    for (std::size_t i = 0; i < image.bytes.size(); ++i) {
      ASSERT_EQ(made.bytes[i], image.bytes[i - i % 3 + static_cast<std::size_t>(order[i % 3])]);
    }
  }
}

TEST(RandomPhotometricDistort, is_its_parts_in_the_drawn_order) {
  const TransformPtr operation = make("RandomPhotometricDistort");
  const TestImage image = TestImage::noise({25, 19}, 6);
  for (std::uint64_t sample = 0; sample < 40; ++sample) {
    const Params drawn = test::drawn_by(operation, image.size, sample);
    const auto on = [&](const char* name) { return test::value_of<bool>(drawn, name); };
    const auto jitter = [&](const char* name) {
      const double factor = test::value_of<double>(drawn, name);
      return make("ColorJitter", {{name, std::vector<double>{factor, factor}}});
    };
    std::vector<TransformPtr> parts;
    if (on("apply_brightness")) parts.push_back(jitter("brightness"));
    if (on("apply_contrast") && on("contrast_before")) parts.push_back(jitter("contrast"));
    if (on("apply_saturation")) parts.push_back(jitter("saturation"));
    if (on("apply_hue")) parts.push_back(jitter("hue"));
    if (on("apply_contrast") && !on("contrast_before")) parts.push_back(jitter("contrast"));
    TestImage wanted = run_on(parts, image, sample);
    if (on("permute")) {
      const auto order = test::value_of<std::vector<std::int64_t>>(drawn, "permutation");
      const TestImage before = wanted;
      for (std::size_t i = 0; i < before.bytes.size(); ++i) {
        wanted.bytes[i] = before.bytes[i - i % 3 + static_cast<std::size_t>(order[i % 3])];
      }
    }
    ASSERT_EQ(run_on({operation}, image, sample), wanted);
  }
  EXPECT_NE(test::refusal("RandomPhotometricDistort", {{"hue", std::vector<double>{-0.6, 0.1}}}).find("hue"),
            std::string::npos);
}

TEST(RandomColorJitterHSV, is_value_contrast_saturation_and_hue_in_this_order) {
  const auto fixed = [](double value) { return std::vector<double>{value, value}; };
  const TestImage image = TestImage::noise({25, 19}, 7);
  const TransformPtr operation = make(
      "RandomColorJitterHSV",
      {{"value", fixed(1.2)}, {"contrast", fixed(0.7)}, {"saturation", fixed(1.6)}, {"hue", fixed(0.1)}});
  EXPECT_EQ(run_on({operation}, image), run_on({make("ColorJitter", {{"brightness", fixed(1.2)}}),
                                                make("ColorJitter", {{"contrast", fixed(0.7)}}),
                                                make("ColorJitter", {{"saturation", fixed(1.6)}}),
                                                make("ColorJitter", {{"hue", fixed(0.1)}})},
                                               image));
  EXPECT_EQ(run_on({make("RandomColorJitterHSV")}, image), image);
  EXPECT_NE(test::refusal("RandomColorJitterHSV", {{"hue", 0.7}}).find("between 0 and 0.5"),
            std::string::npos);
}

TEST(RandomColorJitterYIQ, turns_and_stretches_colours_around_gray) {
  const auto fixed = [](double value) { return std::vector<double>{value, value}; };
  TestImage image = TestImage::noise({25, 19}, 8);
  EXPECT_EQ(run_on({make("RandomColorJitterYIQ", {{"p", 1.0}})}, image), image);
  // In doubles, by the definition: to YIQ, change, back.
  const double s = 1.4, h = 35, v = 0.9, b = 1.1, c = 0.8;
  const TransformPtr operation = make("RandomColorJitterYIQ", {{"p", 1.0},
                                                               {"hue", fixed(h)},
                                                               {"saturation", fixed(s)},
                                                               {"value", fixed(v)},
                                                               {"brightness", fixed(b)},
                                                               {"contrast", fixed(c)}});
  TestImage made = run_on({operation}, image);
  for (int y = 0; y < 19; ++y) {
    for (int x = 0; x < 25; ++x) {
      const double r = image.at(x, y, 0), g = image.at(x, y, 1), bl = image.at(x, y, 2);
      const double luma = v * (0.299 * r + 0.587 * g + 0.114 * bl);
      const double i0 = v * s * (0.596 * r - 0.274 * g - 0.321 * bl);
      const double q0 = v * s * (0.211 * r - 0.523 * g + 0.311 * bl);
      const double angle = h * std::numbers::pi / 180;
      const double i = i0 * std::cos(angle) - q0 * std::sin(angle);
      const double q = i0 * std::sin(angle) + q0 * std::cos(angle);
      // made * Y should be the same as what was asked for, where nothing is cut off.
      const double rgb[3] = {static_cast<double>(made.at(x, y, 0)), static_cast<double>(made.at(x, y, 1)),
                             static_cast<double>(made.at(x, y, 2))};
      if (*std::min_element(rgb, rgb + 3) > 0 && *std::max_element(rgb, rgb + 3) < 255) {
        const auto back = [&](double value) { return (value / b - 127.5 * (1 - c)) / c; };
        const double R = back(rgb[0]), G = back(rgb[1]), B = back(rgb[2]);
        ASSERT_NEAR(0.299 * R + 0.587 * G + 0.114 * B, luma, 0.6);
        ASSERT_NEAR(0.596 * R - 0.274 * G - 0.321 * B, i, 0.8);
        ASSERT_NEAR(0.211 * R - 0.523 * G + 0.311 * B, q, 0.8);
      }
    }
  }
  const TestImage gray = TestImage::noise({25, 19}, 9, 1);
  const TestImage brighter = run_on({operation}, gray);
  for (std::size_t i = 0; i < gray.bytes.size(); ++i) {
    ASSERT_NEAR(brighter.bytes[i], b * (c * v * gray.bytes[i] + 127.5 * (1 - c)), 0.501);
  }
}

TEST(GaussianBlur, is_the_kernel_with_the_drawn_sigma) {
  for (const int channels : {1, 3, 4}) {
    const TestImage image = TestImage::noise({33, 21}, 10, channels);
    EXPECT_EQ(
        run_on({make("GaussianBlur", {{"kernel_size", std::vector<std::int64_t>{5, 9}}, {"sigma", 1.5}})},
               image),
        by_kernel(image, channels, [](const ConstPixelRows& in, const PixelRows& out) {
          Scratch scratch;
          gaussian_blur(in, out, {5, 9}, 1.5, scratch);
        }));
  }
  for (const Params& params :
       {Params{{"kernel_size", std::int64_t{4}}}, Params{{"kernel_size", std::int64_t{-3}}}}) {
    EXPECT_NE(test::refusal("GaussianBlur", params).find("kernel_size must be odd"), std::string::npos);
  }
  EXPECT_NE(test::refusal("GaussianBlur", {{"kernel_size", std::int64_t{3}}, {"sigma", 0.0}}).find("sigma"),
            std::string::npos);
}

TEST(GaussianNoise, has_its_mean_and_deviation_and_is_the_same_in_both_formats) {
  const TestImage image = TestImage::filled({200, 150}, 100);
  const TransformPtr noise = make("GaussianNoise", {{"mean", 0.1}, {"sigma", 0.08}});
  const TestImage made = run_on({noise}, image, 1);
  double sum = 0, squares = 0;
  for (const std::uint8_t byte : made.bytes) {
    sum += byte - 100;
    squares += (byte - 100) * (byte - 100);
  }
  const auto n = static_cast<double>(made.bytes.size());
  EXPECT_NEAR(sum / n, 25.5 - 0.44, 0.2);  // cut down to whole numbers, which is 0.5 less above 0
  EXPECT_NEAR(std::sqrt(squares / n - sum / n * sum / n), 20.4, 0.3);
  EXPECT_FALSE(made == run_on({noise}, image, 2));
  // Floats: [C, H, W] holds what [H, W, C] holds.
  std::vector<std::vector<float>> formats;
  for (const MemoryFormat format : {MemoryFormat::channels_last, MemoryFormat::channels_first}) {
    const auto program = ImageProgram::compile({transforms::ToFloat{}, noise}, format).value();
    const auto workspace = program.make_workspace();
    ASSERT_TRUE(program.resolve(*workspace, image.size, {1, 2, 3}).ok());
    auto& out = formats.emplace_back(200 * 150 * 3);
    ASSERT_TRUE(program.run(*workspace, image.reader(), out.data()).ok());
  }
  for (std::size_t pixel = 0; pixel < 200 * 150; ++pixel) {
    for (std::size_t c = 0; c < 3; ++c) {
      ASSERT_EQ(formats[0][pixel * 3 + c], formats[1][c * 200 * 150 + pixel]);
      ASSERT_GE(formats[0][pixel * 3 + c], 0.0F);
      ASSERT_LE(formats[0][pixel * 3 + c], 1.0F);
    }
  }
  EXPECT_NE(test::refusal("GaussianNoise", {{"sigma", -0.1}}).find("sigma"), std::string::npos);
}

TEST(Jpeg, loses_more_at_a_lower_quality) {
  for (const int channels : {1, 3}) {
    TestImage image = TestImage::filled({67, 45}, 0, channels);
    for (int y = 0; y < 45; ++y) {
      for (int x = 0; x < 67; ++x) {
        for (int c = 0; c < channels; ++c) {
          image.at(x, y, c) = static_cast<std::uint8_t>(3 * x + y * (c + 1));
        }
      }
    }
    std::vector<double> errors;
    for (const std::int64_t quality : {100, 50, 5}) {
      const TestImage made = run_on({make("JPEG", {{"quality", quality}})}, image);
      double sum = 0;
      for (std::size_t i = 0; i < image.bytes.size(); ++i) {
        sum += std::abs(made.bytes[i] - image.bytes[i]);
      }
      errors.push_back(sum / static_cast<double>(image.bytes.size()));
    }
    EXPECT_LT(errors[0], 10);
    EXPECT_LT(errors[0], errors[1]);
    EXPECT_LT(errors[1], errors[2]);
  }
}

TEST(Jpeg, refuses_what_jpeg_files_cannot_hold) {
  EXPECT_NE(test::refusal("JPEG", {{"quality", std::int64_t{101}}}).find("between 1 and 100"),
            std::string::npos);
  EXPECT_NE(test::refusal("JPEG", {{"quality", std::vector<std::int64_t>{60, 40}}}).find("quality"),
            std::string::npos);
  const TransformPtr jpeg = make("JPEG", {{"quality", std::int64_t{50}}});
  EXPECT_NE(refused_for(jpeg, {.size = {}, .type = ElementType::uint8, .channels = 4}).find("transparency"),
            std::string::npos);
  const auto program = ImageProgram::compile({jpeg}, MemoryFormat::channels_last).value();
  const auto workspace = program.make_workspace();
  EXPECT_FALSE(program.resolve(*workspace, {65501, 2}, {1, 2, 3}).ok());
}

TEST(ColorPixels, refuse_images_of_16_bits) {
  const ImageSpec wide{.size = {}, .type = ElementType::uint16, .channels = 1};
  for (const auto& [name, params] : {std::pair{"RandomAdjustSharpness", Params{{"sharpness_factor", 2.0}}},
                                     {"Grayscale", {}},
                                     {"RandomGrayscale", {}},
                                     {"RandomChannelPermutation", {}},
                                     {"RandomPhotometricDistort", {}},
                                     {"RandomColorJitterHSV", {}},
                                     {"RandomColorJitterYIQ", {}},
                                     {"GaussianBlur", {{"kernel_size", std::int64_t{3}}}},
                                     {"GaussianNoise", {}},
                                     {"JPEG", {{"quality", std::int64_t{50}}}}}) {
    EXPECT_NE(refused_for(make(name, params), wide).find("I;16"), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace penstock::inline v0
