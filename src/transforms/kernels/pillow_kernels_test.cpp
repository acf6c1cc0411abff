// Results of Pillow 13.0.0 and of torchvision 0.28.0 with it, as hashes, for images drawn here.

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <vector>

#include "core/each_target_for_test.hpp"
#include "transforms/kernels/box_blur.hpp"
#include "transforms/kernels/byte_tables.hpp"
#include "transforms/kernels/color.hpp"
#include "transforms/kernels/resample.hpp"
#include "transforms/kernels/resample_16.hpp"
#include "transforms/kernels/warp.hpp"

namespace penstock::inline v0 {
namespace {

using transforms::Interpolation;

std::uint64_t hash_of(const std::uint8_t* bytes, std::size_t count) {  // FNV-1a
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (std::size_t i = 0; i < count; ++i) {
    hash = (hash ^ bytes[i]) * 0x100000001b3u;
  }
  return hash;
}

struct Drawing {
  ImageSize size;
  int channels;
  std::vector<std::uint8_t> bytes;

  Drawing(ImageSize of, int count)
      : size(of),
        channels(count),
        bytes(static_cast<std::size_t>(of.width * of.height * count) + kRowSlack) {}
  PixelRows rows() { return {bytes.data(), static_cast<std::size_t>(size.width * channels), size, channels}; }
  std::uint64_t hash() const { return hash_of(bytes.data(), bytes.size() - kRowSlack); }
};

Drawing draw(ImageSize size, int channels) {
  Drawing drawing(size, channels);
  std::size_t i = 0;
  for (std::uint32_t y = 0; y < static_cast<std::uint32_t>(size.height); ++y) {
    for (std::uint32_t x = 0; x < static_cast<std::uint32_t>(size.width); ++x) {
      for (std::uint32_t c = 0; c < static_cast<std::uint32_t>(channels); ++c) {
        const std::uint32_t v = x * x * 7 + y * y * 13 + x * y * 5 + c * 91 + (x ^ y) * 31;
        drawing.bytes[i++] = static_cast<std::uint8_t>(v ^ (v >> 7));
      }
    }
  }
  return drawing;
}

enum class Change { brightness, contrast, saturation, hue, solarize, posterize, gray };

struct ColorCase {
  Change change;
  ImageSize size;
  double amount;
  std::uint64_t hash;
};

constexpr ColorCase kColor[] = {
    {Change::brightness, {1, 1}, 0.0, 0xd94d12186c0f2fb7u},
    {Change::contrast, {1, 1}, 0.0, 0x5b0f8619d7c5e8adu},
    {Change::saturation, {1, 1}, 0.0, 0x5b0f8619d7c5e8adu},
    {Change::brightness, {1, 1}, 0.4, 0xd9ac81186c6080d8u},
    {Change::contrast, {1, 1}, 0.4, 0xe6203117e2243a7cu},
    {Change::saturation, {1, 1}, 0.4, 0xe6203117e2243a7cu},
    {Change::brightness, {1, 1}, 1.7, 0xd74237186a536440u},
    {Change::contrast, {1, 1}, 1.7, 0xd8cc37186ba1f3acu},
    {Change::saturation, {1, 1}, 1.7, 0xd8cc37186ba1f3acu},
    {Change::hue, {1, 1}, -0.5, 0x8a2df51a8372892cu},
    {Change::hue, {1, 1}, 0.0, 0xd809ef186afc6775u},
    {Change::hue, {1, 1}, 0.1, 0xf349fa187ac7f5edu},
    {Change::solarize, {1, 1}, 100.0, 0xd81788186b07f5ccu},
    {Change::posterize, {1, 1}, 3.0, 0xd873f2186b570897u},
    {Change::gray, {1, 1}, 0.0, 0x5b0f8619d7c5e8adu},
    {Change::brightness, {7, 1}, 0.0, 0x98b2b1418e80a50fu},
    {Change::contrast, {7, 1}, 0.0, 0x977124826ef9a2e0u},
    {Change::saturation, {7, 1}, 0.0, 0x731a4cb54946be9bu},
    {Change::brightness, {7, 1}, 0.4, 0x0f9921799c994842u},
    {Change::contrast, {7, 1}, 0.4, 0x57d05ff582e78de1u},
    {Change::saturation, {7, 1}, 0.4, 0x0245bc85d497fd1au},
    {Change::brightness, {7, 1}, 1.7, 0xd8e405da37c6da96u},
    {Change::contrast, {7, 1}, 1.7, 0xcc8024073a59b998u},
    {Change::saturation, {7, 1}, 1.7, 0xfb66294cf88d27f5u},
    {Change::hue, {7, 1}, -0.5, 0x5a010bed756d0ee2u},
    {Change::hue, {7, 1}, 0.0, 0x04c8f72691f3b584u},
    {Change::hue, {7, 1}, 0.1, 0x73420d0ecde54c98u},
    {Change::solarize, {7, 1}, 100.0, 0x3ad5a489a8da4b47u},
    {Change::posterize, {7, 1}, 3.0, 0x83ba0702184d782fu},
    {Change::gray, {7, 1}, 0.0, 0x731a4cb54946be9bu},
    {Change::brightness, {33, 21}, 0.0, 0x16b1646d62ebef47u},
    {Change::contrast, {33, 21}, 0.0, 0xaf5f1279c9673fc7u},
    {Change::saturation, {33, 21}, 0.0, 0xf103dba6ee2ca09fu},
    {Change::brightness, {33, 21}, 0.4, 0xb774f4a7f933def8u},
    {Change::contrast, {33, 21}, 0.4, 0x499ff5fa150e43d7u},
    {Change::saturation, {33, 21}, 0.4, 0x8bdf8996f24e9bccu},
    {Change::brightness, {33, 21}, 1.7, 0x60717a44f727d2edu},
    {Change::contrast, {33, 21}, 1.7, 0x2cd33ae82f00d0a9u},
    {Change::saturation, {33, 21}, 1.7, 0x37620ee0758dd670u},
    {Change::hue, {33, 21}, -0.5, 0x94fa1d5c556df361u},
    {Change::hue, {33, 21}, 0.0, 0xffae7cbcda7e077cu},
    {Change::hue, {33, 21}, 0.1, 0xda59f78571c0b5d3u},
    {Change::solarize, {33, 21}, 100.0, 0x3d1a8649c07a7576u},
    {Change::posterize, {33, 21}, 3.0, 0x88c2658b89e837c7u},
    {Change::gray, {33, 21}, 0.0, 0xf103dba6ee2ca09fu},
    {Change::brightness, {101, 77}, 0.0, 0xfbb664308fd5ff37u},
    {Change::contrast, {101, 77}, 0.0, 0x003c84aeb8de3eb7u},
    {Change::saturation, {101, 77}, 0.0, 0x6f41944fbc837d04u},
    {Change::brightness, {101, 77}, 0.4, 0x7994557d9818e9f8u},
    {Change::contrast, {101, 77}, 0.4, 0x7b9ad69bc352a915u},
    {Change::saturation, {101, 77}, 0.4, 0xe7bdcc5d25ba5885u},
    {Change::brightness, {101, 77}, 1.7, 0xd4d8d43caf4a87b5u},
    {Change::contrast, {101, 77}, 1.7, 0x8c3f1a3082e1222fu},
    {Change::saturation, {101, 77}, 1.7, 0x12e31f8e0c67f22cu},
    {Change::hue, {101, 77}, -0.5, 0xdf7a894b78fd462au},
    {Change::hue, {101, 77}, 0.0, 0xc6dfde1901d218f2u},
    {Change::hue, {101, 77}, 0.1, 0x47a6cf48d30d37d1u},
    {Change::solarize, {101, 77}, 100.0, 0x17794bbe5dd9b1c4u},
    {Change::posterize, {101, 77}, 3.0, 0xf2b053102baed6b7u},
    {Change::gray, {101, 77}, 0.0, 0x6f41944fbc837d04u},
};

struct WarpCase {
  ImageSize size;
  int channels;
  Interpolation filter;
  bool scale;  // one of two matrices
  std::uint64_t hash;
};

constexpr WarpCase kWarp[] = {
    {{1, 1}, 1, Interpolation::nearest, false, 0x0ebda9ff481b8595u},
    {{1, 1}, 3, Interpolation::nearest, false, 0x9cc03bc72d09b5a5u},
    {{1, 1}, 4, Interpolation::nearest, false, 0xb655211f731885a5u},
    {{1, 1}, 1, Interpolation::nearest, true, 0x0ebda9ff481b8595u},
    {{1, 1}, 3, Interpolation::nearest, true, 0x9cc03bc72d09b5a5u},
    {{1, 1}, 4, Interpolation::nearest, true, 0xb655211f731885a5u},
    {{1, 1}, 1, Interpolation::bilinear, false, 0x0ebda9ff481b8595u},
    {{1, 1}, 3, Interpolation::bilinear, false, 0x9cc03bc72d09b5a5u},
    {{1, 1}, 1, Interpolation::bilinear, true, 0x0ebda9ff481b8595u},
    {{1, 1}, 3, Interpolation::bilinear, true, 0x9cc03bc72d09b5a5u},
    {{1, 1}, 1, Interpolation::bicubic, false, 0x0ebda9ff481b8595u},
    {{1, 1}, 3, Interpolation::bicubic, false, 0x9cc03bc72d09b5a5u},
    {{1, 1}, 1, Interpolation::bicubic, true, 0x0ebda9ff481b8595u},
    {{1, 1}, 3, Interpolation::bicubic, true, 0x9cc03bc72d09b5a5u},
    {{7, 1}, 1, Interpolation::nearest, false, 0x7860b8a7cf2b7e7bu},
    {{7, 1}, 3, Interpolation::nearest, false, 0xe0b200a89e9cec32u},
    {{7, 1}, 4, Interpolation::nearest, false, 0x2bf2810a31e987dau},
    {{7, 1}, 1, Interpolation::nearest, true, 0x0ebda9ff481b8595u},
    {{7, 1}, 3, Interpolation::nearest, true, 0x9cc03bc72d09b5a5u},
    {{7, 1}, 4, Interpolation::nearest, true, 0xb655211f731885a5u},
    {{7, 1}, 1, Interpolation::bilinear, false, 0x9801fff8bc3636c3u},
    {{7, 1}, 3, Interpolation::bilinear, false, 0xf29e6998b53ba637u},
    {{7, 1}, 1, Interpolation::bilinear, true, 0x0ebda9ff481b8595u},
    {{7, 1}, 3, Interpolation::bilinear, true, 0x9cc03bc72d09b5a5u},
    {{7, 1}, 1, Interpolation::bicubic, false, 0x6f0cc932faafbe58u},
    {{7, 1}, 3, Interpolation::bicubic, false, 0x7162ea8eb7325927u},
    {{7, 1}, 1, Interpolation::bicubic, true, 0x0ebda9ff481b8595u},
    {{7, 1}, 3, Interpolation::bicubic, true, 0x9cc03bc72d09b5a5u},
    {{33, 21}, 1, Interpolation::nearest, false, 0xe9faaff878b9f93bu},
    {{33, 21}, 3, Interpolation::nearest, false, 0xc741a549b1dac0fdu},
    {{33, 21}, 4, Interpolation::nearest, false, 0x0c781c24bbbd55a4u},
    {{33, 21}, 1, Interpolation::nearest, true, 0xe16a47bd454b061bu},
    {{33, 21}, 3, Interpolation::nearest, true, 0x44c658a624243232u},
    {{33, 21}, 4, Interpolation::nearest, true, 0x46c0a9755a36f25bu},
    {{33, 21}, 1, Interpolation::bilinear, false, 0x53b8f47f680f77b1u},
    {{33, 21}, 3, Interpolation::bilinear, false, 0x1277f17343afdb57u},
    {{33, 21}, 1, Interpolation::bilinear, true, 0xfad6784b35f8abe9u},
    {{33, 21}, 3, Interpolation::bilinear, true, 0x57bb0666b899f971u},
    {{33, 21}, 1, Interpolation::bicubic, false, 0x0e4ddf37974e4c27u},
    {{33, 21}, 3, Interpolation::bicubic, false, 0x5cfd1b37dffbd0c9u},
    {{33, 21}, 1, Interpolation::bicubic, true, 0xcd1cca9b0451c79fu},
    {{33, 21}, 3, Interpolation::bicubic, true, 0xf2e2d9faa2209a25u},
    {{101, 77}, 1, Interpolation::nearest, false, 0xd4d79d8bb6724b16u},
    {{101, 77}, 3, Interpolation::nearest, false, 0xc7aaeec28e8a3f8cu},
    {{101, 77}, 4, Interpolation::nearest, false, 0x1a499fe64ab8a5e1u},
    {{101, 77}, 1, Interpolation::nearest, true, 0x66d27c83d99ab8f6u},
    {{101, 77}, 3, Interpolation::nearest, true, 0x5f2d0394ac2859f5u},
    {{101, 77}, 4, Interpolation::nearest, true, 0xc9380880840fdd84u},
    {{101, 77}, 1, Interpolation::bilinear, false, 0x710b625f0394e79fu},
    {{101, 77}, 3, Interpolation::bilinear, false, 0x9b165713b31028e5u},
    {{101, 77}, 1, Interpolation::bilinear, true, 0xfd3a78a7fc10b934u},
    {{101, 77}, 3, Interpolation::bilinear, true, 0x5cd464de99703ae4u},
    {{101, 77}, 1, Interpolation::bicubic, false, 0x6b25d389046fbe62u},
    {{101, 77}, 3, Interpolation::bicubic, false, 0x015ff66911e724b8u},
    {{101, 77}, 1, Interpolation::bicubic, true, 0xcd36d02cc2fcb55eu},
    {{101, 77}, 3, Interpolation::bicubic, true, 0x973ca4f08b45674bu},
};

struct BlurCase {
  ImageSize size;
  int channels;
  float radius;
  std::uint64_t hash;
};

constexpr BlurCase kBlur[] = {
    {{1, 1}, 1, 0.5F, 0xaf63bd4c8601b7dfu},     {{1, 1}, 3, 0.5F, 0xd8187f186b099981u},
    {{1, 1}, 4, 0.5F, 0x3b39887de14ff316u},     {{1, 1}, 1, 1.9F, 0xaf63bd4c8601b7dfu},
    {{1, 1}, 3, 1.9F, 0xd8187f186b099981u},     {{1, 1}, 4, 1.9F, 0x3b39887de14ff316u},
    {{1, 1}, 1, 12.0F, 0xaf63bd4c8601b7dfu},    {{1, 1}, 3, 12.0F, 0xd8187f186b099981u},
    {{1, 1}, 4, 12.0F, 0x3b39887de14ff316u},    {{7, 1}, 1, 0.5F, 0x2d3c231ad7e78acau},
    {{7, 1}, 3, 0.5F, 0x5cb2f41f5f1c992bu},     {{7, 1}, 4, 0.5F, 0xd1c012ddf18967ceu},
    {{7, 1}, 1, 1.9F, 0x5659faa306469309u},     {{7, 1}, 3, 1.9F, 0x4a402034fff21e07u},
    {{7, 1}, 4, 1.9F, 0x8538045ddce618f2u},     {{7, 1}, 1, 12.0F, 0x1c9595ff3689a7c6u},
    {{7, 1}, 3, 12.0F, 0x329de79f055085ceu},    {{7, 1}, 4, 12.0F, 0x81ba23795a1d789du},
    {{33, 21}, 1, 0.5F, 0xcb4d61b2575611a3u},   {{33, 21}, 3, 0.5F, 0x7a0be896fee70f31u},
    {{33, 21}, 4, 0.5F, 0x2d1799aee9fa175fu},   {{33, 21}, 1, 1.9F, 0xf0e3c93fb7b66f15u},
    {{33, 21}, 3, 1.9F, 0x9642fd5f7c102225u},   {{33, 21}, 4, 1.9F, 0xf1e1f9e451589eadu},
    {{33, 21}, 1, 12.0F, 0xabdb5f7d14ed40e9u},  {{33, 21}, 3, 12.0F, 0xe499626fcce982c2u},
    {{33, 21}, 4, 12.0F, 0xbbebfa819be7a1ecu},  {{101, 77}, 1, 0.5F, 0x89f067db6cc1d2d3u},
    {{101, 77}, 3, 0.5F, 0xe2cfaf56ac3ae659u},  {{101, 77}, 4, 0.5F, 0x4287976f639ef348u},
    {{101, 77}, 1, 1.9F, 0xc75058b695c2d6a5u},  {{101, 77}, 3, 1.9F, 0x8b9a74cefb332d72u},
    {{101, 77}, 4, 1.9F, 0x05fb70880b6ea379u},  {{101, 77}, 1, 12.0F, 0xf8d33c5f982c0ea7u},
    {{101, 77}, 3, 12.0F, 0xc0939615ad2984f1u}, {{101, 77}, 4, 12.0F, 0x45f05a76826f384au},
};

struct Resize16Case {
  ImageSize from;
  ImageSize to;
  Interpolation filter;
  std::uint64_t hash;
};

constexpr Resize16Case kResize16[] = {
    {{1, 1}, {24, 18}, Interpolation::lanczos, 0xbbcef4f954c9a0e5u},
    {{1, 1}, {60, 90}, Interpolation::lanczos, 0x1512befb6f21e605u},
    {{1, 1}, {24, 18}, Interpolation::bilinear, 0xbbcef4f954c9a0e5u},
    {{1, 1}, {60, 90}, Interpolation::bilinear, 0x1512befb6f21e605u},
    {{1, 1}, {24, 18}, Interpolation::bicubic, 0xbbcef4f954c9a0e5u},
    {{1, 1}, {60, 90}, Interpolation::bicubic, 0x1512befb6f21e605u},
    {{1, 1}, {24, 18}, Interpolation::box, 0xbbcef4f954c9a0e5u},
    {{1, 1}, {60, 90}, Interpolation::box, 0x1512befb6f21e605u},
    {{1, 1}, {24, 18}, Interpolation::hamming, 0xbbcef4f954c9a0e5u},
    {{1, 1}, {60, 90}, Interpolation::hamming, 0x1512befb6f21e605u},
    {{7, 1}, {24, 18}, Interpolation::lanczos, 0xa53cbca9fa771b2du},
    {{7, 1}, {60, 90}, Interpolation::lanczos, 0xbedc393a5fead519u},
    {{7, 1}, {24, 18}, Interpolation::bilinear, 0x40788c187518c975u},
    {{7, 1}, {60, 90}, Interpolation::bilinear, 0x5ce27b34aa2c998du},
    {{7, 1}, {24, 18}, Interpolation::bicubic, 0x6e3f6b65b6b87cddu},
    {{7, 1}, {60, 90}, Interpolation::bicubic, 0x70735565faa72835u},
    {{7, 1}, {24, 18}, Interpolation::box, 0xdde3d397cf6f6c61u},
    {{7, 1}, {60, 90}, Interpolation::box, 0xc49ec8656cdd5869u},
    {{7, 1}, {24, 18}, Interpolation::hamming, 0xb17220ee0eb35589u},
    {{7, 1}, {60, 90}, Interpolation::hamming, 0x578778d64610de75u},
    {{33, 21}, {24, 18}, Interpolation::lanczos, 0xa4b0d84efdd98b6cu},
    {{33, 21}, {60, 90}, Interpolation::lanczos, 0x187aa3090773bdf0u},
    {{33, 21}, {24, 18}, Interpolation::bilinear, 0x67fae71dd4ed8785u},
    {{33, 21}, {60, 90}, Interpolation::bilinear, 0x4af75aa2ea2d54beu},
    {{33, 21}, {24, 18}, Interpolation::bicubic, 0x869bc6670a299a19u},
    {{33, 21}, {60, 90}, Interpolation::bicubic, 0x46096179d118ab03u},
    {{33, 21}, {24, 18}, Interpolation::box, 0xaaf4e01d7a6a347au},
    {{33, 21}, {60, 90}, Interpolation::box, 0x7e576ba688a64950u},
    {{33, 21}, {24, 18}, Interpolation::hamming, 0x427b2b8fb4489227u},
    {{33, 21}, {60, 90}, Interpolation::hamming, 0x5a96b81ec2c3c60eu},
    {{101, 77}, {24, 18}, Interpolation::lanczos, 0x3d497b8701a31a4fu},
    {{101, 77}, {60, 90}, Interpolation::lanczos, 0xe25f9e982be8128au},
    {{101, 77}, {24, 18}, Interpolation::bilinear, 0x0bfccde6c3b146efu},
    {{101, 77}, {60, 90}, Interpolation::bilinear, 0xea5204fc3313a415u},
    {{101, 77}, {24, 18}, Interpolation::bicubic, 0x5c785e90bb7327e1u},
    {{101, 77}, {60, 90}, Interpolation::bicubic, 0x82c0c8486fc09145u},
    {{101, 77}, {24, 18}, Interpolation::box, 0x112e0db02e566c35u},
    {{101, 77}, {60, 90}, Interpolation::box, 0x8b268f30e19aac92u},
    {{101, 77}, {24, 18}, Interpolation::hamming, 0x886bb6e00929e9b8u},
    {{101, 77}, {60, 90}, Interpolation::hamming, 0xf4a20f86fede8cb7u},
};

void change_colors(const ColorCase& wanted, Drawing& image) {
  const auto factor = static_cast<float>(wanted.amount);
  const PixelRows rows = image.rows();
  switch (wanted.change) {
    case Change::brightness:
      return apply_table(rows, rows, blend_table(0, factor));
    case Change::contrast:
      return apply_table(rows, rows, blend_table(gray_mean(rows), factor));
    case Change::saturation:
      return adjust_saturation(rows, rows, factor);
    case Change::hue:
      return adjust_hue(rows, rows, static_cast<std::uint8_t>(static_cast<int>(wanted.amount * 255)));
    case Change::solarize:
      return apply_table(rows, rows, solarize_table(wanted.amount));
    case Change::posterize:
      return apply_table(rows, rows, posterize_table(static_cast<int>(wanted.amount)));
    case Change::gray:
      return to_gray(rows, rows);
  }
}

TEST(PillowKernels, colours_have_its_bytes_on_every_target) {
  for_each_target([](CpuTarget) {
    for (const ColorCase& wanted : kColor) {
      Drawing image = draw(wanted.size, 3);
      change_colors(wanted, image);
      EXPECT_EQ(image.hash(), wanted.hash) << static_cast<int>(wanted.change) << " by " << wanted.amount
                                           << ", " << wanted.size.width << " x " << wanted.size.height;
    }
  });
}

TEST(PillowKernels, affine_maps_have_its_bytes_on_every_target) {
  for_each_target([](CpuTarget) {
    for (const WarpCase& wanted : kWarp) {
      Drawing image = draw(wanted.size, wanted.channels), out({40, 30}, wanted.channels);
      const AffineMatrix matrix = wanted.scale ? AffineMatrix{1.3, 0.0, -2.7, 0.0, 0.6, 1.2}
                                               : AffineMatrix{0.8, -0.3, 2.25, 0.4, 1.1, -3.5};
      warp_image(image.rows(), out.rows(), {matrix, wanted.filter, {1, 2, 3, 4}});
      EXPECT_EQ(out.hash(), wanted.hash) << wanted.size.width << " x " << wanted.size.height << " x "
                                         << wanted.channels << " filter " << static_cast<int>(wanted.filter);
    }
  });
}

TEST(PillowKernels, blur_has_its_bytes_on_every_target) {
  for_each_target([](CpuTarget) {
    Scratch scratch;
    for (const BlurCase& wanted : kBlur) {
      Drawing image = draw(wanted.size, wanted.channels);
      box_blur_three_times(image.rows(), image.rows(), gaussian_blur_box(wanted.radius), scratch);
      EXPECT_EQ(image.hash(), wanted.hash) << wanted.size.width << " x " << wanted.size.height << " x "
                                           << wanted.channels << " radius " << wanted.radius;
    }
  });
}

// One pass for each side that changes; the vertical one first where Pillow takes that order.
std::vector<std::uint16_t> resized(std::vector<std::uint16_t> pixels, ImageSize from, ImageSize to,
                                   Interpolation filter) {
  RealWeights axis;
  const auto across = [&] {
    std::vector<std::uint16_t> out(static_cast<std::size_t>(to.width * from.height));
    compute_weights({from.width, to.width, filter, 0, to.width}, axis);
    resample_horizontal_16({&axis, 0, false}, pixels.data(), static_cast<std::size_t>(from.width),
                           from.height, out.data(), static_cast<std::size_t>(to.width));
    pixels = std::move(out);
    from.width = to.width;
  };
  const auto down = [&] {
    const auto width = static_cast<std::size_t>(from.width);
    std::vector<std::uint16_t> out(width * static_cast<std::size_t>(to.height));
    compute_weights({from.height, to.height, filter, 0, to.height}, axis);
    for (std::size_t y = 0; y < static_cast<std::size_t>(to.height); ++y) {
      const auto first = static_cast<std::size_t>(axis.windows[y].first);
      resample_vertical_16(axis, static_cast<int>(y), pixels.data() + first * width, width, from.width,
                           out.data() + y * width);
    }
    pixels = std::move(out);
  };
  const int fewer_rows = from.height - to.height;
  if (fewer_rows > 0 && fewer_rows > 2 * (from.width - to.width)) {
    down();
    across();
  } else {
    across();
    down();
  }
  return pixels;
}

TEST(PillowKernels, resize_of_16_bits_has_its_bytes_on_every_target) {
  for_each_target([](CpuTarget) {
    for (const Resize16Case& wanted : kResize16) {
      const Drawing image = draw(wanted.from, 2);
      std::vector<std::uint16_t> pixels(static_cast<std::size_t>(wanted.from.width * wanted.from.height));
      std::memcpy(pixels.data(), image.bytes.data(), pixels.size() * 2);
      const auto got = resized(pixels, wanted.from, wanted.to, wanted.filter);
      EXPECT_EQ(hash_of(reinterpret_cast<const std::uint8_t*>(got.data()), got.size() * 2), wanted.hash)
          << wanted.from.width << " x " << wanted.from.height << " to " << wanted.to.width << " x "
          << wanted.to.height << " filter " << static_cast<int>(wanted.filter);
    }
  });
}

}  // namespace
}  // namespace penstock::inline v0
