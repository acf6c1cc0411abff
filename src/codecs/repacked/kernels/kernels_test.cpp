// The kernels without a JPEG library: every target against the scalar one.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <random>

#include "codecs/repacked/color_rows.hpp"
#include "codecs/repacked/tables.hpp"
#include "codecs/repacked/tile_source.hpp"
#include "codecs/repacked/tile_symbols.hpp"
#include "codecs/repacked/tile_writer.hpp"
#include "core/each_target_for_test.hpp"

namespace penstock::inline v0::detail {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes random_bytes(std::size_t count, std::mt19937& random) {
  Bytes bytes(count);
  std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<std::uint8_t>(random()); });
  return bytes;
}

/// Runs `make` on every target and expects the scalar target's bytes.
template <class Make>
void expect_equal_everywhere(Make make) {
  Bytes wanted;
  for_each_target([&](CpuTarget target) {
    const Bytes got = make();
    if (target == CpuTarget::scalar) {
      wanted = got;
    }
    ASSERT_TRUE(got == wanted);
  });
}

TEST(ColorRows, equal_on_every_target) {
  std::mt19937 random(1);
  for (int width = 1; width < 200; width += 1 + width / 9) {
    const auto size = static_cast<std::size_t>(width);
    const Bytes y = random_bytes(size + 256, random);
    const Bytes cb = random_bytes(size + 256, random);
    const Bytes cr = random_bytes(size + 256, random);
    expect_equal_everywhere([&] {
      constexpr std::size_t kPixel = 3;
      Bytes out(3 * size * kPixel + 16, 0xA5);
      write_color_rows({.y = y.data(),
                        .cb = cb.data(),
                        .cr = cr.data(),
                        .luma_stride = 7,
                        .chroma_stride = 5,
                        .width = width,
                        .height = 2,
                        .out = out.data(),
                        .out_stride = size * kPixel});
      write_gray_row(y.data(), width, out.data() + 2 * size * kPixel);
      return out;
    });
    expect_equal_everywhere([&] {
      Bytes out;
      const auto add = [&](std::size_t count, auto run) {
        Bytes row(count + kUpsampleSlack + 64);
        run(row.data());
        out.insert(out.end(), row.begin(), row.begin() + static_cast<std::ptrdiff_t>(count));
      };
      add(2 * size, [&](std::uint8_t* to) { upsample_across(cb.data() + 1, width, to); });
      add(2 * size, [&](std::uint8_t* to) { upsample_both(cb.data() + 1, cr.data() + 1, width, to); });
      add(size, [&](std::uint8_t* to) { upsample_down(cb.data(), cr.data(), true, width, to); });
      add(size, [&](std::uint8_t* to) { upsample_down(cb.data(), cr.data(), false, width, to); });
      return out;
    });
  }
}

TEST(ColorRows, every_color_equals_libjpegs_formula) {
  Bytes y(256), cb(256), cr(256);
  for (std::size_t i = 0; i < 256; ++i) {
    cb[i] = static_cast<std::uint8_t>(i);
  }
  for_each_target([&](CpuTarget) {
    for (int red = 0; red < 256; ++red) {
      std::fill(cr.begin(), cr.end(), static_cast<std::uint8_t>(red));
      for (const int luma : {0, 100, 255}) {
        std::fill(y.begin(), y.end(), static_cast<std::uint8_t>(luma));
        Bytes out(256 * 3);
        write_color_rows(
            {.y = y.data(), .cb = cb.data(), .cr = cr.data(), .width = 256, .height = 1, .out = out.data()});
        for (int blue = 0; blue < 256; ++blue) {
          const auto at = static_cast<std::size_t>(blue) * 3;
          const int r = luma + ((91881 * (red - 128) + 32768) >> 16);
          const int g = luma + ((-22554 * (blue - 128) - 46802 * (red - 128) + 32768) >> 16);
          const int b = luma + ((116130 * (blue - 128) + 32768) >> 16);
          ASSERT_EQ(int{out[at]}, std::clamp(r, 0, 255)) << red << " " << blue;
          ASSERT_EQ(int{out[at + 1]}, std::clamp(g, 0, 255)) << red << " " << blue;
          ASSERT_EQ(int{out[at + 2]}, std::clamp(b, 0, 255)) << red << " " << blue;
        }
      }
    }
  });
}

/// Coefficients of any kind of block: empty, low only, upper half, left half, full, with escapes.
JpegCoefficients random_image(RepackSampling sampling, std::mt19937& random) {
  JpegCoefficients image;
  image.geometry = {75, 140, sampling};
  for (auto& table : image.quant) {
    table.fill(1);
  }
  const auto draw = [&](int bound) { return static_cast<int>(random() % static_cast<unsigned>(bound)); };
  for (int component = 0; component < image.geometry.components(); ++component) {
    auto& blocks = image.blocks[static_cast<std::size_t>(component)];
    blocks.resize(static_cast<std::size_t>(image.geometry.blocks_wide(component)) *
                  static_cast<std::size_t>(image.geometry.blocks_high(component)) * 64);
    for (std::size_t block = 0; block < blocks.size(); block += 64) {
      const int kind = draw(7);
      blocks[block] = static_cast<std::int16_t>(draw(1600) - 800);
      for (std::size_t i = 1; i < 64; ++i) {
        const bool left = i % 8 < 4;
        const bool upper = i < 32;
        const bool possible = kind == 1 ? left && upper : kind == 2 ? upper : kind == 3 ? left : kind != 0;
        if (possible && draw(3) == 0) {
          blocks[block + i] = static_cast<std::int16_t>(draw(kind == 5 ? 601 : 41) - (kind == 5 ? 300 : 20));
        }
      }
    }
  }
  return image;
}

/// The record of an image with tables in which every code has 8 bits.
struct Packed {
  std::shared_ptr<const RepackTables> tables;
  Bytes bytes;
  RepackRecord record;

  explicit Packed(const JpegCoefficients& image) {
    auto lengths = std::make_unique<RepackTables::Lengths>();
    for (auto& part : *lengths) {
      for (auto& symbol_class : part) {
        for (auto& variant : symbol_class) {
          variant.fill(8);
        }
      }
    }
    tables = RepackTables::make(*lengths, {});
    ImageSymbols symbols;
    start_symbols(image.geometry, symbols);
    TileWriter writer;
    writer.use(*tables, {}, image.geometry.parts());
    RepackRecord start;
    start.geometry = image.geometry;
    start.quant = image.quant;
    start.tile_begins.push_back(0);
    Bytes tiles;
    TileCounts before{};
    for (int y = 0; y < image.geometry.tiles_high(); ++y) {
      for (int x = 0; x < image.geometry.tiles_wide(); ++x) {
        EXPECT_TRUE(add_tile_symbols(image, x, y, symbols));
        const TileCounts after = {symbols[0].counts(), symbols[1].counts()};
        writer.write(symbols, before, after, tiles);
        before = after;
        start.tile_begins.push_back(static_cast<std::uint32_t>(tiles.size()));
      }
    }
    write_record_start(start, bytes);
    bytes.insert(bytes.end(), tiles.begin(), tiles.end());
    EXPECT_TRUE(parse_record(bytes, record).ok());
  }
};

class Tiles : public ::testing::TestWithParam<RepackSampling> {};

TEST_P(Tiles, records_are_equal_on_every_target) {
  std::mt19937 random(4);
  const JpegCoefficients image = random_image(GetParam(), random);
  std::optional<Bytes> first;
  for_each_target([&](CpuTarget) {
    const Packed packed(image);
    EXPECT_EQ(packed.bytes, first.value_or(packed.bytes));
    first = packed.bytes;
  });
}

TEST(BlockSymbols, large_values_are_refused_on_every_target) {
  std::array<std::uint16_t, 64> quant;
  quant.fill(2);
  std::array<std::int16_t, 64> block{};
  ImageSymbols symbols;
  const auto accepts = [&] {
    start_symbols({8, 8, RepackSampling::gray}, symbols);
    SymbolEnds ends = symbols[0].ends();
    return add_block_symbols({.first = block.data(), .row_step = 64, .wide = 1, .high = 1, .quant = &quant},
                             ends);
  };
  for_each_target([&](CpuTarget) {
    block.fill(0);
    block[9] = 1476;  // times 2 is 2952
    EXPECT_TRUE(accepts());
    block[17] = 1;  // one column, 2954
    EXPECT_FALSE(accepts());
    block[17] = 0;
    block[18] = 1;  // another column
    EXPECT_TRUE(accepts());
    block.fill(0);
    block[0] = 1400;
    EXPECT_TRUE(accepts());
    block[0] = std::numeric_limits<std::int16_t>::min();
    EXPECT_FALSE(accepts()) << "the difference has no symbol";
  });
}

TEST_P(Tiles, coefficients_come_back_on_every_target) {
  std::mt19937 random(2);
  const JpegCoefficients image = random_image(GetParam(), random);
  const Packed packed(image);
  ASSERT_FALSE(::testing::Test::HasFailure());
  auto tile = std::make_unique<TileData>();
  for_each_target([&](CpuTarget target) {
    EXPECT_EQ(samples_target(), target);
    TileSource source(packed.record, *packed.tables);
    for (int tile_y = 0; tile_y < image.geometry.tiles_high(); ++tile_y) {
      for (int tile_x = 0; tile_x < image.geometry.tiles_wide(); ++tile_x) {
        ASSERT_TRUE(source.decode(tile_x, tile_y, *tile).ok());
        for (int component = 0; component < image.geometry.components(); ++component) {
          const BlockRange range = image.geometry.blocks_of_tile(component, tile_x, tile_y);
          const int of_part = component == 2 ? 1 : 0;
          SparseBlocks blocks((*tile)[component > 0 ? 1 : 0], of_part, of_part * range.count());
          for (int y = range.y0; y < range.y1; ++y) {
            for (int x = range.x0; x < range.x1; ++x) {
              SparseBlock block;
              blocks.next(&block, 1);
              ASSERT_TRUE(equals(block, image.block(component, x, y))) << component << " " << x << " " << y;
            }
          }
        }
      }
    }
  });
}

TEST_P(Tiles, samples_are_equal_on_every_target) {
  std::mt19937 random(3);
  const JpegCoefficients image = random_image(GetParam(), random);
  const Packed packed(image);
  ASSERT_FALSE(::testing::Test::HasFailure());
  auto tile = std::make_unique<TileData>();
  // Large steps: sums overflow, and must do so in the same way.
  for (const int step : {1, 3, 40, 30000}) {
    std::array<std::int16_t, 64> quant;
    for (std::size_t i = 0; i < 64; ++i) {
      quant[i] = static_cast<std::int16_t>(step + static_cast<int>(i) % 5);
    }
    for (int component = 0; component < image.geometry.components(); ++component) {
      expect_equal_everywhere([&] {
        TileSource source(packed.record, *packed.tables);
        EXPECT_TRUE(source.decode(0, 0, *tile).ok());
        const BlockRange range = image.geometry.blocks_of_tile(component, 0, 0);
        Bytes samples;
        for (int x0 = 0; x0 < range.wide(); ++x0) {
          for (int y0 = 0; y0 < range.high(); y0 += 3) {
            const int wide = range.wide() - x0 / 2 - x0;
            if (wide <= 0) {
              continue;
            }
            const std::size_t row = static_cast<std::size_t>(wide) * 8;
            const std::size_t stride = row + kSampleSlack;
            const int high = std::min(2, range.high() - y0);
            Bytes out(stride * static_cast<std::size_t>(high) * 8);
            decode_samples({.part = &(*tile)[component > 0 ? 1 : 0],
                            .component = component == 2 ? 1 : 0,
                            .wide = range.wide(),
                            .high = range.high(),
                            .x0 = x0,
                            .x1 = x0 + wide,
                            .y0 = y0,
                            .y1 = y0 + high,
                            .quant = quant.data(),
                            .out = out.data(),
                            .stride = stride});
            for (std::size_t y = 0; y < static_cast<std::size_t>(high) * 8; ++y) {
              const auto from = out.begin() + static_cast<std::ptrdiff_t>(y * stride);
              samples.insert(samples.end(), from, from + static_cast<std::ptrdiff_t>(row));
            }
          }
        }
        return samples;
      });
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Repacked, Tiles,
                         ::testing::Values(RepackSampling::gray, RepackSampling::s444, RepackSampling::s422,
                                           RepackSampling::s440, RepackSampling::s420));

}  // namespace
}  // namespace penstock::inline v0::detail
