#include "transforms/statistics.hpp"

#include <algorithm>

#include "transforms/kernels/byte_tables.hpp"
#include "transforms/kernels/color.hpp"

namespace penstock::inline v0 {

void measure_image(const ConstPixelRows& image, const ByteTables& tables, TableEdit::Needs needs,
                   Scratch& scratch, ImageStatistics& statistics) {
  const auto channels = static_cast<std::size_t>(image.channels);
  if (needs == TableEdit::Needs::histogram) {
    for (auto& histogram : statistics.histogram) {
      histogram.fill(0);
    }
    for (int y = 0; y < image.size.height; ++y) {
      const std::uint8_t* row = image.row(y);
      for (int x = 0; x < image.size.width; ++x, row += channels) {
        for (std::size_t channel = 0; channel < channels; ++channel) {
          ++statistics.histogram[channel][tables[channel][row[channel]]];
        }
      }
    }
    return;
  }
  // The gray value of a pixel is rounded: its mean needs the pixels as they are by now.
  const PixelRows now{scratch.reserve(image.row_bytes() * static_cast<std::size_t>(image.size.height)),
                      image.row_bytes(), image.size, image.channels};
  apply_tables(image, now, {tables.data(), channels});
  statistics.gray_mean = gray_mean(now);
}

}  // namespace penstock::inline v0
