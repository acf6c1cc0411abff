// JPEG files that are damaged, of kinds that are not handled, or too large.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <array>

#include "codecs/jpeg.hpp"
#include "codecs/jpeg_scans.hpp"
#include "codecs/test_images.hpp"

namespace penstock::test {
namespace {

using ::testing::HasSubstr;

Bytes sample_jpeg(JpegCoding coding = JpegCoding::baseline) {
  return *make_jpeg({.width = 83, .height = 61, .coding = coding, .sampling = {{2, 2}}});
}

void expect_error(const Bytes& file, ErrorKind kind, const char* text) {
  ImageDecoder decoder;
  const auto result = decode_whole(decoder, file);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, kind) << result.error().to_string();
  EXPECT_THAT(result.error().message, HasSubstr(text));
  EXPECT_EQ(result.error().place.stage, "decode");
}

TEST(Jpeg, a_file_cut_anywhere_is_corrupt) {
  for (const JpegCoding coding : {JpegCoding::baseline, JpegCoding::progressive, JpegCoding::arithmetic}) {
    const Bytes file = sample_jpeg(coding);
    ImageDecoder decoder;
    for (std::size_t size = 3; size < file.size(); ++size) {
      const auto opened = decoder.open(ByteSpan(file).first(size));
      ASSERT_FALSE(opened.ok()) << size;
      ASSERT_EQ(opened.error().kind, ErrorKind::corrupt) << size;
    }
    ASSERT_TRUE(decode_whole(decoder, file).ok());
  }
}

TEST(Jpeg, a_cut_scan_with_an_end_marker_is_corrupt) {
  for (const JpegCoding coding : {JpegCoding::baseline, JpegCoding::restarts}) {
    const Bytes file = sample_jpeg(coding);
    for (std::size_t size = scan_start(file); size + 4 < file.size(); size += 7) {
      Bytes cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
      cut.insert(cut.end(), {0xFF, 0xD9});
      expect_error(cut, ErrorKind::corrupt, "JPEG cannot be decoded");
    }
  }
}

TEST(Jpeg, a_progressive_scan_that_ends_early_is_corrupt) {
  Bytes file = sample_jpeg(JpegCoding::progressive);
  file.erase(file.end() - 12, file.end() - 2);
  expect_error(file, ErrorKind::corrupt, "premature end");
}

TEST(Jpeg, restart_markers_out_of_order_are_corrupt) {
  Bytes file = sample_jpeg(JpegCoding::restarts);
  std::size_t at = scan_start(file);
  while (!(file[at] == 0xFF && file[at + 1] == 0xD1)) {
    ++at;
  }
  file[at + 1] = 0xD2;
  expect_error(file, ErrorKind::corrupt, "restart marker");
}

TEST(Jpeg, fill_bytes_are_allowed_before_markers_and_nowhere_else) {
  for (const JpegCoding coding : {JpegCoding::baseline, JpegCoding::optimized, JpegCoding::restarts}) {
    const Bytes intact = sample_jpeg(coding);
    const Rgb whole = plain_jpeg_decode(intact);
    bool stuffed = false;
    bool marker = false;
    for (std::size_t at = scan_start(intact); at + 1 < intact.size() && !(stuffed && marker); ++at) {
      bool& tried = intact[at + 1] == 0 ? stuffed : marker;
      if (intact[at] != 0xFF || tried) {
        continue;
      }
      tried = true;
      Bytes file = intact;
      file.insert(file.begin() + static_cast<std::ptrdiff_t>(at), 0xFF);
      if (intact[at + 1] == 0) {
        expect_error(file, ErrorKind::corrupt, "");
      } else {
        ImageDecoder decoder;
        const auto result = decode_whole(decoder, file);
        ASSERT_TRUE(result.ok()) << result.error().message;
        EXPECT_TRUE(*result == whole);
      }
    }
    EXPECT_TRUE(stuffed && marker) << "the image shows nothing";
  }
}

TEST(Jpeg, missing_scans_are_corrupt) {
  // The first progressive scan carries the DC coefficients without their lowest bit, the first of the other
  // file only luma.
  for (const JpegCoding coding : {JpegCoding::progressive, JpegCoding::one_scan_per_component}) {
    expect_error(first_scan_only(sample_jpeg(coding)), ErrorKind::corrupt, "scans are missing");
  }
}

TEST(Jpeg, damage_below_the_box_does_not_matter_and_above_it_does) {
  const Bytes intact = *make_jpeg({.width = 64, .height = 64, .coding = JpegCoding::restarts});
  const Rgb whole = plain_jpeg_decode(intact);
  // Without its last restart marker the bottom of the image is lost.
  Bytes file = intact;
  std::size_t marker = file.size() - 4;
  while (!(file[marker] == 0xFF && file[marker + 1] >= 0xD0 && file[marker + 1] <= 0xD7)) {
    --marker;
  }
  file.erase(file.begin() + static_cast<std::ptrdiff_t>(marker),
             file.begin() + static_cast<std::ptrdiff_t>(marker) + 2);
  ImageDecoder decoder;
  ASSERT_TRUE(decoder.open(file).ok());
  const Rect top{5, 3, 40, 20};
  const auto part = decode_guarded(decoder, top, PixelLayout::rgb);
  ASSERT_TRUE(part.ok());
  EXPECT_TRUE(*part == whole.part(top));
  const auto bottom = decode_guarded(decoder, {0, 40, 64, 24}, PixelLayout::rgb);
  ASSERT_FALSE(bottom.ok());
  EXPECT_EQ(bottom.error().kind, ErrorKind::corrupt);
  EXPECT_TRUE(decode_guarded(decoder, top, PixelLayout::rgb).ok());
}

TEST(Jpeg, damage_outside_the_box_is_found_where_the_whole_file_is_checked) {
  const Rect center{48, 48, 224, 224};  // CenterCrop(224)
  int refused = 0;
  int seen_by_the_box = 0;
  for (const JpegCoding coding : {JpegCoding::baseline, JpegCoding::optimized, JpegCoding::restarts,
                                  JpegCoding::arithmetic, JpegCoding::progressive}) {
    const Bytes intact = *make_jpeg({.width = 320, .height = 320, .coding = coding, .sampling = {{2, 2}}});
    EXPECT_TRUE(expect_whole_file_checked(intact, {center, {0, 0, 1, 1}, {319, 319, 1, 1}}));
    const std::size_t begin = scan_start(intact);
    ASSERT_GT(intact.size(), begin + 2000);
    for (std::size_t i = 0; i < 40; ++i) {
      Bytes file = intact;
      const std::size_t at = begin + (intact.size() - begin - 514) * i / 39;
      std::fill_n(file.begin() + static_cast<std::ptrdiff_t>(at), 512, std::uint8_t{0});
      refused += expect_whole_file_checked(file, {center, {0, 0, 8, 8}}) ? 0 : 1;
      ImageDecoder plain;
      seen_by_the_box +=
          plain.open(file).ok() && decode_guarded(plain, center, PixelLayout::rgb).ok() ? 0 : 1;
    }
  }
  EXPECT_GT(refused, 100);  // of 200: zeros are codes too, and JPEG has no checksum
  EXPECT_LT(seen_by_the_box, refused - 20) << "the damage shows nothing";
}

TEST(Jpeg, mutated_files_are_refused_alike_by_a_whole_decode_and_a_checked_box) {
  for (const JpegCoding coding : kJpegCodings) {
    const Bytes intact = *make_jpeg({.width = 40, .height = 33, .coding = coding, .sampling = {{2, 2}}});
    for_each_mutation(intact, 200, [&](const Bytes& file) {
      expect_whole_file_checked(file, {{3, 2, 9, 7}, {0, 0, 40, 1}, {20, 20, 20, 13}});
    });
  }
}

TEST(Jpeg, an_embedded_preview_does_not_count_as_the_end) {
  const Bytes intact = sample_jpeg();
  Bytes file(intact.begin(), intact.begin() + 2);
  file.insert(file.end(), {0xFF, 0xE1, 0x00, 0x08, 0xFF, 0xD8, 0xFF, 0xD9, 0xFF, 0xD9});
  file.insert(file.end(), intact.begin() + 2, intact.end() - 2);
  expect_error(file, ErrorKind::corrupt, "truncated");
  file.insert(file.end(), {0xFF, 0xD9});
  ImageDecoder decoder;
  EXPECT_TRUE(decode_whole(decoder, file).ok());
}

TEST(Jpeg, bytes_after_the_end_are_ignored) {
  Bytes file = sample_jpeg();
  const Rgb whole = plain_jpeg_decode(file);
  file.insert(file.end(), 1000, 0);
  ImageDecoder decoder;
  const auto result = decode_whole(decoder, file);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(*result == whole);
}

TEST(Jpeg, mutated_files_give_pixels_or_an_error_and_leave_the_decoder_usable) {
  ImageDecoder decoder({.max_pixels = 1u << 16});
  for (const JpegCoding coding : kJpegCodings) {
    const Bytes intact = *make_jpeg({.width = 40, .height = 33, .coding = coding, .sampling = {{2, 2}}});
    const Rgb whole = plain_jpeg_decode(intact);
    for_each_mutation(intact, 400, [&](const Bytes& file) {
      const auto size = decoder.open(file);
      if (size.ok()) {
        std::mt19937 random(7);
        for (const Rect& box : boxes_in(size->width, size->height, 2, random)) {
          (void)decode_guarded(decoder, box, PixelLayout::rgba);
        }
      }
    });
    const auto again = decode_whole(decoder, intact);
    ASSERT_TRUE(again.ok());
    EXPECT_TRUE(*again == whole);
  }
}

TEST(Jpeg, kinds_that_are_not_handled_are_named) {
  expect_error(*make_jpeg({.width = 8, .height = 8, .color = JpegColor::two_components}),
               ErrorKind::unsupported, "2 colour components");
  Bytes twelve_bits = sample_jpeg();
  twelve_bits[find_marker(twelve_bits, 0xC0) + 4] = 12;
  expect_error(twelve_bits, ErrorKind::unsupported, "12");
  Bytes lossless = sample_jpeg();
  lossless[find_marker(lossless, 0xC0) + 1] = 0xC3;
  expect_error(lossless, ErrorKind::unsupported, "0xc3");
}

TEST(Jpeg, tables_of_the_image_before_are_not_used) {
  const Bytes intact = sample_jpeg();
  const std::size_t quantisation = find_marker(intact, 0xDB);
  Bytes file = intact;
  const std::size_t length = 2 + (std::size_t{file[quantisation + 2]} << 8 | file[quantisation + 3]);
  const auto begin = file.begin() + static_cast<std::ptrdiff_t>(quantisation);
  file.erase(begin, begin + static_cast<std::ptrdiff_t>(length));
  ImageDecoder decoder;
  for (int i = 0; i < 2; ++i) {
    const auto result = decode_whole(decoder, file);
    ASSERT_FALSE(result.ok());
    EXPECT_THAT(result.error().message, HasSubstr("Quantization table"));
    EXPECT_TRUE(decode_whole(decoder, intact).ok());
  }
}

TEST(Jpeg, a_file_without_huffman_tables_has_the_usual_ones) {
  const Bytes other = sample_jpeg(JpegCoding::optimized);
  const Bytes intact = sample_jpeg();
  Bytes file(intact.begin(), intact.begin() + 2);
  for (std::size_t at = 2; intact[at + 1] != 0xDA;) {
    const std::size_t length = 2 + (std::size_t{intact[at + 2]} << 8 | intact[at + 3]);
    if (intact[at + 1] != 0xC4) {
      file.insert(file.end(), intact.begin() + static_cast<std::ptrdiff_t>(at),
                  intact.begin() + static_cast<std::ptrdiff_t>(at + length));
    }
    at += length;
  }
  file.insert(file.end(), intact.begin() + static_cast<std::ptrdiff_t>(find_marker(intact, 0xDA)),
              intact.end());
  ASSERT_LT(file.size(), intact.size());
  ImageDecoder decoder;
  ASSERT_TRUE(decode_whole(decoder, other).ok());
  const auto result = decode_whole(decoder, file);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(*result == plain_jpeg_decode(intact));
}

TEST(Jpeg, an_image_above_the_limit_is_refused_by_open) {
  Bytes file = sample_jpeg();
  const std::size_t frame = find_marker(file, 0xC0);
  std::fill_n(file.begin() + static_cast<std::ptrdiff_t>(frame) + 5, 4, std::uint8_t{0xFE});
  ImageDecoder decoder;
  const auto opened = decoder.open(file);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().kind, ErrorKind::unsupported);
  ImageDecoder small({.max_pixels = 83 * 61 - 1});
  EXPECT_FALSE(small.open(sample_jpeg()).ok());
  ImageDecoder exact({.max_pixels = 83 * 61});
  EXPECT_TRUE(exact.open(sample_jpeg()).ok());
}

/// A file of one component per scan, its first scan `repeats` times more.
Bytes with_repeated_scan(int side, int repeats) {
  const Bytes intact =
      *make_jpeg({.width = side, .height = side, .coding = JpegCoding::one_scan_per_component});
  const auto first = static_cast<std::ptrdiff_t>(find_marker(intact, 0xDA));
  auto second = static_cast<std::ptrdiff_t>(scan_start(intact));
  while (!(intact[static_cast<std::size_t>(second)] == 0xFF &&
           intact[static_cast<std::size_t>(second) + 1] != 0)) {
    ++second;
  }
  Bytes file(intact.begin(), intact.begin() + first);
  for (int i = 0; i < repeats; ++i) {
    file.insert(file.end(), intact.begin() + first, intact.begin() + second);
  }
  file.insert(file.end(), intact.begin() + first, intact.end());
  return file;
}

TEST(Jpeg, a_file_of_endless_scans_is_refused) {
  constexpr auto kMore = static_cast<int>(detail::kMaxJpegScans) - 3;
  ImageDecoder decoder;
  EXPECT_TRUE(decode_whole(decoder, with_repeated_scan(16, kMore)).ok());
  expect_error(with_repeated_scan(16, kMore + 1), ErrorKind::unsupported, "JPEG has 501 scans");
}

TEST(Jpeg, ten_thousand_decodes_keep_no_memory) {
  std::vector<Bytes> files;
  for (const JpegCoding coding : kJpegCodings) {
    files.push_back(*make_jpeg({.width = 70, .height = 50, .coding = coding, .sampling = {{2, 2}}}));
  }
  files.push_back(Bytes(files[0].begin(), files[0].end() - 40));  // truncated
  ImageDecoder decoder;
  Bytes pixels(std::size_t{70} * 50 * 3 + 64);
  const auto round = [&](int count) {
    for (int i = 0; i < count; ++i) {
      if (decoder.open(files[static_cast<std::size_t>(i) % files.size()]).ok()) {
        const Rect box{i % 30, i % 20, 40, 30};
        EXPECT_TRUE(decoder.decode(box, {pixels.data(), 120, 40, 30, PixelLayout::rgb}).ok());
      }
    }
  };
  round(100);
  const auto before = mallinfo2().uordblks;
  round(10'000);
  EXPECT_EQ(mallinfo2().uordblks, before);
}

}  // namespace
}  // namespace penstock::test
