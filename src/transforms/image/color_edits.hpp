#pragma once
// What operations on colours are made of, with Pillow's arithmetic.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "core/rng.hpp"
#include "transforms/drawn.hpp"
#include "transforms/image_edits.hpp"
#include "transforms/kernels/box_blur.hpp"
#include "transforms/kernels/byte_tables.hpp"
#include "transforms/kernels/channels.hpp"
#include "transforms/kernels/color.hpp"
#include "transforms/kernels/sharpen.hpp"

namespace penstock::inline v0 {

inline TableEdit brightness_edit(double factor) {
  return {.name = "brightness",
          .make = [](const TableEdit& edit, const ImageStatistics&,
                     std::size_t) { return blend_table(0, static_cast<float>(edit.numbers[0])); },
          .numbers = {factor}};
}

inline TableEdit contrast_edit(double factor) {
  return {
      .name = "contrast",
      .make = [](const TableEdit& edit, const ImageStatistics& image,
                 std::size_t) { return blend_table(image.gray_mean, static_cast<float>(edit.numbers[0])); },
      .needs = TableEdit::Needs::gray_mean,
      .numbers = {factor}};
}

inline PixelsEdit saturation_edit(double factor) {
  return {.name = "saturation",
          .run = [](const PixelsEdit& edit, const ConstPixelRows& in, const PixelRows& out,
                    Scratch&) { adjust_saturation(in, out, static_cast<float>(edit.numbers[0])); },
          .in_place = true,
          .numbers = {factor}};
}

/// A part of the colour circle, -0.5 to 0.5.
inline PixelsEdit hue_edit(double part) {
  return {.name = "hue",
          .run =
              [](const PixelsEdit& edit, const ConstPixelRows& in, const PixelRows& out, Scratch&) {
                adjust_hue(in, out, static_cast<std::uint8_t>(static_cast<int>(edit.numbers[0] * 255)));
              },
          .in_place = true,
          .numbers = {part}};
}

inline PixelsEdit sharpness_edit(double factor) {
  return {.name = "sharpness",
          .run = [](const PixelsEdit& edit, const ConstPixelRows& in, const PixelRows& out,
                    Scratch&) { adjust_sharpness(in, out, static_cast<float>(edit.numbers[0])); },
          .numbers = {factor}};
}

/// Pillow's GaussianBlur of a radius above 0.
inline PixelsEdit box_blur_edit(double radius) {
  return {.name = "blur",
          .run =
              [](const PixelsEdit& edit, const ConstPixelRows& in, const PixelRows& out, Scratch& scratch) {
                box_blur_three_times(in, out, gaussian_blur_box(static_cast<float>(edit.numbers[0])),
                                     scratch);
              },
          .in_place = true,
          .numbers = {radius}};
}

/// Gray values in all channels of colour; nothing to be done for gray images.
inline PixelsEdit gray_edit() {
  return {.name = "gray",
          .run = [](const PixelsEdit&, const ConstPixelRows& in, const PixelRows& out,
                    Scratch&) { to_gray(in, out); },
          .in_place = true};
}

/// Of images of 3 or 4 channels; the order is that of the three of colour.
inline PixelsEdit permutation_edit(const std::vector<int>& order) {
  return {.name = "permute channels",
          .run =
              [](const PixelsEdit& edit, const ConstPixelRows& in, const PixelRows& out, Scratch&) {
                permute_channels(in, out,
                                 {static_cast<int>(edit.numbers[0]), static_cast<int>(edit.numbers[1]),
                                  static_cast<int>(edit.numbers[2])});
              },
          .in_place = true,
          .numbers = {static_cast<double>(order[0]), static_cast<double>(order[1]),
                      static_cast<double>(order[2])}};
}

/// Of the channels of colour, each as likely.
inline void draw_permutation(int channels, Draws& draws, std::vector<int>& order) {
  order.resize(static_cast<std::size_t>(std::min(channels, 3)));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t left = order.size(); left > 1; --left) {
    std::swap(order[left - 1], order[static_cast<std::size_t>(draws.below(left))]);
  }
}

inline Status check_permutation(std::string_view operation, int channels, std::vector<int> order) {
  std::sort(order.begin(), order.end());
  bool good = order.size() == static_cast<std::size_t>(std::min(channels, 3));
  for (std::size_t i = 0; good && i < order.size(); ++i) {
    good = order[i] == static_cast<int>(i);
  }
  return good ? Status()
              : detail::wrong_drawn(operation, "permutation",
                                    "must have the number of each channel of colour");
}

}  // namespace penstock::inline v0
