#include "transforms/kernels/mirror.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "core/each_target_for_test.hpp"

namespace penstock::inline v0 {
namespace {

TEST(FlipRow, reverses_pixels_but_not_channels) {
  const std::uint8_t in[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::uint8_t out[9];
  flip_row(in, 3, 3, out);
  const std::uint8_t wanted[9] = {7, 8, 9, 4, 5, 6, 1, 2, 3};
  EXPECT_EQ(std::memcmp(out, wanted, 9), 0);
}

TEST(FlipRow, every_target_reverses_rows_of_every_length_and_touches_nothing_else) {
  for_each_target([](CpuTarget target) {
    EXPECT_EQ(mirror_target(), target);
    std::mt19937 random(3);
    for (const std::size_t pixel : {1, 2, 3, 4, 6, 8}) {
      for (std::size_t width = 1; width < 150; ++width) {
        // Memory of its own: a sanitizer sees what is read beyond the row.
        std::vector<std::uint8_t> in(width * pixel);
        for (auto& byte : in) {
          byte = static_cast<std::uint8_t>(random());
        }
        std::vector<std::uint8_t> wanted(in.size() + 2, 0xA5), out(in.size() + 2, 0xA5);
        for (std::size_t x = 0; x < width; ++x) {
          std::memcpy(wanted.data() + 1 + x * pixel, in.data() + (width - 1 - x) * pixel, pixel);
        }
        flip_row(in.data(), static_cast<int>(width), pixel, out.data() + 1);
        ASSERT_EQ(out, wanted) << width << " pixels of " << pixel << " bytes";
      }
    }
  });
}

TEST(RepeatPixel, writes_the_pixel_as_often_as_it_is_told) {
  const std::uint8_t pixel[3] = {1, 2, 3};
  std::vector<std::uint8_t> out(17, 9);
  repeat_pixel(pixel, 3, 5, out.data() + 1);
  EXPECT_EQ(out, (std::vector<std::uint8_t>{9, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 9}));
  repeat_pixel(pixel, 3, 0, out.data());
  EXPECT_EQ(out[0], 9);
}

}  // namespace
}  // namespace penstock::inline v0
