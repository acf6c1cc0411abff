#include "codecs/png.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spng.h>

#include <cstdlib>
#include <cstring>

#include "codecs/material_for_test.hpp"
#include "codecs/test_images.hpp"

namespace penstock::test {
namespace {

using ::testing::HasSubstr;

struct PngVariant {
  int width = 0;
  int height = 0;
  int color_type = SPNG_COLOR_TYPE_TRUECOLOR;
  int bit_depth = 8;
  bool interlaced = false;
  bool transparency = false;
  unsigned palette_size = 0;  ///< 0: as many as the bit depth allows

  std::string name() const {
    return fmt::format("{}x{} colour type {} depth {} interlaced {} tRNS {}", width, height, color_type,
                       bit_depth, interlaced, transparency);
  }
};

int channels_of(int color_type) {
  switch (color_type) {
    case SPNG_COLOR_TYPE_TRUECOLOR:
      return 3;
    case SPNG_COLOR_TYPE_GRAYSCALE_ALPHA:
      return 2;
    case SPNG_COLOR_TYPE_TRUECOLOR_ALPHA:
      return 4;
    default:
      return 1;
  }
}

spng_plte_entry color_at(unsigned place) {
  return {static_cast<std::uint8_t>(place * 37 + 5), static_cast<std::uint8_t>(place * 91),
          static_cast<std::uint8_t>(255 - place * 13), 0};
}

struct Png {
  Bytes file;
  Rgb expected;  // by the rules of Pillow's convert("RGB")
};

/// Draws samples of the wanted depth, writes them with libspng and works out what must come back.
Png make_png(const PngVariant& variant) {
  const int channels = channels_of(variant.color_type);
  const unsigned top = (1u << variant.bit_depth) - 1;
  const unsigned palette_size = variant.palette_size != 0 ? variant.palette_size : top + 1;
  const Bytes high = draw(variant.width, variant.height, channels, 3);
  const Bytes low = draw(variant.width, variant.height, channels, 4);
  Png png;
  png.expected = {variant.width, variant.height, {}};
  const std::size_t row_bits = static_cast<std::size_t>(variant.width * channels * variant.bit_depth);
  Bytes raw;
  std::size_t next = 0;
  for (int y = 0; y < variant.height; ++y) {
    Bytes row((row_bits + 7) / 8, 0);
    std::size_t bit = 0;
    for (int x = 0; x < variant.width; ++x) {
      std::array<unsigned, 4> sample{};
      for (int c = 0; c < channels; ++c, ++next) {
        unsigned value = high[next] * 256u + low[next];
        if (next % 5 == 0) {
          value &= 0x1FF;  // some small 16-bit values
        }
        value = variant.bit_depth == 16 ? value : (value >> 8) >> (8 - variant.bit_depth);
        sample[static_cast<std::size_t>(c)] = value;
        for (int b = variant.bit_depth - 1; b >= 0; --b, ++bit) {
          row[bit / 8] = static_cast<std::uint8_t>(row[bit / 8] | ((value >> b) & 1) << (7 - bit % 8));
        }
      }
      const auto to_byte = [&](unsigned value) {
        return static_cast<std::uint8_t>(variant.bit_depth == 16 ? value >> 8 : value * 255 / top);
      };
      switch (variant.color_type) {
        case SPNG_COLOR_TYPE_GRAYSCALE:
          png.expected.pixels.insert(png.expected.pixels.end(), 3,
                                     variant.bit_depth == 16
                                         ? static_cast<std::uint8_t>(std::min(sample[0], 255u))
                                         : to_byte(sample[0]));
          break;
        case SPNG_COLOR_TYPE_GRAYSCALE_ALPHA:
          png.expected.pixels.insert(png.expected.pixels.end(), 3, to_byte(sample[0]));
          break;
        case SPNG_COLOR_TYPE_INDEXED: {
          const spng_plte_entry color = sample[0] < palette_size ? color_at(sample[0]) : spng_plte_entry{};
          png.expected.pixels.insert(png.expected.pixels.end(), {color.red, color.green, color.blue});
          break;
        }
        default:
          png.expected.pixels.insert(png.expected.pixels.end(),
                                     {to_byte(sample[0]), to_byte(sample[1]), to_byte(sample[2])});
      }
    }
    raw.insert(raw.end(), row.begin(), row.end());
  }
  spng_ctx* const context = spng_ctx_new(SPNG_CTX_ENCODER);
  spng_set_option(context, SPNG_ENCODE_TO_BUFFER, 1);
  spng_ihdr header{};
  header.width = static_cast<std::uint32_t>(variant.width);
  header.height = static_cast<std::uint32_t>(variant.height);
  header.bit_depth = static_cast<std::uint8_t>(variant.bit_depth);
  header.color_type = static_cast<std::uint8_t>(variant.color_type);
  header.interlace_method = variant.interlaced ? 1 : 0;
  EXPECT_EQ(spng_set_ihdr(context, &header), 0);
  spng_plte palette{};
  palette.n_entries = palette_size;
  if (variant.color_type == SPNG_COLOR_TYPE_INDEXED) {
    for (unsigned i = 0; i < palette_size; ++i) {
      palette.entries[i] = color_at(i);
    }
    EXPECT_EQ(spng_set_plte(context, &palette), 0);
  }
  if (variant.transparency) {
    spng_trns transparency{};
    transparency.n_type3_entries = std::min(2u, palette_size);
    EXPECT_EQ(spng_set_trns(context, &transparency), 0);
  }
  EXPECT_EQ(spng_encode_image(context, raw.data(), raw.size(), SPNG_FMT_RAW, SPNG_ENCODE_FINALIZE), 0)
      << variant.name();
  std::size_t size = 0;
  int error = 0;
  auto* const memory = static_cast<std::uint8_t*>(spng_get_png_buffer(context, &size, &error));
  png.file.assign(memory, memory + size);
  std::free(memory);
  spng_ctx_free(context);
  return png;
}

const std::vector<std::pair<int, std::vector<int>>> kDepths = {{SPNG_COLOR_TYPE_GRAYSCALE, {1, 2, 4, 8, 16}},
                                                               {SPNG_COLOR_TYPE_TRUECOLOR, {8, 16}},
                                                               {SPNG_COLOR_TYPE_INDEXED, {1, 2, 4, 8}},
                                                               {SPNG_COLOR_TYPE_GRAYSCALE_ALPHA, {8, 16}},
                                                               {SPNG_COLOR_TYPE_TRUECOLOR_ALPHA, {8, 16}}};

Bytes sample_png(bool interlaced = false) {
  return make_png({.width = 60, .height = 40, .interlaced = interlaced}).file;
}

/// The place of a chunk's length field.
std::size_t find_chunk(const Bytes& file, const char* type) {
  for (std::size_t at = 8;;) {
    if (std::memcmp(file.data() + at + 4, type, 4) == 0) {
      return at;
    }
    at += 12 + (std::size_t{file[at]} << 24 | std::size_t{file[at + 1]} << 16 |
                std::size_t{file[at + 2]} << 8 | file[at + 3]);
  }
}

void expect_corrupt(const Bytes& file, const char* text) {
  ImageDecoder decoder;
  const auto result = decode_whole(decoder, file);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, ErrorKind::corrupt);
  EXPECT_THAT(result.error().message, HasSubstr(text));
}

const ImageMaterial kPngMaterial("PNG", [](ImageSize size) {
  ImageMaterial::Files files;
  for (const auto& [type, depth, interlaced, transparency] :
       {std::tuple{SPNG_COLOR_TYPE_TRUECOLOR, 8, false, false},
        std::tuple{SPNG_COLOR_TYPE_TRUECOLOR_ALPHA, 8, true, false},
        std::tuple{SPNG_COLOR_TYPE_TRUECOLOR, 16, false, false},
        std::tuple{SPNG_COLOR_TYPE_GRAYSCALE, 8, false, false},
        std::tuple{SPNG_COLOR_TYPE_GRAYSCALE, 16, false, false},
        std::tuple{SPNG_COLOR_TYPE_GRAYSCALE_ALPHA, 8, false, false},
        std::tuple{SPNG_COLOR_TYPE_INDEXED, 4, false, true}}) {
    files.push_back(make_png({.width = size.width,
                              .height = size.height,
                              .color_type = type,
                              .bit_depth = depth,
                              .interlaced = interlaced,
                              .transparency = transparency})
                        .file);
  }
  return files;
});

TEST(Png, every_kind_gives_pillows_pixels_whole_and_in_boxes) {
  for (const auto& [color_type, depths] : kDepths) {
    for (const int depth : depths) {
      for (const bool interlaced : {false, true}) {
        for (const auto& [width, height] :
             {std::pair{1, 1}, std::pair{3, 2}, std::pair{17, 9}, std::pair{50, 41}}) {
          const PngVariant variant{.width = width,
                                   .height = height,
                                   .color_type = color_type,
                                   .bit_depth = depth,
                                   .interlaced = interlaced};
          const Png png = make_png(variant);
          expect_boxes_equal(png.file, png.expected, 10, variant.name());
        }
      }
    }
  }
}

TEST(Png, transparency_is_dropped) {
  for (const auto& [color_type, depths] : kDepths) {
    if (color_type == SPNG_COLOR_TYPE_GRAYSCALE_ALPHA || color_type == SPNG_COLOR_TYPE_TRUECOLOR_ALPHA) {
      continue;
    }
    for (const int depth : depths) {
      const PngVariant variant{
          .width = 20, .height = 11, .color_type = color_type, .bit_depth = depth, .transparency = true};
      const Png png = make_png(variant);
      expect_boxes_equal(png.file, png.expected, 3, variant.name());
    }
  }
}

TEST(Png, undefined_palette_places_are_black) {
  const Png png = make_png({.width = 30,
                            .height = 20,
                            .color_type = SPNG_COLOR_TYPE_INDEXED,
                            .bit_depth = 8,
                            .palette_size = 100});
  expect_boxes_equal(png.file, png.expected, 5, "short palette");
}

TEST(Png, a_file_cut_before_the_end_of_its_data_is_corrupt) {
  for (const bool interlaced : {false, true}) {
    const Bytes file = sample_png(interlaced);
    const std::size_t end_of_data = find_chunk(file, "IEND");
    ImageDecoder decoder;
    for (std::size_t size = 8; size < end_of_data; ++size) {
      const auto opened = decoder.open(ByteSpan(file).first(size));
      ASSERT_FALSE(opened.ok()) << size;
      ASSERT_EQ(opened.error().kind, ErrorKind::corrupt) << size;
    }
  }
}

TEST(Png, wrong_checksums_and_streams_are_corrupt) {
  for (const bool interlaced : {false, true}) {
    Bytes bad_checksum = sample_png(interlaced);
    bad_checksum[find_chunk(bad_checksum, "IEND") - 1] ^= 1;
    expect_corrupt(bad_checksum, "checksum");
    Bytes bad_header = sample_png(interlaced);
    bad_header[8 + 8 + 13] ^= 1;
    expect_corrupt(bad_header, "checksum");
    Bytes bad_data = sample_png(interlaced);
    bad_data[find_chunk(bad_data, "IDAT") + 8] ^= 0xFF;
    expect_corrupt(bad_data, "PNG cannot be decoded");
  }
}

TEST(Png, damage_below_the_box_is_found_where_the_whole_file_is_checked) {
  const std::vector<Rect> boxes = {{0, 0, 60, 1}, {7, 3, 20, 11}, {0, 39, 60, 1}};
  Bytes file = sample_png();
  EXPECT_TRUE(expect_whole_file_checked(file, boxes));
  file[find_chunk(file, "IEND") - 1] ^= 1;
  EXPECT_FALSE(expect_whole_file_checked(file, boxes));
  ImageDecoder plain;
  ASSERT_TRUE(plain.open(file).ok());
  EXPECT_TRUE(decode_guarded(plain, boxes[0], PixelLayout::rgb).ok()) << "the damage shows nothing";
  for (const bool interlaced : {false, true}) {
    for_each_mutation(sample_png(interlaced), 400,
                      [&](const Bytes& mutated) { expect_whole_file_checked(mutated, boxes); });
  }
}

TEST(Png, an_image_above_the_limit_is_refused_by_open) {
  ImageDecoder decoder({.max_pixels = 60 * 40 - 1});
  const auto opened = decoder.open(sample_png());
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().kind, ErrorKind::unsupported);
}

TEST(Png, mutated_files_give_pixels_or_an_error_and_leave_the_decoder_usable) {
  ImageDecoder decoder({.max_pixels = 1u << 16});
  for (const auto& [color_type, depths] : kDepths) {
    for (const bool interlaced : {false, true}) {
      const Png png = make_png({.width = 23,
                                .height = 19,
                                .color_type = color_type,
                                .bit_depth = depths.front(),
                                .interlaced = interlaced});
      for_each_mutation(png.file, 300, [&](const Bytes& file) {
        const auto size = decoder.open(file);
        if (size.ok()) {
          (void)decode_guarded(decoder, {0, 0, size->width, size->height}, PixelLayout::rgb);
        }
      });
      const auto again = decode_whole(decoder, png.file);
      ASSERT_TRUE(again.ok());
      EXPECT_TRUE(*again == png.expected);
    }
  }
}

}  // namespace
}  // namespace penstock::test
