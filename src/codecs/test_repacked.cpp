#include "codecs/test_repacked.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace penstock::test {
namespace {

constexpr std::uint8_t kGuard = 0xA5;
constexpr std::size_t kBefore = 64;

std::vector<Bytes> drawn_files() {
  std::vector<Bytes> files;
  for (const int quality : {40, 75, 92}) {
    for (const auto& sampling : {std::pair{1, 1}, std::pair{2, 2}}) {
      files.push_back(*make_jpeg({.width = 150, .height = 130, .sampling = {sampling}, .quality = quality}));
    }
    files.push_back(*make_jpeg({.width = 90, .height = 80, .color = JpegColor::gray, .quality = quality}));
  }
  return files;
}

}  // namespace

std::shared_ptr<const RepackTables> drawn_tables() {
  static const std::shared_ptr<const RepackTables> tables = [] {
    RepackTrainer trainer;
    for (const Bytes& file : drawn_files()) {
      EXPECT_TRUE(trainer.add(file));
    }
    return trainer.train();
  }();
  return tables;
}

Repacked repack(const Bytes& file, RepackFidelity fidelity) {
  RepackEncoder encoder(drawn_tables());
  Repacked result;
  if (const auto reason = encoder.encode(file, fidelity, result.record)) {
    EXPECT_TRUE(result.record.empty());
    result.kept = *reason;
  }
  return result;
}

Result<Rgb> decode_box(RepackedDecoder& decoder, const Rect& box, std::size_t gap) {
  constexpr std::size_t step = pixel_bytes(PixelLayout::rgb);
  const std::size_t row = static_cast<std::size_t>(box.width) * step;
  const std::size_t stride = row + gap;
  const auto rows = static_cast<std::size_t>(box.height);
  Bytes memory(kBefore + stride * rows + 128, kGuard);
  std::uint8_t* const out = memory.data() + kBefore;
  PENSTOCK_TRY(decoder.decode(box, {out, stride, box.width, box.height}));
  Rgb result{box.width, box.height, {}};
  for (std::size_t y = 0; y < rows; ++y) {
    for (std::size_t x = 0; x < static_cast<std::size_t>(box.width); ++x) {
      const std::uint8_t* const pixel = out + y * stride + x * step;
      result.pixels.insert(result.pixels.end(), pixel, pixel + 3);
    }
    for (std::size_t i = row; i < stride && y + 1 < rows; ++i) {
      EXPECT_EQ(out[y * stride + i], kGuard) << "written between rows";
    }
  }
  EXPECT_TRUE(std::all_of(memory.data(), out, [](std::uint8_t byte) { return byte == kGuard; }));
  const std::uint8_t* const end = out + stride * (rows - 1) + row + 64;
  EXPECT_TRUE(std::all_of(end, const_cast<const std::uint8_t*>(memory.data()) + memory.size(),
                          [](std::uint8_t byte) { return byte == kGuard; }));
  return result;
}

void expect_same_pixels(const Bytes& file, const Bytes& record, int boxes, const std::string& name) {
  ImageDecoder reference;
  const auto whole = decode_whole(reference, file);
  ASSERT_TRUE(whole.ok()) << name;
  RepackedDecoder decoder{DecodeLimits{}};
  decoder.use_tables(drawn_tables());
  const auto size = decoder.open(record);
  ASSERT_TRUE(size.ok()) << name << ": " << size.error().to_string();
  ASSERT_EQ(size->width, whole->width);
  ASSERT_EQ(size->height, whole->height);
  std::mt19937 random(7);
  auto list = boxes_in(whole->width, whole->height, boxes, random);
  list.push_back({0, 0, whole->width, whole->height});
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Rect& box = list[i];
    const auto part = decode_box(decoder, box, i % 2 * 37);
    ASSERT_TRUE(part.ok()) << name << ": " << part.error().to_string();
    ASSERT_TRUE(*part == whole->part(box))
        << name << ": " << box.x << ", " << box.y << ", " << box.width << " x " << box.height;
  }
}

std::vector<Bytes> sample_jpegs() {
  std::vector<Bytes> files;
  const std::filesystem::path folder = PENSTOCK_SHARED_DIR "/data/imagenet-sample";
  if (!std::filesystem::is_directory(folder)) {
    return files;
  }
  std::vector<std::filesystem::path> tars;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    tars.push_back(entry.path());
  }
  std::sort(tars.begin(), tars.end());
#if defined(__SANITIZE_ADDRESS__)
  tars.resize(std::min<std::size_t>(tars.size(), 1));  // at a tenth of the speed
#endif
  for (const auto& path : tars) {
    std::ifstream stream(path, std::ios::binary);
    Bytes tar(std::filesystem::file_size(path));
    stream.read(reinterpret_cast<char*>(tar.data()), static_cast<std::streamsize>(tar.size()));
    for (std::size_t at = 0; at + 512 <= tar.size() && tar[at] != 0;) {
      const std::size_t size = std::strtoull(reinterpret_cast<const char*>(&tar[at + 124]), nullptr, 8);
      const auto begin = tar.begin() + static_cast<std::ptrdiff_t>(at) + 512;
      if (size > 3 && begin[0] == 0xFF && begin[1] == 0xD8) {
        files.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(size));
      }
      at += 512 + (size + 511) / 512 * 512;
    }
  }
  return files;
}

}  // namespace penstock::test
