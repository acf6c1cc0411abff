#include "codecs/repacked.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

#include "codecs/material_for_test.hpp"
#include "codecs/repacked/tile_symbols.hpp"
#include "codecs/test_repacked.hpp"
#include "core/each_target_for_test.hpp"

namespace penstock::test {
namespace {

/// The file can be had back, and its pixels are those of the JPEG decoder.
void expect_repacks(const JpegVariant& variant, int boxes) {
  const auto file = make_jpeg(variant);
  ASSERT_TRUE(file) << variant.name();
  const Repacked result = repack(*file);
  if (result.kept == "larger") {  // headers outweigh tiny images
    const Repacked pixels = repack(*file, RepackFidelity::pixels);
    ASSERT_EQ(pixels.kept, "") << variant.name();
    expect_same_pixels(*file, pixels.record, boxes, variant.name());
    return;
  }
  ASSERT_EQ(result.kept, "") << variant.name();
  expect_same_pixels(*file, result.record, boxes, variant.name());
  const auto rebuilt = rebuild_jpeg(result.record, *drawn_tables());
  ASSERT_TRUE(rebuilt.ok()) << variant.name() << ": " << rebuilt.error().to_string();
  ASSERT_TRUE(*rebuilt == *file) << variant.name();
}

const ImageMaterial kRepackedMaterial(
    "repacked",
    [](ImageSize size) {
      ImageMaterial::Files records;
      for (const JpegColor color : {JpegColor::ycbcr, JpegColor::gray}) {
        const Bytes file = *make_jpeg({.width = size.width, .height = size.height, .color = color});
        for (const RepackFidelity fidelity : {RepackFidelity::file, RepackFidelity::pixels}) {
          if (Repacked made = repack(file, fidelity); !made.record.empty()) {
            records.push_back(std::move(made.record));  // those that are smaller than the file
          }
        }
      }
      return records;
    },
    [] { return serialise(*drawn_tables()); });

TEST(Repacked, every_sampling_coding_and_quality) {
  for (const Sampling& sampling : kRepackedSamplings) {
    for (const JpegCoding coding : {JpegCoding::baseline, JpegCoding::optimized, JpegCoding::restarts}) {
      for (const int quality : {30, 75, 90, 95}) {
        expect_repacks(
            {.width = 203, .height = 151, .coding = coding, .sampling = sampling, .quality = quality}, 6);
      }
    }
  }
}

TEST(Repacked, gray_images) {
  for (const int quality : {20, 80, 97}) {
    for (const Sampling& sampling : {Sampling{{1, 1}}, Sampling{{2, 2}}}) {
      expect_repacks({.width = 133,
                      .height = 99,
                      .color = JpegColor::gray,
                      .coding = JpegCoding::restarts,
                      .sampling = sampling,
                      .quality = quality},
                     8);
    }
  }
}

TEST(Repacked, every_small_size) {
  for (const Sampling& sampling : kRepackedSamplings) {
    for (int size = 1; size <= 40; ++size) {
      expect_repacks({.width = size, .height = 41 - size, .sampling = sampling}, 4);
      expect_repacks({.width = size, .height = size, .sampling = sampling, .quality = 60}, 2);
    }
  }
}

TEST(Repacked, images_of_several_tiles_each_way) {
  for (const Sampling& sampling : kRepackedSamplings) {
    expect_repacks({.width = 300, .height = 290, .sampling = sampling}, 20);
  }
}

TEST(Repacked, every_cpu_target_gives_the_same_pixels) {
  for_each_target([](CpuTarget) {
    for (const Sampling& sampling : kRepackedSamplings) {
      expect_repacks({.width = 170, .height = 141, .sampling = sampling, .quality = 93}, 12);
    }
    expect_repacks({.width = 70, .height = 41, .color = JpegColor::gray}, 6);
  });
}

TEST(Repacked, progressive_and_several_scans_keep_their_pixels_only) {
  const std::map<JpegCoding, std::string> reasons = {{JpegCoding::progressive, "progressive"},
                                                     {JpegCoding::one_scan_per_component, "several scans"}};
  for (const auto& [coding, reason] : reasons) {
    for (const Sampling& sampling : kRepackedSamplings) {
      const JpegVariant variant{.width = 117, .height = 83, .coding = coding, .sampling = sampling};
      const auto file = make_jpeg(variant);
      EXPECT_EQ(repack(*file).kept, reason);
      const Repacked result = repack(*file, RepackFidelity::pixels);
      ASSERT_EQ(result.kept, "") << variant.name();
      expect_same_pixels(*file, result.record, 8, variant.name());
      const auto rebuilt = rebuild_jpeg(result.record, *drawn_tables());
      ASSERT_FALSE(rebuilt.ok());
      EXPECT_EQ(rebuilt.error().kind, ErrorKind::unsupported);
    }
  }
}

TEST(Repacked, progressive_gray_images_keep_their_pixels) {
  const auto file =
      make_jpeg({.width = 117, .height = 83, .color = JpegColor::gray, .coding = JpegCoding::progressive});
  const Repacked result = repack(*file, RepackFidelity::pixels);
  ASSERT_EQ(result.kept, "");
  expect_same_pixels(*file, result.record, 8, "progressive gray");
}

TEST(Repacked, records_do_not_depend_on_the_image_before) {
  const auto color = make_jpeg({.width = 90, .height = 70});
  // A gray image that also brings the table of the other's colours, which it does not use.
  const auto dqt = [&color](std::size_t from) {
    constexpr std::array<std::uint8_t, 2> kDqt = {0xFF, 0xDB};
    return std::search(color->begin() + static_cast<std::ptrdiff_t>(from), color->end(), kDqt.begin(),
                       kDqt.end());
  };
  const auto second = dqt(static_cast<std::size_t>(dqt(0) - color->begin()) + 2);
  ASSERT_NE(second, color->end());
  Bytes gray = *make_jpeg({.width = 90, .height = 70, .color = JpegColor::gray});
  gray.insert(gray.begin() + 2, second, second + 2 + 67);
  Bytes alone;
  EXPECT_FALSE(RepackEncoder(drawn_tables()).encode(gray, RepackFidelity::file, alone));
  RepackEncoder encoder(drawn_tables());
  Bytes record;
  EXPECT_FALSE(encoder.encode(*color, RepackFidelity::file, record));
  EXPECT_FALSE(encoder.encode(gray, RepackFidelity::file, record));
  EXPECT_EQ(record, alone);
}

TEST(Repacked, a_file_that_lacks_scans_is_damaged) {
  for (const JpegCoding coding : {JpegCoding::progressive, JpegCoding::one_scan_per_component}) {
    const Bytes cut = first_scan_only(*make_jpeg({.width = 117, .height = 83, .coding = coding}));
    EXPECT_EQ(repack(cut, RepackFidelity::pixels).kept, "damaged");
    EXPECT_FALSE(RepackTrainer().add(cut));
  }
}

TEST(Repacked, says_why_an_original_is_kept) {
  const auto reason = [](const JpegVariant& variant) {
    const auto file = make_jpeg(variant);
    return file ? repack(*file, RepackFidelity::pixels).kept : "not made";
  };
  EXPECT_EQ(reason({.width = 50, .height = 50, .coding = JpegCoding::arithmetic}), "arithmetic coding");
  EXPECT_EQ(reason({.width = 50, .height = 50, .color = JpegColor::cmyk}), "CMYK");
  EXPECT_EQ(reason({.width = 50, .height = 50, .color = JpegColor::ycck}), "CMYK");
  EXPECT_EQ(reason({.width = 50, .height = 50, .color = JpegColor::rgb}), "not YCbCr");
  EXPECT_EQ(reason({.width = 50, .height = 50, .color = JpegColor::two_components}), "components");
  EXPECT_EQ(reason({.width = 50, .height = 50, .sampling = {{4, 1}}}), "sampling");
  EXPECT_EQ(reason({.width = 50, .height = 50, .sampling = {{2, 2}, {2, 1}, {2, 1}}}), "sampling");
  EXPECT_EQ(repack({}).kept, "damaged");
  EXPECT_EQ(repack({0xFF, 0xD8, 0xFF}).kept, "damaged");
}

TEST(Repacked, bytes_after_the_image_and_before_it_come_back) {
  auto file = *make_jpeg({.width = 90, .height = 70});
  for (int i = 0; i < 100; ++i) {
    file.push_back(static_cast<std::uint8_t>(i * 7));
  }
  const Bytes comment = {0xFF, 0xFE, 0, 6, 'h', 'e', 'y', '!'};
  file.insert(file.begin() + 2, comment.begin(), comment.end());
  const Repacked result = repack(file);
  ASSERT_EQ(result.kept, "");
  const auto rebuilt = rebuild_jpeg(result.record, *drawn_tables());
  ASSERT_TRUE(rebuilt.ok());
  EXPECT_TRUE(*rebuilt == file);
}

TEST(Repacked, a_last_byte_filled_with_zeros_comes_back) {
  auto file = *make_jpeg({.width = 90, .height = 70, .color = JpegColor::gray});
  // Take ones off the end of the last byte: it still decodes as long as only padding is lost.
  std::uint8_t& last = file[file.size() - 3];
  const std::uint8_t before = last;
  bool changed = false;
  for (unsigned bits = 1; bits < 8; ++bits) {
    last = static_cast<std::uint8_t>(before & ~((1u << bits) - 1));
    const Repacked result = repack(file);
    if (result.kept.empty()) {
      const auto rebuilt = rebuild_jpeg(result.record, *drawn_tables());
      ASSERT_TRUE(rebuilt.ok() && *rebuilt == file);
      changed = changed || last != before;
    }
  }
  EXPECT_TRUE(changed || (before & 1) == 0);
}

TEST(Repacked, needs_its_tables) {
  const Bytes record = repack(*make_jpeg({.width = 60, .height = 50})).record;
  RepackedDecoder decoder{DecodeLimits{}};
  EXPECT_EQ(decoder.open(record).error().kind, ErrorKind::invalid);
  const Bytes tables = serialise(*drawn_tables());
  ASSERT_TRUE(decoder.use_tables(ByteSpan(tables)).ok());
  EXPECT_TRUE(decoder.open(record).ok());
}

TEST(Repacked, memory_of_large_images_is_given_back_and_that_of_others_kept) {
  detail::ImageSymbols symbols;
  detail::JpegCoefficients image;
  image.blocks[0].resize(std::size_t{1} << 20U);
  EXPECT_FALSE(detail::release_if_large(image, symbols));
  EXPECT_EQ(image.blocks[0].size(), std::size_t{1} << 20U);
  image.blocks[1].resize(std::size_t{12} << 20U);
  symbols[0].start(1000);
  EXPECT_TRUE(detail::release_if_large(image, symbols));
  EXPECT_EQ(image.blocks[0].capacity() + image.blocks[1].capacity(), 0u);
  EXPECT_EQ(symbols[0].symbols(0), nullptr);
}

TEST(Repacked, real_images) {
  const auto files = sample_jpegs();
  if (files.empty()) {
    GTEST_SKIP() << "the shared sample is not here";
  }
  RepackTrainer trainer;
  for (std::size_t i = 0; i < files.size(); i += 8) {
    EXPECT_TRUE(trainer.add(files[i]));
  }
  const auto tables = trainer.train();
  RepackEncoder encoder(tables);
  RepackedDecoder decoder{DecodeLimits{}};
  decoder.use_tables(tables);
  std::size_t file_bytes = 0;
  std::size_t stored_bytes = 0;
  std::map<std::string, int> kept;
  Bytes record;
  std::mt19937 random(3);
  for (const Bytes& file : files) {
    file_bytes += file.size();
    if (const auto reason = encoder.encode(file, RepackFidelity::file, record)) {
      ++kept[*reason];
      stored_bytes += file.size();
      continue;
    }
    stored_bytes += record.size();
    ImageDecoder reference;
    const auto opened = reference.open(file);
    ASSERT_TRUE(opened.ok() && decoder.open(record).ok());
    const auto draw = [&](int bound) { return static_cast<int>(random() % static_cast<unsigned>(bound)); };
    const int x = draw(opened->width);
    const int y = draw(opened->height);
    const Rect box{x, y, 1 + draw(opened->width - x), 1 + draw(opened->height - y)};
    const auto wanted = decode_guarded(reference, box, PixelLayout::rgb);
    const auto got = decode_box(decoder, box, 0);
    ASSERT_TRUE(wanted.ok() && got.ok());
    ASSERT_TRUE(*wanted == *got);
  }
  EXPECT_LE(stored_bytes, file_bytes);
  EXPECT_LE(kept.size(), 2u);
  EXPECT_LT(kept["larger"], static_cast<int>(files.size()) / 20);
}

}  // namespace
}  // namespace penstock::test
