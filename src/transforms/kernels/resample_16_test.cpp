#include "transforms/kernels/resample_16.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "core/each_target_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using transforms::Interpolation;

constexpr std::uint16_t kGuard16 = 0xA5A5;

// The rule in its plainest form.
std::uint16_t weighted(const RealWeights& weights, int pixel, const std::uint16_t* in, std::size_t step) {
  const auto window = weights.windows[static_cast<std::size_t>(pixel)];
  double sum = 0.0;
  for (int i = 0; i < window.count; ++i) {
    const double product = in[static_cast<std::size_t>(window.first + i) * step] *
                           weights.weights[static_cast<std::size_t>(pixel * weights.stride + i)];
    sum = sum + product;
  }
  return static_cast<std::uint16_t>(std::clamp(std::floor(sum + 0.5), 0.0, 65535.0));
}

AxisRequest random_request_16(std::mt19937& random) {
  constexpr Interpolation kFilters[] = {Interpolation::box, Interpolation::bilinear, Interpolation::hamming,
                                        Interpolation::bicubic, Interpolation::lanczos};
  AxisRequest request;
  request.in = 1 + static_cast<int>(random() % 90);
  request.out = 1 + static_cast<int>(random() % 60);
  request.filter = kFilters[random() % std::size(kFilters)];
  request.first = static_cast<int>(random() % static_cast<unsigned>(request.out));
  request.count = 1 + static_cast<int>(random() % static_cast<unsigned>(request.out - request.first));
  return request;
}

std::vector<std::uint16_t> noise(std::size_t count, std::mt19937& random) {
  std::vector<std::uint16_t> values(count);
  const bool extremes = random() % 2 == 0;  // sums that overshoot
  for (auto& value : values) {
    value = static_cast<std::uint16_t>(extremes ? random() % 2 * 65535 : random());
  }
  return values;
}

TEST(Resample16, runs_the_target_that_is_forced) {
  for_each_target([](CpuTarget target) { EXPECT_EQ(resample_16_target(), target); });
}

TEST(Resample16, horizontal_pass_equals_the_plain_rule_on_every_target) {
  for_each_target([](CpuTarget) {
    std::mt19937 random(21);
    for (int round = 0; round < 200; ++round) {
      const AxisRequest request = random_request_16(random);
      RealWeights axis;
      compute_weights(request, axis);
      const int rows = 1 + static_cast<int>(random() % 9);
      const bool flip = random() % 2 == 0;
      const auto in_stride = static_cast<std::size_t>(request.in) + random() % 3;
      const auto out_stride = static_cast<std::size_t>(request.count) + 2;
      const auto in = noise(in_stride * static_cast<std::size_t>(rows), random);
      std::vector<std::uint16_t> out(out_stride * static_cast<std::size_t>(rows), kGuard16);
      resample_horizontal_16({&axis, 0, flip}, in.data(), in_stride, rows, out.data(), out_stride);
      for (std::size_t y = 0; y < static_cast<std::size_t>(rows); ++y) {
        for (int x = 0; x < request.count; ++x) {
          ASSERT_EQ(out[y * out_stride + static_cast<std::size_t>(x)],
                    weighted(axis, flip ? request.count - 1 - x : x, in.data() + y * in_stride, 1));
        }
        ASSERT_EQ(out[(y + 1) * out_stride - 1], kGuard16);
        ASSERT_EQ(out[(y + 1) * out_stride - 2], kGuard16);
      }
    }
  });
}

TEST(Resample16, vertical_pass_equals_the_plain_rule_on_every_target) {
  for_each_target([](CpuTarget) {
    std::mt19937 random(22);
    for (int round = 0; round < 200; ++round) {
      const AxisRequest request = random_request_16(random);
      RealWeights axis;
      compute_weights(request, axis);
      const int width = 1 + static_cast<int>(random() % 40);
      const auto stride = static_cast<std::size_t>(width) + random() % 3;
      const auto in = noise(stride * static_cast<std::size_t>(request.in), random);
      std::vector<std::uint16_t> out(static_cast<std::size_t>(width) + 1, kGuard16);
      for (int y = 0; y < request.count; ++y) {
        const int first = axis.windows[static_cast<std::size_t>(y)].first;
        resample_vertical_16(axis, y, in.data() + static_cast<std::size_t>(first) * stride, stride, width,
                             out.data());
        for (int x = 0; x < width; ++x) {
          ASSERT_EQ(out[static_cast<std::size_t>(x)], weighted(axis, y, in.data() + x, stride));
        }
        ASSERT_EQ(out.back(), kGuard16);
      }
    }
  });
}

}  // namespace
}  // namespace penstock::inline v0
