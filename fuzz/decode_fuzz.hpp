#pragma once
// Any bytes as an image file: pixels or an error, and a box of an image that decodes whole equals its part.
// With check_whole_file a box is refused exactly if the whole is.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "codecs/image_decoder.hpp"

namespace penstock::fuzz {

/// `recognises` keeps the fuzzer at one codec. The decoder lives from input to input, as in a worker.
inline int decode(const std::uint8_t* data, std::size_t size, bool (*recognises)(ByteSpan) noexcept) {
  static ImageDecoder decoder({.max_pixels = 1u << 16});
  static ImageDecoder checking({.max_pixels = 1u << 16, .check_whole_file = true});
  const ByteSpan file(data, size);
  if (!recognises(file)) {
    return -1;
  }
  const auto opened = decoder.open(file);
  if (!opened.ok()) {
    return 0;
  }
  const int width = opened->width;
  const int height = opened->height;
  const auto row = static_cast<std::size_t>(width) * 3;
  constexpr std::size_t kSlack = 64;
  std::vector<std::uint8_t> whole(row * static_cast<std::size_t>(height) + kSlack);
  const bool intact =
      decoder.decode({0, 0, width, height}, {whole.data(), row, width, height, PixelLayout::rgb}).ok();
  std::uint32_t mix = 2166136261u;
  for (std::size_t i = 0; i < size; i += 1 + size / 64) {
    mix = (mix ^ data[i]) * 16777619u;
  }
  const auto draw = [&mix](int bound) {
    mix = mix * 1664525u + 1013904223u;
    return static_cast<int>((mix >> 8) % static_cast<std::uint32_t>(bound));
  };
  const int x = draw(width);
  const int y = draw(height);
  const Rect box{x, y, 1 + draw(width - x), 1 + draw(height - y)};
  const auto part_row = static_cast<std::size_t>(box.width) * 3;
  std::vector<std::uint8_t> part(part_row * static_cast<std::size_t>(box.height) + kSlack);
  const bool part_intact =
      decoder.decode(box, {part.data(), part_row, box.width, box.height, PixelLayout::rgb}).ok();
  if (intact && !part_intact) {
    std::abort();
  }
  const bool checked =
      checking.open(file).ok() &&
      checking.decode(box, {part.data(), part_row, box.width, box.height, PixelLayout::rgb}).ok();
  if (checked != intact) {
    std::abort();
  }
  for (std::size_t i = 0; intact && i < static_cast<std::size_t>(box.height); ++i) {
    const std::size_t from = (static_cast<std::size_t>(y) + i) * row + static_cast<std::size_t>(x) * 3;
    if (std::memcmp(whole.data() + from, part.data() + i * part_row, part_row) != 0) {
      std::abort();
    }
  }
  return 0;
}

}  // namespace penstock::fuzz
