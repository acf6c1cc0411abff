#include "transforms/statistics.hpp"

#include <algorithm>

#include "transforms/kernels/byte_tables.hpp"
#include "transforms/kernels/color.hpp"

namespace penstock::inline v0 {
namespace {

// Neighbours are often equal: counted in turns, so that no count waits for the one before to be stored.
template <std::size_t kChannels>
void count_values(const ConstPixelRows& image, ValueCounts& counts) {
  constexpr std::size_t kTurns = kChannels == 1 ? 4 : 2;
  std::array<ValueCounts, kTurns> turns{};
  for (int y = 0; y < image.size.height; ++y) {
    const std::uint8_t* pixel = image.row(y);
    const std::uint8_t* const end = pixel + image.row_bytes();
    const auto add = [&](ValueCounts& to) {
      for (std::size_t channel = 0; channel < kChannels; ++channel) {
        ++to[channel][pixel[channel]];
      }
      pixel += kChannels;
    };
    while (end - pixel >= static_cast<std::ptrdiff_t>(kTurns * kChannels)) {
      for (ValueCounts& turn : turns) {
        add(turn);
      }
    }
    while (pixel < end) {
      add(turns[0]);
    }
  }
  counts = turns[0];
  for (std::size_t turn = 1; turn < kTurns; ++turn) {
    for (std::size_t channel = 0; channel < kChannels; ++channel) {
      for (std::size_t value = 0; value < 256; ++value) {
        counts[channel][value] += turns[turn][channel][value];
      }
    }
  }
}

void push_through(const ValueCounts& counts, const ByteTables& tables, ValueCounts& after) {
  for (std::size_t channel = 0; channel < counts.size(); ++channel) {
    after[channel].fill(0);
    for (std::size_t value = 0; value < 256; ++value) {
      after[channel][tables[channel][value]] += counts[channel][value];
    }
  }
}

std::uint8_t mean_of(const std::array<std::uint32_t, 256>& counts) {
  std::uint64_t sum = 0, pixels = 0;
  for (std::size_t value = 0; value < 256; ++value) {
    sum += value * counts[value];
    pixels += counts[value];
  }
  return rounded_mean(sum, pixels);
}

// The gray value of a pixel is rounded: its mean needs the pixels as they are by now.
std::uint8_t gray_mean_after(const ConstPixelRows& image, const ByteTables& tables, Scratch& scratch) {
  const std::size_t bytes = image.row_bytes();
  const PixelRows row{scratch.reserve(bytes), bytes, {image.size.width, 1}, image.channels};
  std::uint64_t sum = 0;
  for (int y = 0; y < image.size.height; ++y) {
    apply_tables({image.row(y), bytes, row.size, image.channels}, row,
                 {tables.data(), static_cast<std::size_t>(image.channels)});
    sum += gray_sum(row);
  }
  return rounded_mean(
      sum, static_cast<std::uint64_t>(image.size.width) * static_cast<std::uint64_t>(image.size.height));
}

bool changes_colors(const ByteTables& tables) {
  const ByteTable same = identity_table();
  return !std::all_of(tables.begin(), tables.begin() + 3,
                      [&](const ByteTable& table) { return table == same; });
}

}  // namespace

void ImageMeasure::begin(const ConstPixelRows& image) {
  image_ = image;
  counted_ = false;
}

void ImageMeasure::count() {
  if (!counted_) {
    image_.channels == 1   ? count_values<1>(image_, counts_)
    : image_.channels == 3 ? count_values<3>(image_, counts_)
                           : count_values<4>(image_, counts_);
    counted_ = true;
  }
}

void ImageMeasure::measure(const ByteTables& tables, TableEdit::Needs needs, Scratch& scratch,
                           ImageStatistics& statistics) {
  if (needs == TableEdit::Needs::histogram || image_.channels == 1) {
    count();
    push_through(counts_, tables, statistics.histogram);
  }
  if (needs == TableEdit::Needs::gray_mean) {
    statistics.gray_mean = image_.channels == 1     ? mean_of(statistics.histogram[0])
                           : changes_colors(tables) ? gray_mean_after(image_, tables, scratch)
                                                    : gray_mean(image_);
  }
}

}  // namespace penstock::inline v0
