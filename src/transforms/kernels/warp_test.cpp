#include "transforms/kernels/warp.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/each_target_for_test.hpp"
#include "transforms/kernels/pixel_rows_for_test.hpp"
#include "transforms/kernels/warp_pixels.hpp"

namespace penstock::inline v0 {
namespace {

using transforms::Interpolation;

AffineMatrix random_matrix(std::mt19937& random) {
  std::uniform_real_distribution<double> turn(-1.5, 1.5), shift(-12.0, 40.0);
  AffineMatrix matrix{turn(random), turn(random), shift(random), turn(random), turn(random), shift(random)};
  switch (random() % 5) {
    case 0:  // a scale
      matrix[1] = matrix[3] = 0.0;
      break;
    case 2:  // places between pixels by a few bits
      for (double& value : matrix) {
        value = std::round(value * 64) / 64;
      }
      break;
    case 1:  // the identity and whole steps, perhaps sheared one way
      matrix = {1, 0, std::floor(matrix[2]), 0, 1, std::floor(matrix[5])};
      switch (random() % 3) {
        case 0:
          matrix[1] = turn(random);
          break;
        case 1:
          matrix[3] = turn(random) / 6;
          break;
        default:
          break;
      }
      break;
    default:
      break;
  }
  return matrix;
}

TEST(Warp, runs_the_target_that_is_forced) {
  for_each_target([](CpuTarget target) { EXPECT_EQ(warp_target(), target); });
}

TEST(Warp, every_filter_is_the_same_on_every_target) {
  for_each_target([](CpuTarget target) {
    std::mt19937 random(11);
    for (int round = 0; round < 5; ++round) {
      for (const ImageSize size : kOddSizes) {
        for (const int channels : {1, 3, 4}) {
          GuardedImage in(size, channels, random);
          in.fill(random);
          const ImageSize out_size = kOddSizes[random() % std::size(kOddSizes)];
          GuardedImage wanted(out_size, channels, random), got(out_size, channels, random);
          Warp warp{random_matrix(random),
                    std::array{Interpolation::nearest, Interpolation::bilinear,
                               Interpolation::bicubic}[random() % 3],
                    {1, 2, 3, 4},
                    {}};
          if (random() % 3 == 0) {
            std::uniform_real_distribution<double> lean(-0.02, 0.02);
            warp.perspective = {lean(random), lean(random)};
          }
          ASSERT_TRUE(force_cpu_target_for_test(CpuTarget::scalar).ok());
          warp_image(in.rows(), wanted.rows(), warp);
          ASSERT_TRUE(force_cpu_target_for_test(target).ok());
          warp_image(in.rows(), got.rows(), warp);
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

TEST(Warp, knows_where_float32_has_nothing_to_round) {
  EXPECT_TRUE(has_short_rests({0.75, 0, 62.5, 0, 0.75, 46.875}));
  EXPECT_TRUE(has_short_rests({-1.0 / 64, 2, 1.0 / 128, 0.5, -3, 0}));
  EXPECT_FALSE(has_short_rests({0.7, 0, 0, 0, 1, 0}));
  EXPECT_FALSE(has_short_rests({1.0 / 128, 0, 0, 0, 1, 0}));
  EXPECT_FALSE(has_short_rests({1, 0, 0, 0, 1, 1.0 / 256}));
}

// The rule for each pixel by itself: shifts and shears take short cuts.
TEST(Warp, shears_and_shifts_are_what_fixed_point_gives_for_each_pixel) {
  std::mt19937 random(15);
  std::uniform_real_distribution<double> shear(-0.2, 0.2), shift(-9.0, 9.0);
  const auto fixed = [](double value) { return static_cast<std::int64_t>(std::floor(value * 65536 + 0.5)); };
  for (int round = 0; round < 300; ++round) {
    GuardedImage in({23, 17}, 3, random), out({23, 17}, 3, random);
    in.fill(random);
    AffineMatrix m{1, 0, shift(random), 0, 1, shift(random)};
    m[round % 2 == 0 ? 1 : 3] = shear(random);
    warp_image(in.rows(), out.rows(), {m, Interpolation::nearest, {9, 9, 9, 9}, {}});
    for (int y = 0; y < 17; ++y) {
      for (int x = 0; x < 23; ++x) {
        const std::int64_t column =
            (fixed(m[2] + 0.5 * m[0] + 0.5 * m[1]) + y * fixed(m[1]) + x * fixed(m[0])) >> 16;
        const std::int64_t row =
            (fixed(m[5] + 0.5 * m[3] + 0.5 * m[4]) + y * fixed(m[4]) + x * fixed(m[3])) >> 16;
        const bool inside = column >= 0 && column < 23 && row >= 0 && row < 17;
        ASSERT_EQ(out.rows().row(y)[3 * x], inside ? in.rows().row(static_cast<int>(row))[3 * column] : 9);
      }
    }
    out.check_guards();
  }
}

// Far out, places do not fit fixed point; the image is found again where it should be.
TEST(Warp, nearest_works_where_places_are_too_far_out_for_fixed_point) {
  std::mt19937 random(12);
  GuardedImage in({5, 4}, 3, random), out({40000, 1}, 3, random);
  in.fill(random);
  warp_image(in.rows(), out.rows(),
             {{1.0, 1e-9, -39000.0, 1e-9, 1.0, 2.0}, Interpolation::nearest, {9, 9, 9, 9}});
  const std::uint8_t* row = out.rows().row(0);
  EXPECT_EQ(row[0], 9);
  for (int x = 0; x < 5; ++x) {
    for (int c = 0; c < 3; ++c) {
      EXPECT_EQ(row[(39000 + x) * 3 + c], in.rows().row(2)[x * 3 + c]);
    }
  }
  EXPECT_EQ(row[39005 * 3], 9);
  out.check_guards();
}

TEST(Moves, put_every_pixel_where_it_belongs) {
  std::mt19937 random(13);
  for (const ImageSize size : kOddSizes) {
    for (const int channels : {1, 2, 3, 4}) {
      GuardedImage in(size, channels, random);
      in.fill(random);
      const int right = size.width - 1, bottom = size.height - 1;
      for (const Move move : {Move::mirror, Move::flip, Move::turn_90, Move::turn_180, Move::turn_270,
                              Move::transpose, Move::transverse}) {
        const ImageSize moved = swaps_sides(move) ? ImageSize{size.height, size.width} : size;
        GuardedImage out(moved, channels, random);
        move_pixels(in.rows(), out.rows(), move);
        for (int y = 0; y < moved.height; ++y) {
          for (int x = 0; x < moved.width; ++x) {
            const auto [from_x, from_y] = [&]() -> std::pair<int, int> {
              switch (move) {
                case Move::mirror:
                  return {right - x, y};
                case Move::flip:
                  return {x, bottom - y};
                case Move::turn_90:
                  return {right - y, x};
                case Move::turn_180:
                  return {right - x, bottom - y};
                case Move::turn_270:
                  return {y, bottom - x};
                case Move::transpose:
                  return {y, x};
                default:
                  return {right - y, bottom - x};
              }
            }();
            ASSERT_EQ(std::memcmp(out.rows().row(y) + x * channels, in.rows().row(from_y) + from_x * channels,
                                  static_cast<std::size_t>(channels)),
                      0);
          }
        }
        out.check_guards();
      }
    }
  }
}

TEST(FillBox, fills_the_box_and_nothing_else) {
  std::mt19937 random(14);
  for (const int channels : {1, 2, 3, 4}) {
    GuardedImage image({9, 6}, channels, random);
    image.fill(random);
    GuardedImage before = image;
    const Rect box{2, 1, 5, 3};
    fill_box(image.rows(), box, {10, 20, 30, 40});
    for (int y = 0; y < 6; ++y) {
      for (int x = 0; x < 9; ++x) {
        const bool inside = x >= 2 && x < 7 && y >= 1 && y < 4;
        for (int c = 0; c < channels; ++c) {
          ASSERT_EQ(image.rows().row(y)[x * channels + c],
                    inside ? 10 * (c + 1) : before.rows().row(y)[x * channels + c]);
        }
      }
    }
    image.check_guards();
  }
}

}  // namespace
}  // namespace penstock::inline v0
