#pragma once
// What operations on colours are made of, with Pillow's arithmetic.

#include <cmath>
#include <cstdint>

#include "transforms/image_steps.hpp"
#include "transforms/kernels/byte_tables.hpp"
#include "transforms/kernels/color.hpp"

namespace penstock::inline v0 {

inline TableStep brightness_step(double factor) {
  return {.name = "brightness",
          .make = [](const TableStep& step, const ImageStatistics&,
                     std::size_t) { return blend_table(0, static_cast<float>(step.numbers[0])); },
          .numbers = {factor}};
}

inline TableStep contrast_step(double factor) {
  return {
      .name = "contrast",
      .make = [](const TableStep& step, const ImageStatistics& image,
                 std::size_t) { return blend_table(image.gray_mean, static_cast<float>(step.numbers[0])); },
      .needs = TableStep::Needs::gray_mean,
      .numbers = {factor}};
}

inline PixelsStep saturation_step(double factor) {
  return {.name = "saturation",
          .run = [](const PixelsStep& step, const ConstPixelRows& in, const PixelRows& out,
                    Scratch&) { adjust_saturation(in, out, static_cast<float>(step.numbers[0])); },
          .in_place = true,
          .numbers = {factor}};
}

/// A part of the colour circle, -0.5 to 0.5.
inline PixelsStep hue_step(double part) {
  return {.name = "hue",
          .run =
              [](const PixelsStep& step, const ConstPixelRows& in, const PixelRows& out, Scratch&) {
                adjust_hue(in, out, static_cast<std::uint8_t>(static_cast<int>(step.numbers[0] * 255)));
              },
          .in_place = true,
          .numbers = {part}};
}

}  // namespace penstock::inline v0
