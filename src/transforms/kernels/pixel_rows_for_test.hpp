#pragma once
// For tests of kernels: images in guarded memory, at odd addresses, with rows that do not follow each other.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "transforms/kernels/pixel_rows.hpp"
#include "transforms/kernels/resample.hpp"

namespace penstock::inline v0 {

/// Sizes at which vectors end in the middle.
inline constexpr ImageSize kOddSizes[] = {{1, 1},   {1, 7},  {7, 1},    {2, 2},   {3, 5},  {5, 3},
                                          {15, 4},  {16, 3}, {17, 9},   {31, 2},  {33, 6}, {64, 3},
                                          {65, 70}, {77, 9}, {100, 33}, {129, 3}, {224, 5}};

class GuardedImage {
 public:
  static constexpr std::uint8_t kGuard = 0xA5;

  GuardedImage(ImageSize size, int channels, std::mt19937& random)
      : size_(size), channels_(channels), offset_(random() % 7), gap_(random() % 3 == 0 ? 0 : random() % 5) {
    bytes_.assign(offset_ + stride() * static_cast<std::size_t>(size.height) + kRowSlack, kGuard);
  }

  PixelRows rows() { return {bytes_.data() + offset_, stride(), size_, channels_}; }

  /// Noise, or few colours, or a gradient: what kernels branch on.
  GuardedImage& fill(std::mt19937& random) {
    const unsigned kind = random() % 4;
    for (int y = 0; y < size_.height; ++y) {
      for (std::size_t i = 0; i < rows().row_bytes(); ++i) {
        const auto place =
            static_cast<unsigned>(i) / static_cast<unsigned>(channels_) + static_cast<unsigned>(y);
        rows().row(y)[i] = static_cast<std::uint8_t>(kind == 0   ? random() % 2 * 255
                                                     : kind == 1 ? place * 2 + random() % 3
                                                                 : random());
      }
    }
    return *this;
  }

  /// Nothing but the pixels was written.
  void check_guards() {
    std::vector<bool> inside(bytes_.size());
    for (int y = 0; y < size_.height; ++y) {
      const auto begin = static_cast<std::ptrdiff_t>(offset_ + stride() * static_cast<std::size_t>(y));
      std::fill_n(inside.begin() + begin, rows().row_bytes(), true);
    }
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      ASSERT_TRUE(inside[i] || bytes_[i] == kGuard) << "byte " << i << " is outside of the image";
    }
  }

 private:
  std::size_t stride() const {
    return static_cast<std::size_t>(size_.width) * static_cast<std::size_t>(channels_) + gap_;
  }

  ImageSize size_;
  int channels_;
  std::size_t offset_;
  std::size_t gap_;
  std::vector<std::uint8_t> bytes_;
};

inline void expect_same(const ConstPixelRows& got, const ConstPixelRows& wanted) {
  for (int y = 0; y < wanted.size.height; ++y) {
    for (std::size_t i = 0; i < wanted.row_bytes(); ++i) {
      ASSERT_EQ(int{got.row(y)[i]}, int{wanted.row(y)[i]})
          << wanted.size.width << " x " << wanted.size.height << " x " << wanted.channels << ", row " << y
          << ", byte " << i;
    }
  }
}

}  // namespace penstock::inline v0
