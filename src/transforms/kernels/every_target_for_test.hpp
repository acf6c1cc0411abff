#pragma once
// For tests of kernels that make an image of an image.

#include "core/each_target_for_test.hpp"
#include "transforms/kernels/pixel_rows_for_test.hpp"

namespace penstock::inline v0 {

/// Runs `change(in, out, seed)` on images of odd sizes, with every target and with the scalar one; where it
/// may be, also in place.
template <class Change>
void check_every_target(int channels, int out_channels, Change change, bool in_place = true) {
  for_each_target([&](CpuTarget target) {
    std::mt19937 random(7);
    for (const ImageSize size : kOddSizes) {
      GuardedImage in(size, channels, random);
      in.fill(random);
      GuardedImage wanted(size, out_channels, random), got(size, out_channels, random);
      const unsigned seed = random();
      ASSERT_TRUE(force_cpu_target_for_test(CpuTarget::scalar).ok());
      change(in.rows(), wanted.rows(), seed);
      ASSERT_TRUE(force_cpu_target_for_test(target).ok());
      change(in.rows(), got.rows(), seed);
      expect_same(got.rows(), wanted.rows());
      got.check_guards();
      if (in_place && channels == out_channels) {
        change(in.rows(), in.rows(), seed);
        expect_same(in.rows(), wanted.rows());
        in.check_guards();
      }
      if (::testing::Test::HasFatalFailure()) {
        return;
      }
    }
  });
}

}  // namespace penstock::inline v0
