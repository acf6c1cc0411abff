// Every image codec of the catalogue, by being listed there: what is told is what is delivered, a box is the
// part of the whole image, all CPU targets agree, and files that are cut or damaged are refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "codecs/audio_catalog.hpp"
#include "codecs/catalog.hpp"
#include "codecs/image_header.hpp"
#include "codecs/material_for_test.hpp"
#include "codecs/test_images.hpp"
#include "core/each_target_for_test.hpp"

namespace penstock::test {
namespace {

constexpr std::array kCodecSizes = {ImageSize{1, 1},   ImageSize{1, 37},   ImageSize{41, 1},
                                    ImageSize{2, 2},   ImageSize{3, 5},    ImageSize{17, 23},
                                    ImageSize{999, 3}, ImageSize{2, 1500}, ImageSize{160, 120}};
constexpr std::array kLayouts = {PixelLayout::rgb, PixelLayout::gray, PixelLayout::gray_16, PixelLayout::rgba,
                                 PixelLayout::index};

Rect all_of(ImageSize size) { return {0, 0, size.width, size.height}; }

/// Rows without gaps. Fails the test if more than the 64 bytes that may be are overwritten.
Result<Bytes> pixels_of(ImageDecoder& decoder, const Rect& box, PixelLayout layout) {
  constexpr std::uint8_t kGuard = 0xA5;
  constexpr std::size_t kGuards = 64;
  constexpr std::size_t kMayChange = 64;
  const std::size_t stride = static_cast<std::size_t>(box.width) * pixel_bytes(layout);
  const std::size_t size = stride * static_cast<std::size_t>(box.height);
  Bytes memory(kGuards + size + kMayChange + kGuards, kGuard);
  PENSTOCK_TRY(decoder.decode(box, {memory.data() + kGuards, stride, box.width, box.height, layout}));
  const auto is_guard = [](std::uint8_t byte) { return byte == kGuard; };
  EXPECT_TRUE(std::all_of(memory.begin(), memory.begin() + kGuards, is_guard)) << "bytes before changed";
  EXPECT_TRUE(std::all_of(memory.end() - kGuards, memory.end(), is_guard)) << "bytes after changed";
  return Bytes(memory.begin() + kGuards, memory.begin() + static_cast<std::ptrdiff_t>(kGuards + size));
}

Bytes part_of(const Bytes& whole, ImageSize size, const Rect& box, PixelLayout layout) {
  const std::size_t pixel = pixel_bytes(layout);
  Bytes part;
  for (int y = box.y; y < box.y + box.height; ++y) {
    const auto from =
        whole.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(y * size.width + box.x) * pixel);
    part.insert(part.end(), from,
                from + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(box.width) * pixel));
  }
  return part;
}

class every_image_codec : public testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    const auto found = ImageMaterial::of_codecs().find(image_codecs()[GetParam()].name);
    ASSERT_NE(found, ImageMaterial::of_codecs().end())
        << "there are no files of it: add an ImageMaterial to the test beside the codec";
    make_ = found->second.files;
    tables_ = found->second.tables ? found->second.tables() : Bytes();
  }

  /// Calls `check(file, size)` for all files of all sizes.
  template <class Check>
  void for_each_file(Check check) const {
    std::size_t files = 0;
    for (const ImageSize size : kCodecSizes) {
      for (const Bytes& file : make_(size)) {
        SCOPED_TRACE(fmt::format("{} x {}, file {}", size.width, size.height, ++files));
        check(file, size);
        if (HasFailure()) {
          return;
        }
      }
    }
    EXPECT_GE(files, 1u) << "its ImageMaterial makes no files";
  }
  /// Layouts that the opened image has.
  static std::vector<PixelLayout> layouts(const ImageDecoder& decoder) {
    std::vector<PixelLayout> some(kLayouts.begin(), kLayouts.end());
    if (!decoder.traits().has_indices) {
      some.pop_back();
    }
    return some;
  }

  std::function<ImageMaterial::Files(ImageSize)> make_;
  Bytes tables_;
};

TEST_P(every_image_codec, is_the_one_that_recognises_its_files) {
  for_each_file([&](const Bytes& file, ImageSize size) {
    for (std::size_t other = 0; other < image_codecs().size(); ++other) {
      EXPECT_EQ(image_codecs()[other].recognises(file), other == GetParam()) << image_codecs()[other].name;
    }
    ImageDecoder decoder;
    const auto opened = decoder.open(file, tables_);
    ASSERT_TRUE(opened.ok()) << opened.error().to_string();
    EXPECT_EQ(*opened, size);
    EXPECT_EQ(decoder.codec(), GetParam());
  });
}

TEST_P(every_image_codec, says_the_size_in_the_header_as_soon_as_it_is_there) {
  const ImageCodec& codec = image_codecs()[GetParam()];
  EXPECT_EQ(codec.extensions.empty(), codec.size_in_header == nullptr) << "files have both, records neither";
  for_each_file([&](const Bytes& file, ImageSize size) {
    if (codec.size_in_header == nullptr) {
      EXPECT_EQ(image_size(file), ImageSize{});
      return;
    }
    EXPECT_EQ(image_size(file), size);
    for (std::size_t length = 0; length < file.size(); ++length) {
      const Bytes start(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(length));
      if (codec.recognises(start)) {
        EXPECT_EQ(codec.size_in_header(start).value_or(size), size) << length << " bytes";
      }
    }
  });
}

TEST_P(every_image_codec, names_files_by_their_content) {
  const ImageCodec& codec = image_codecs()[GetParam()];
  for (const FileExtension& extension : codec.extensions) {
    EXPECT_TRUE(image_catalog().reads(extension.text));
    EXPECT_FALSE(audio_catalog().reads(extension.text));
  }
  for_each_file([&](const Bytes& file, ImageSize) {
    EXPECT_EQ(image_catalog().extension_for(file),
              codec.extensions.empty() ? "jpg" : codec.extensions.front().text);
  });
}

TEST_P(every_image_codec, gives_of_a_box_that_part_of_the_image) {
  for_each_file([&](const Bytes& file, ImageSize size) {
    ImageDecoder decoder;
    ASSERT_TRUE(decoder.open(file, tables_).ok());
    std::mt19937 random(5);
    for (const PixelLayout layout : layouts(decoder)) {
      const auto whole = pixels_of(decoder, all_of(size), layout);
      ASSERT_TRUE(whole.ok()) << whole.error().to_string();
      for (const Rect& box : boxes_in(size.width, size.height, 4, random)) {
        const auto part = pixels_of(decoder, box, layout);
        ASSERT_TRUE(part.ok()) << part.error().to_string();
        ASSERT_TRUE(*part == part_of(*whole, size, box, layout))
            << fmt::format("layout {}, box {} x {} at ({}, {})", static_cast<int>(layout), box.width,
                           box.height, box.x, box.y);
      }
    }
  });
}

TEST_P(every_image_codec, loses_nothing_in_the_layout_that_it_calls_unchanged) {
  for_each_file([&](const Bytes& file, ImageSize size) {
    ImageDecoder decoder;
    ASSERT_TRUE(decoder.open(file, tables_).ok());
    const ImageTraits told = decoder.traits();
    EXPECT_TRUE(told.unchanged != PixelLayout::index);
    EXPECT_EQ(decoder.layout_for(ImageMode::unchanged).value(), told.unchanged);
    const Bytes unchanged = pixels_of(decoder, all_of(size), told.unchanged).value();
    const Bytes rgba = pixels_of(decoder, all_of(size), PixelLayout::rgba).value();
    if (told.unchanged == PixelLayout::rgb) {
      for (std::size_t i = 0; i < unchanged.size() / 3; ++i) {
        ASSERT_TRUE(std::equal(rgba.begin() + static_cast<std::ptrdiff_t>(4 * i),
                               rgba.begin() + static_cast<std::ptrdiff_t>(4 * i + 3),
                               unchanged.begin() + static_cast<std::ptrdiff_t>(3 * i)));
        ASSERT_EQ(rgba[4 * i + 3], 255) << "an alpha channel is lost";
      }
    }
    EXPECT_TRUE(told.unchanged != PixelLayout::rgba || unchanged == rgba);
  });
}

TEST_P(every_image_codec, gives_on_every_target_what_scalar_code_gives) {
  std::vector<Bytes> scalar;
  for_each_target([&](CpuTarget target) {
    std::vector<Bytes> found;
    for_each_file([&](const Bytes& file, ImageSize size) {
      ImageDecoder decoder;
      ASSERT_TRUE(decoder.open(file, tables_).ok());
      for (const PixelLayout layout : layouts(decoder)) {
        found.push_back(pixels_of(decoder, all_of(size), layout).value());
      }
    });
    if (target == CpuTarget::scalar) {
      scalar = found;
    }
    EXPECT_TRUE(found == scalar);
  });
}

TEST_P(every_image_codec, refuses_files_that_are_cut) {
  ImageDecoder decoder({.check_whole_file = true});
  for_each_file([&](const Bytes& file, ImageSize size) {
    ASSERT_TRUE(decoder.open(file, tables_).ok());
    const Bytes whole = pixels_of(decoder, all_of(size), PixelLayout::rgb).value();
    const std::size_t step = std::max<std::size_t>(1, file.size() / 60);
    std::size_t refused = 0;
    for (std::size_t length = 0; length < file.size(); length += length < 64 ? 1 : step) {
      const Bytes cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(length));
      const auto opened = decoder.open(cut, tables_);
      const auto pixels =
          opened.ok() ? pixels_of(decoder, all_of(*opened), PixelLayout::rgb) : Result<Bytes>(opened.error());
      if (pixels.ok()) {
        ASSERT_TRUE(*pixels == whole) << "pixels of a file that was cut after " << length << " bytes";
        continue;
      }
      ++refused;
      ASSERT_EQ(pixels.error().kind, ErrorKind::corrupt) << length << ": " << pixels.error().to_string();
      EXPECT_EQ(pixels.error().place.stage, "decode");
    }
    EXPECT_GT(refused, 0u);
    ASSERT_TRUE(decoder.open(file, tables_).ok()) << "after all that";
    EXPECT_TRUE(pixels_of(decoder, all_of(size), PixelLayout::rgb).value() == whole);
  });
}

TEST_P(every_image_codec, says_what_is_wrong_with_damaged_files) {
  constexpr std::uint64_t kMaxPixels = 1 << 20;
  ImageDecoder decoder({.max_pixels = kMaxPixels});
  for_each_file([&](const Bytes& file, ImageSize) {
    for_each_mutation(file, 40, [&](const Bytes& damaged) {
      const auto opened = decoder.open(damaged, tables_);
      const Status decoded = opened.ok() ? Status() : Status(opened.error());
      const auto pixels = opened.ok() ? pixels_of(decoder, all_of(*opened), PixelLayout::rgb)
                                      : Result<Bytes>(decoded.error());
      if (!pixels.ok()) {
        EXPECT_TRUE(pixels.error().kind == ErrorKind::corrupt ||
                    pixels.error().kind == ErrorKind::unsupported)
            << pixels.error().to_string();
        EXPECT_FALSE(pixels.error().message.empty());
      }
    });
  });
}

TEST_P(every_image_codec, refuses_more_pixels_than_the_limit_before_anything_is_decoded) {
  const auto files = make_({160, 120});
  ASSERT_FALSE(files.empty());
  for (const Bytes& file : files) {
    EXPECT_TRUE(ImageDecoder({.max_pixels = 160 * 120}).open(file, tables_).ok());
    const auto refused = ImageDecoder({.max_pixels = 160 * 120 - 1}).open(file, tables_);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().kind, ErrorKind::unsupported);
    EXPECT_NE(refused.error().to_string().find("max_pixels"), std::string::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(of_the_catalogue, every_image_codec,
                         testing::Range(std::size_t{0}, image_codecs().size()),
                         [](const auto& info) { return std::string(image_codecs()[info.param].name); });

}  // namespace
}  // namespace penstock::test
