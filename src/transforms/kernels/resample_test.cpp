#include "transforms/kernels/resample.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <vector>

#include "core/each_target_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using transforms::Interpolation;

constexpr Interpolation kFilters[] = {Interpolation::box, Interpolation::bilinear, Interpolation::hamming,
                                      Interpolation::bicubic, Interpolation::lanczos};
constexpr std::uint8_t kGuard = 0xA5;

// Pillow's rule in its plainest form: one weighted sum for each byte.
std::uint8_t weighted(const ResampleWeights& weights, int pixel, const std::uint8_t* in, std::size_t step) {
  const auto window = weights.windows[static_cast<std::size_t>(pixel)];
  std::int64_t sum = 1 << 21;
  for (int i = 0; i < window.count; ++i) {
    sum += std::int64_t{in[static_cast<std::size_t>(window.first + i) * step]} *
           weights.weights[static_cast<std::size_t>(pixel * weights.stride + i)];
  }
  return static_cast<std::uint8_t>(std::clamp<std::int64_t>(sum >> 22, 0, 255));
}

struct Rows {
  std::size_t stride;
  std::size_t offset;  // from an aligned address
  std::vector<std::uint8_t> bytes;

  Rows(std::size_t stride, int rows, std::size_t offset)
      : stride(stride),
        offset(offset),
        bytes(offset + stride * static_cast<std::size_t>(rows) + kRowSlack, kGuard) {}
  std::uint8_t* at(int y) { return bytes.data() + offset + static_cast<std::size_t>(y) * stride; }
};

void fill(Rows& rows, int count, std::size_t bytes, std::mt19937& random) {
  const bool extremes = random() % 2 == 0;  // sums that overshoot 0 and 255
  for (int y = 0; y < count; ++y) {
    for (std::size_t i = 0; i < bytes; ++i) {
      rows.at(y)[i] = static_cast<std::uint8_t>(extremes ? (random() % 2) * 255 : random());
    }
  }
}

void check_horizontal(AxisRequest request, int rows, bool flip, std::mt19937& random) {
  ResampleWeights weights;
  ResampleAxis axis;
  compute_axis(request, weights, axis);
  const int channels = std::array{1, 3, 4}[random() % 3];
  const auto pixel_bytes = static_cast<std::size_t>(channels);
  const std::size_t in_bytes = static_cast<std::size_t>(request.in) * pixel_bytes;
  const std::size_t out_bytes = static_cast<std::size_t>(request.count) * pixel_bytes;
  Rows in(in_bytes, rows, random() % 7);  // rows follow closely: only the last has slack
  fill(in, rows, in_bytes, random);
  Rows out(out_bytes + kRowSlack, rows, random() % 7);
  resample_horizontal({&axis, 0, flip, channels}, in.at(0), in.stride, rows, out.at(0), out.stride);
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < request.count; ++x) {
      for (int c = 0; c < channels; ++c) {
        const int pixel = flip ? request.count - 1 - x : x;
        ASSERT_EQ(out.at(y)[x * channels + c], weighted(weights, pixel, in.at(y) + c, pixel_bytes))
            << request.in << " -> " << request.out << " pixel " << x << " channel " << c << " of " << channels
            << " row " << y;
      }
    }
  }
  for (std::size_t i = 0; i < out.offset; ++i) {
    ASSERT_EQ(out.bytes[i], kGuard) << "written before the first row";
  }
}

void check_vertical(AxisRequest request, std::size_t bytes, std::mt19937& random) {
  ResampleWeights weights;
  ResampleAxis axis;
  compute_axis(request, weights, axis);
  Rows in(bytes + random() % 5, request.in, random() % 7);
  fill(in, request.in, bytes, random);
  Rows out(bytes + kRowSlack, request.count, random() % 7);
  for (int y = 0; y < request.count; ++y) {
    resample_vertical(axis, y, in.at(axis.taps_of(y).start), in.stride, bytes, out.at(y));
  }
  for (int y = 0; y < request.count; ++y) {
    for (std::size_t i = 0; i < bytes; ++i) {
      ASSERT_EQ(out.at(y)[i], weighted(weights, y, in.at(0) + i, in.stride))
          << request.in << " -> " << request.out << " row " << y << " byte " << i;
    }
  }
}

AxisRequest random_request(std::mt19937& random) {
  const int largest = random() % 4 == 0 ? 400 : 40;
  AxisRequest request;
  request.in = 1 + static_cast<int>(random() % static_cast<unsigned>(largest));
  request.out = 1 + static_cast<int>(random() % 60);
  request.filter = kFilters[random() % std::size(kFilters)];
  request.first = static_cast<int>(random() % static_cast<unsigned>(request.out));
  request.count = 1 + static_cast<int>(random() % static_cast<unsigned>(request.out - request.first));
  return request;
}

TEST(Resample, runs_the_target_that_is_forced) {
  print_untried_targets();
  for_each_target([](CpuTarget target) { EXPECT_EQ(resample_target(), target); });
}

TEST(Resample, horizontal_pass_equals_the_plain_rule_on_every_target) {
  for_each_target([](CpuTarget) {
    std::mt19937 random(1);
    for (int i = 0; i < 1200 && !::testing::Test::HasFatalFailure(); ++i) {
      check_horizontal(random_request(random), 1 + static_cast<int>(random() % 19), random() % 2 == 0,
                       random);
    }
  });
}

TEST(Resample, vertical_pass_equals_the_plain_rule_on_every_target) {
  for_each_target([](CpuTarget) {
    std::mt19937 random(2);
    for (int i = 0; i < 400 && !::testing::Test::HasFatalFailure(); ++i) {
      check_vertical(random_request(random), 1 + random() % 200, random);
    }
  });
}

TEST(Resample, one_pixel_and_huge_factors_work_on_every_target) {
  for_each_target([](CpuTarget) {
    std::mt19937 random(3);
    for (const Interpolation filter : kFilters) {
      for (const auto& [in, out] :
           {std::pair{1, 1}, {1, 9}, {2, 9}, {3, 1}, {5, 700}, {5000, 3}, {4096, 1}}) {
        check_horizontal({in, out, filter, 0, out}, 3, false, random);
        check_vertical({in, out, filter, 0, out}, 7, random);
      }
    }
  });
}

TEST(Resample, weights_add_up_to_one_within_rounding) {
  ResampleWeights weights;
  for (const Interpolation filter : kFilters) {
    for (const auto& [in, out] : {std::pair{300, 224}, {224, 300}, {7, 7}, {1000, 10}}) {
      compute_weights({in, out, filter, 0, out}, weights);
      for (int pixel = 0; pixel < out; ++pixel) {
        std::int64_t sum = 0;
        const auto window = weights.windows[static_cast<std::size_t>(pixel)];
        for (int i = 0; i < window.count; ++i) {
          sum += weights.weights[static_cast<std::size_t>(pixel * weights.stride + i)];
        }
        EXPECT_NEAR(static_cast<double>(sum), 1 << kWeightBits, window.count);
      }
    }
  }
}

TEST(Resample, a_part_of_an_axis_has_the_same_weights_as_the_whole) {
  ResampleWeights whole, part;
  compute_weights({411, 224, Interpolation::lanczos, 0, 224}, whole);
  compute_weights({411, 224, Interpolation::lanczos, 100, 30}, part);
  for (int pixel = 0; pixel < 30; ++pixel) {
    const auto a = whole.windows[static_cast<std::size_t>(pixel + 100)];
    const auto b = part.windows[static_cast<std::size_t>(pixel)];
    ASSERT_EQ(a.first, b.first);
    ASSERT_EQ(a.count, b.count);
    EXPECT_EQ(std::memcmp(whole.weights.data() + (pixel + 100) * whole.stride,
                          part.weights.data() + pixel * part.stride, static_cast<std::size_t>(a.count) * 4),
              0);
  }
}

// What a 16-bit sum of products of bytes and digits is; a pair of products must not need more bits.
std::int16_t digit_sum(const std::uint32_t (&pairs)[2], const int (&bytes)[4], bool with_sign, bool& fits) {
  int sum = 0;
  for (int pair = 0; pair < 2; ++pair) {
    int products = 0;
    for (int i = 0; i < 2; ++i) {
      const auto byte = static_cast<std::uint8_t>(pairs[pair] >> (8 * i));
      products += bytes[2 * pair + i] * (with_sign ? static_cast<std::int8_t>(byte) : byte);
    }
    fits = fits && products >= -32768 && products <= 32767;
    sum += products;
  }
  return static_cast<std::int16_t>(sum);
}

// The rule of ResampleAxis::Digits.
int by_digits(const ResampleAxis::Digits& digits, const int (&bytes)[4], bool& fits) {
  const int moved[4] = {bytes[0] - 128, bytes[1] - 128, bytes[2] - 128, bytes[3] - 128};
  const auto add = [](int a, int b) { return static_cast<std::int16_t>(a + b); };
  const std::int16_t low =
      add(digit_sum(digits.low, bytes, true, fits), static_cast<std::int16_t>(digits.bias[0]));
  const std::int16_t middle = add(digit_sum(digits.middle, bytes, true, fits),
                                  static_cast<std::int16_t>(digits.bias[1]) + (low >> 7));
  const std::int16_t top = add(digit_sum(digits.top, moved, false, fits),
                               static_cast<std::int16_t>(digits.bias[2]) + (middle >> 7));
  return static_cast<std::uint16_t>(top) >> 8;
}

// Sums are largest and smallest where every byte is 0 or 255: all of these are tried for every pixel.
TEST(Resample, digits_give_the_plain_rule_where_sums_are_largest_and_smallest) {
  ResampleWeights weights;
  ResampleAxis axis;
  int axes[5] = {};
  for (const Interpolation filter : {Interpolation::bilinear, Interpolation::box, Interpolation::hamming}) {
    for (int in = 2; in < 700; in += filter == Interpolation::bilinear ? 1 : 3) {
      compute_axis({in, 224, filter, 0, 224}, weights, axis);
      ++axes[axis.digit_taps];
      for (int pixel = 0; pixel < 224 && axis.digit_taps != 0; ++pixel) {
        const auto window = weights.windows[static_cast<std::size_t>(pixel)];
        const auto& digits = axis.digits_of(pixel);
        for (int set = 0; set < 16; ++set) {
          std::uint8_t window_bytes[4];
          int bytes[4];
          for (int i = 0; i < 4; ++i) {
            bytes[i] = (set >> i) % 2 * 255;
            const int tap = axis.taps_of(pixel).start + i - window.first;
            if (tap >= 0 && tap < window.count) {
              window_bytes[tap] = static_cast<std::uint8_t>(bytes[i]);
            }
          }
          bool fits = true;
          std::int64_t sum = 1 << 21;
          for (int tap = 0; tap < window.count; ++tap) {
            sum += std::int64_t{window_bytes[tap]} *
                   weights.weights[static_cast<std::size_t>(pixel * weights.stride + tap)];
          }
          ASSERT_EQ(by_digits(digits, bytes, fits), sum >> 22) << in << " -> 224, pixel " << pixel;
          ASSERT_TRUE(fits) << in << " -> 224, pixel " << pixel;
        }
      }
    }
  }
  EXPECT_GT(axes[2], 200);
  EXPECT_GT(axes[3], 100);
  EXPECT_GT(axes[4], 100);
}

TEST(Resample, nearest_takes_the_pixel_under_the_centre) {
  std::vector<int> sources;
  compute_nearest({10, 4, Interpolation::nearest, 0, 4}, ElementType::uint8, sources);
  EXPECT_EQ(sources, (std::vector<int>{1, 3, 6, 8}));
  compute_nearest({3, 7, Interpolation::nearest, 2, 3}, ElementType::uint8, sources);
  EXPECT_EQ(sources, (std::vector<int>{1, 1, 1}));
}

TEST(Resample, nearest_rounds_as_pillow_does_for_the_type) {
  std::vector<int> sources;  // the centre of the fourth pixel lies between the two, but for rounding
  compute_nearest({2, 7, Interpolation::nearest, 0, 7}, ElementType::uint8, sources);
  EXPECT_EQ(sources, (std::vector<int>{0, 0, 0, 0, 1, 1, 1}));
  compute_nearest({2, 7, Interpolation::nearest, 0, 7}, ElementType::uint16, sources);
  EXPECT_EQ(sources, (std::vector<int>{0, 0, 0, 1, 1, 1, 1}));
}

}  // namespace
}  // namespace penstock::inline v0
