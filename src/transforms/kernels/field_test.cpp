#include "transforms/kernels/field.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/each_target_for_test.hpp"
#include "transforms/distribution_for_test.hpp"
#include "transforms/kernels/pixel_rows_for_test.hpp"

namespace penstock::inline v0 {
namespace {

struct FieldMemory {
  explicit FieldMemory(ImageSize size)
      : columns(static_cast<std::size_t>(size.width * size.height) + 16), rows(columns.size()) {}
  FieldPlanes planes() { return {columns.data(), rows.data()}; }

  std::vector<float> columns;
  std::vector<float> rows;
};

TEST(Field, runs_the_target_that_is_forced) {
  for_each_target([](CpuTarget target) { EXPECT_EQ(field_target(), target); });
}

TEST(Field, is_the_same_on_every_target) {
  for_each_target([](CpuTarget target) {
    std::mt19937 random(21);
    for (int round = 0; round < 4; ++round) {
      for (const ImageSize size : kOddSizes) {
        for (const int channels : {1, 3, 4}) {
          GuardedImage in(size, channels, random);
          in.fill(random);
          GuardedImage wanted(size, channels, random), got(size, channels, random);
          FieldMemory field(size);
          std::uniform_real_distribution<float> x(-3, static_cast<float>(size.width) + 2);
          std::uniform_real_distribution<float> y(-3, static_cast<float>(size.height) + 2);
          for (std::size_t i = 0; i < field.columns.size(); ++i) {
            field.columns[i] = random() % 50 == 0 ? std::nanf("") : x(random);
            field.rows[i] = random() % 10 == 0 ? std::floor(y(random)) : y(random);
          }
          const FieldSampling how{.nearest = random() % 4 == 0, .fill = {1, 2, 3, 4}};
          ASSERT_TRUE(force_cpu_target_for_test(CpuTarget::scalar).ok());
          sample_field(in.rows(), wanted.rows(), field.planes(), how);
          ASSERT_TRUE(force_cpu_target_for_test(target).ok());
          sample_field(in.rows(), got.rows(), field.planes(), how);
          expect_same(got.rows(), wanted.rows());
          got.check_guards();
          if (::testing::Test::HasFatalFailure()) {
            return;
          }
        }
      }
    }
  });
}

TEST(Field, whole_numbers_copy_pixels_and_the_outside_is_filled) {
  std::mt19937 random(22);
  GuardedImage in({6, 5}, 3, random), out({6, 5}, 3, random);
  in.fill(random);
  FieldMemory field({6, 5});
  for (std::size_t i = 0; i < 30; ++i) {
    field.columns[i] = static_cast<float>(i % 6) + 2;
    field.rows[i] = static_cast<float>(i / 6) - 1;
  }
  sample_field(in.rows(), out.rows(), field.planes(), {.nearest = false, .fill = {9, 9, 9, 9}});
  EXPECT_EQ(out.rows().row(0)[0], 9);
  EXPECT_EQ(out.rows().row(1)[0], in.rows().row(0)[6]);
  EXPECT_EQ(out.rows().row(4)[3 * 3], in.rows().row(3)[5 * 3]);
  EXPECT_EQ(out.rows().row(4)[3 * 4], 9);
}

// The plain rule: every number from all of its neighbours, in double.
TEST(BlurPlane, is_a_gaussian_reflected_at_the_edges_on_every_target) {
  std::vector<std::vector<float>> scalar;
  for_each_target([&](CpuTarget target) {
    std::mt19937 random(23);
    Scratch scratch;
    std::size_t number = 0;
    for (const ImageSize size : kOddSizes) {
      for (const int reach : {0, 1, 4, 20}) {
        std::vector<float> plane(static_cast<std::size_t>(size.width * size.height));
        std::uniform_real_distribution<float> values(-1, 1);
        for (float& value : plane) {
          value = values(random);
        }
        const std::vector<float> before = plane;
        std::vector<float> across(static_cast<std::size_t>(reach) + 1), down(across.size());
        gaussian_taps(reach / 4.0 + 0.1, reach, across.data());
        gaussian_taps(reach / 3.0 + 0.1, reach, down.data());
        blur_plane(plane.data(), size, across, down, scratch);
        if (target == CpuTarget::scalar) {
          scalar.push_back(plane);
        }
        ASSERT_EQ(plane, scalar[number++]);
        for (int y = 0; y < size.height; y += 2) {
          for (int x = 0; x < size.width; x += 3) {
            double sum = 0;
            for (int j = -reach; j <= reach; ++j) {
              for (int i = -reach; i <= reach; ++i) {
                const auto from = static_cast<std::size_t>(reflected(y + j, size.height) * size.width +
                                                           reflected(x + i, size.width));
                sum += static_cast<double>(before[from]) *
                       static_cast<double>(across[static_cast<std::size_t>(std::abs(i))]) *
                       static_cast<double>(down[static_cast<std::size_t>(std::abs(j))]);
              }
            }
            ASSERT_NEAR(plane[static_cast<std::size_t>(y * size.width + x)], sum, 2e-6);
          }
        }
      }
    }
  });
}

TEST(FillNoise, is_uniform_and_continues_anywhere) {
  const Draws::State start{.key = {1, 2}, .sample = 3, .op = 4, .drawn = 7};
  std::vector<float> first(4001), second(4001);
  fill_noise(start, first.size(), first.data(), second.data());
  EXPECT_LT(test::uniform_distance({first.begin(), first.end()}, -1, 1), test::kUniformDistance);
  EXPECT_LT(test::uniform_distance({second.begin(), second.end()}, -1, 1), test::kUniformDistance);
  Draws::State later = start;
  later.drawn += 1234;
  float one = 0, two = 0;
  fill_noise(later, 1, &one, &two);
  EXPECT_EQ(one, first[1234]);
  EXPECT_EQ(two, second[1234]);
}

}  // namespace
}  // namespace penstock::inline v0
