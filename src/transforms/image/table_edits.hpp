#pragma once
// Tables that several operations plan, with Pillow's arithmetic. Those of brightness and contrast are in
// color_edits.hpp.

#include <algorithm>
#include <cstdint>

#include "transforms/image_edits.hpp"
#include "transforms/kernels/byte_tables.hpp"

namespace penstock::inline v0 {

inline TableEdit invert_edit() {
  return {.name = "invert",
          .make = [](const TableEdit&, const ImageStatistics&, std::size_t) { return invert_table(); }};
}

inline TableEdit solarize_edit(double threshold) {
  return {.name = "solarize",
          .make = [](const TableEdit& edit, const ImageStatistics&,
                     std::size_t) { return solarize_table(edit.numbers[0]); },
          .numbers = {threshold}};
}

/// Values below 128 become larger.
inline TableEdit solarize_add_edit(int added) {
  return {.name = "solarize add",
          .make =
              [](const TableEdit& edit, const ImageStatistics&, std::size_t) {
                ByteTable table = identity_table();
                for (int value = 0; value < 128; ++value) {
                  table[static_cast<std::size_t>(value)] =
                      static_cast<std::uint8_t>(std::min(255, value + static_cast<int>(edit.numbers[0])));
                }
                return table;
              },
          .numbers = {static_cast<double>(added)}};
}

/// `bits` of 8 stay.
inline TableEdit posterize_edit(int bits) {
  return {.name = "posterize",
          .make = [](const TableEdit& edit, const ImageStatistics&,
                     std::size_t) { return posterize_table(static_cast<int>(edit.numbers[0])); },
          .numbers = {static_cast<double>(bits)}};
}

inline TableEdit autocontrast_edit() {
  return {.name = "autocontrast",
          .make =
              [](const TableEdit&, const ImageStatistics& image, std::size_t channel) {
                const auto& counts = image.histogram[channel];
                const auto used = [](std::uint32_t count) { return count != 0; };
                const auto* first = std::find_if(counts.begin(), counts.end(), used);
                const auto last = std::find_if(counts.rbegin(), counts.rend(), used);
                return autocontrast_table(static_cast<std::uint8_t>(first - counts.begin()),
                                          static_cast<std::uint8_t>(counts.rend() - last - 1));
              },
          .needs = TableEdit::Needs::histogram};
}

inline TableEdit equalize_edit() {
  return {.name = "equalize",
          .make = [](const TableEdit&, const ImageStatistics& image,
                     std::size_t channel) { return equalize_table(image.histogram[channel]); },
          .needs = TableEdit::Needs::histogram};
}

}  // namespace penstock::inline v0
