#pragma once
// What operations on colours are made of, with Pillow's arithmetic.

#include <cmath>
#include <cstdint>

#include "transforms/image_edits.hpp"
#include "transforms/kernels/byte_tables.hpp"
#include "transforms/kernels/color.hpp"

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

}  // namespace penstock::inline v0
