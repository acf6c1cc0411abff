#include "codecs/test_images.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace penstock::test {

Bytes draw(int width, int height, int channels, unsigned seed) {
  std::mt19937 random(seed);
  Bytes samples;
  samples.reserve(static_cast<std::size_t>(width) * static_cast<std::size_t>(height * channels));
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const int edge = (x / 11 + y / 7 + static_cast<int>(seed)) % 3 == 0 ? 90 : 0;
      for (int c = 0; c < channels; ++c) {
        const double wave = 60 * std::sin((x + 13 * c) / 5.0) * std::cos(y / (4.0 + c));
        const int noise = static_cast<int>(random() % 25);
        samples.push_back(
            static_cast<std::uint8_t>(std::clamp(static_cast<int>(90 + wave) + edge + noise, 0, 255)));
      }
    }
  }
  return samples;
}

Rgb Rgb::part(const Rect& box) const {
  Rgb result{box.width, box.height, {}};
  for (int y = box.y; y < box.y + box.height; ++y) {
    const auto from = pixels.begin() + (std::ptrdiff_t{y} * width + box.x) * 3;
    result.pixels.insert(result.pixels.end(), from, from + std::ptrdiff_t{3} * box.width);
  }
  return result;
}

Result<Rgb> decode_guarded(ImageDecoder& decoder, const Rect& box, PixelLayout layout, std::size_t gap,
                           int margin) {
  constexpr std::uint8_t kGuard = 0xA5;
  constexpr std::size_t kBefore = 64;
  constexpr std::size_t kSlack = 64;
  constexpr std::size_t kAfter = 64;
  const auto step = pixel_bytes(layout);
  const std::size_t row = static_cast<std::size_t>(box.width) * step;
  const std::size_t side = static_cast<std::size_t>(margin) * step;
  const std::size_t stride = side + row + side + gap;
  const std::size_t size = stride * static_cast<std::size_t>(box.height - 1) + row;
  const std::size_t slack = std::max(kSlack, side);
  Bytes memory(kBefore + side + size + slack + kAfter, kGuard);
  std::uint8_t* const data = memory.data() + kBefore + side;
  PENSTOCK_TRY(decoder.decode(box, {data, stride, box.width, box.height, layout, margin}));
  const auto is_guard = [](std::uint8_t byte) { return byte == kGuard; };
  EXPECT_TRUE(std::all_of(memory.data(), data - side, is_guard)) << "bytes before the output changed";
  EXPECT_TRUE(std::all_of(data + size + slack, memory.data() + memory.size(), is_guard))
      << "bytes after changed";
  Rgb result{box.width, box.height, {}};
  for (std::size_t y = 0; y < static_cast<std::size_t>(box.height); ++y) {
    const std::uint8_t* const from = data + y * stride;
    if (y + 1 < static_cast<std::size_t>(box.height)) {
      EXPECT_TRUE(std::all_of(from + row + side, from + stride - side, is_guard))
          << "bytes between rows changed";
    }
    for (std::size_t x = 0; x < static_cast<std::size_t>(box.width); ++x) {
      result.pixels.insert(result.pixels.end(), from + x * step, from + x * step + 3);
    }
  }
  return result;
}

Result<Rgb> decode_whole(ImageDecoder& decoder, const Bytes& file) {
  PENSTOCK_ASSIGN(const ImageSize size, decoder.open(file));
  return decode_guarded(decoder, {0, 0, size.width, size.height}, PixelLayout::rgb);
}

std::vector<Rect> boxes_in(int width, int height, int count, std::mt19937& random) {
  std::vector<Rect> boxes = {{0, 0, width, height},         {0, 0, 1, 1},
                             {width - 1, height - 1, 1, 1}, {width / 2, 0, 1, height},
                             {0, height / 2, width, 1},     {0, height - 1, width, 1},
                             {width - 1, 0, 1, height},     {width / 2, height / 2, 1, 1}};
  const auto below = [&random](int bound) {
    return static_cast<int>(random() % static_cast<unsigned>(bound));
  };
  for (int i = 0; i < count; ++i) {
    const int x = below(width);
    const int y = below(height);
    boxes.push_back({x, y, 1 + below(width - x), 1 + below(height - y)});
  }
  return boxes;
}

void expect_boxes_equal(const Bytes& file, const Rgb& whole, int count, const std::string& name) {
  ImageDecoder decoder;
  const auto size = decoder.open(file);
  ASSERT_TRUE(size.ok()) << name << ": " << size.error().to_string();
  ASSERT_EQ(*size, (ImageSize{whole.width, whole.height})) << name;
  std::mt19937 random(static_cast<unsigned>(file.size()));
  for (const Rect& box : boxes_in(whole.width, whole.height, count, random)) {
    for (const PixelLayout layout : {PixelLayout::rgb, PixelLayout::rgba}) {
      const std::size_t gap = random() % 2 == 0 ? 0 : 5;
      const int margin = random() % 2 == 0 ? 0 : 1 + static_cast<int>(random() % 40);
      const auto part = decode_guarded(decoder, box, layout, gap, margin);
      const auto where =
          fmt::format("{}, box {} x {} at ({}, {})", name, box.width, box.height, box.x, box.y);
      ASSERT_TRUE(part.ok()) << where << ": " << part.error().to_string();
      ASSERT_TRUE(*part == whole.part(box)) << where;
    }
  }
}

bool expect_whole_file_checked(const Bytes& file, const std::vector<Rect>& boxes) {
  ImageDecoder plain({.max_pixels = 1u << 20});
  ImageDecoder checking({.max_pixels = 1u << 20, .check_whole_file = true});
  const auto whole = decode_whole(plain, file);
  const auto size = checking.open(file);
  for (const Rect& box : boxes) {
    if (!size.ok() || box.x + box.width > size->width || box.y + box.height > size->height) {
      continue;
    }
    for (const PixelLayout layout : {PixelLayout::rgb, PixelLayout::rgba}) {
      const auto part = decode_guarded(checking, box, layout);
      EXPECT_EQ(part.ok(), whole.ok()) << (part.ok() ? whole.error().message : part.error().message);
      if (part.ok() && whole.ok()) {
        EXPECT_TRUE(*part == whole->part(box));
      }
    }
  }
  return whole.ok();
}

void for_each_mutation(const Bytes& file, int count, const std::function<void(const Bytes&)>& check) {
  std::mt19937 random(static_cast<unsigned>(file.size()) + 5);
  for (int i = 0; i < count; ++i) {
    Bytes copy = file;
    for (unsigned changes = 1 + random() % 4; changes > 0; --changes) {
      const auto at = static_cast<std::ptrdiff_t>(random() % copy.size());
      switch (random() % 6) {
        case 0:
          copy[static_cast<std::size_t>(at)] = static_cast<std::uint8_t>(random());
          break;
        case 1:
          copy[static_cast<std::size_t>(at)] ^= static_cast<std::uint8_t>(1u << random() % 8);
          break;
        case 2:
          copy.erase(copy.begin() + at);
          break;
        case 3:
          copy.insert(copy.begin() + at, static_cast<std::uint8_t>(random()));
          break;
        case 4:
          copy[static_cast<std::size_t>(at)] = 0xFF;
          break;
        default:
          copy.resize(static_cast<std::size_t>(at) + 1);
          break;
      }
      if (copy.empty()) {
        break;
      }
    }
    check(copy);
  }
}

}  // namespace penstock::test
