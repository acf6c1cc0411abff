#include "codecs/exif.hpp"

#include <gtest/gtest.h>

#include <string_view>

#include "codecs/pixels.hpp"
#include "codecs/test_repacked.hpp"

namespace penstock::test {
namespace {

using namespace std::string_view_literals;

void append_text(Bytes& bytes, std::string_view text) { bytes.insert(bytes.end(), text.begin(), text.end()); }
void append_number(Bytes& bytes, std::uint32_t number, int size, bool big) {
  for (int i = 0; i < size; ++i) {
    bytes.push_back(static_cast<std::uint8_t>(number >> 8 * (big ? size - 1 - i : i)));
  }
}

/// A directory with another entry before the one that matters.
Bytes exif_data(std::uint32_t orientation, bool big, std::uint32_t type = 3) {
  Bytes exif;
  append_text(exif, big ? "MM\0*"sv : "II*\0"sv);
  append_number(exif, 10, 4, big);
  append_number(exif, 0xABCD, 2, big);
  append_number(exif, 2, 2, big);
  for (const auto& [tag, value] : {std::pair(0x0100U, 77U), std::pair(0x0112U, orientation)}) {
    const std::uint32_t kind = tag == 0x0112 ? type : 3;
    append_number(exif, tag, 2, big);
    append_number(exif, kind, 2, big);
    append_number(exif, 1, 4, big);
    append_number(exif, value, kind == 4 ? 4 : kind == 1 ? 1 : 2, big);
    exif.resize(exif.size() + (kind == 4 ? 0 : kind == 1 ? 3 : 2));
  }
  append_number(exif, 0, 4, big);
  return exif;
}

Bytes with_segment(Bytes jpeg, std::string_view name, const Bytes& data) {
  Bytes segment = {0xFF, 0xE1};
  append_number(segment, static_cast<std::uint32_t>(2 + name.size() + data.size()), 2, true);
  append_text(segment, name);
  segment.insert(segment.end(), data.begin(), data.end());
  jpeg.insert(jpeg.begin() + 2, segment.begin(), segment.end());
  return jpeg;
}

constexpr std::string_view kExif = "Exif\0\0"sv;
constexpr std::string_view kXmp = "http://ns.adobe.com/xap/1.0/\0"sv;
Bytes text_bytes(std::string_view text) { return {text.begin(), text.end()}; }
Bytes some_jpeg() { return *make_jpeg({.width = 31, .height = 17}); }

TEST(Exif, is_found_in_both_orders_of_bytes_and_all_types) {
  for (std::uint32_t orientation = 1; orientation <= 8; ++orientation) {
    for (const bool big : {false, true}) {
      for (const std::uint32_t type : {1U, 3U, 4U}) {
        const Bytes exif = exif_data(orientation, big, type);
        EXPECT_EQ(detail::orientation_in_exif(exif), static_cast<int>(orientation)) << big << type;
        EXPECT_EQ(detail::jpeg_orientation(with_segment(some_jpeg(), kExif, exif)),
                  static_cast<int>(orientation));
      }
    }
  }
  EXPECT_EQ(detail::orientation_in_exif(exif_data(0, true)), 1);
  EXPECT_EQ(detail::orientation_in_exif(exif_data(9, false)), 1);
  EXPECT_EQ(detail::orientation_in_exif(exif_data(6, false, 2)), 0) << "a text";
  EXPECT_EQ(detail::jpeg_orientation(some_jpeg()), 1);
}

TEST(Exif, may_have_its_name_twice) {
  Bytes exif = text_bytes("Exif\0\0Exif\0\0"sv);
  const Bytes data = exif_data(5, true);
  exif.insert(exif.end(), data.begin(), data.end());
  EXPECT_EQ(detail::orientation_in_exif(exif), 5);
}

TEST(Exif, comes_before_xmp) {
  const Bytes attribute = text_bytes("<x tiff:Orientation=\"6\"/>");
  const Bytes element = text_bytes("tiff:Orientation, <tiff:Orientation>8</tiff:Orientation>");
  EXPECT_EQ(detail::orientation_in_xmp(attribute), 6);
  EXPECT_EQ(detail::orientation_in_xmp(element), 8);
  EXPECT_EQ(detail::orientation_in_xmp(text_bytes("tiff:Orientation=\"")), 0);
  const Bytes jpeg = with_segment(some_jpeg(), kXmp, attribute);
  EXPECT_EQ(detail::jpeg_orientation(jpeg), 6);
  EXPECT_EQ(detail::jpeg_orientation(with_segment(jpeg, kExif, exif_data(3, false))), 3);
}

TEST(Exif, stands_in_chunks_of_png_and_webp) {
  const Bytes exif = exif_data(7, true);
  Bytes png(8);
  for (const auto& [type, data] : {std::pair("IHDR"sv, Bytes(13)), std::pair("IDAT"sv, Bytes(40)),
                                   std::pair("eXIf"sv, exif), std::pair("IEND"sv, Bytes())}) {
    append_number(png, static_cast<std::uint32_t>(data.size()), 4, true);
    append_text(png, type);
    png.insert(png.end(), data.begin(), data.end());
    append_number(png, 0, 4, true);
  }
  EXPECT_EQ(detail::png_orientation(png), 7);
  Bytes webp = text_bytes("RIFF\0\0\0\0WEBP"sv);
  for (const auto& [type, data] :
       {std::pair("VP8X"sv, Bytes(10)), std::pair("VP8 "sv, Bytes(7)),
        std::pair("XMP "sv, text_bytes("tiff:Orientation=\"2\"")), std::pair("EXIF"sv, exif)}) {
    append_text(webp, type);
    append_number(webp, static_cast<std::uint32_t>(data.size()), 4, false);
    webp.insert(webp.end(), data.begin(), data.end());
    webp.resize(webp.size() + data.size() % 2);
  }
  EXPECT_EQ(detail::webp_orientation(webp), 7);
  for (const Bytes& file : {png, webp, with_segment(some_jpeg(), kExif, exif)}) {
    for_each_mutation(file, 300, [](const Bytes& changed) {  // whatever they say, nothing outside is read
      for (const auto read : {detail::jpeg_orientation, detail::png_orientation, detail::webp_orientation}) {
        const int orientation = read(changed);
        EXPECT_TRUE(orientation >= 1 && orientation <= 8);
      }
    });
  }
}

TEST(Exif, is_written_where_it_is_found) {
  Bytes jpeg = some_jpeg();
  detail::add_orientation(8, jpeg);
  EXPECT_EQ(detail::jpeg_orientation(jpeg), 8);
  ImageDecoder decoder;
  EXPECT_EQ(*decode_whole(decoder, jpeg), *decode_whole(decoder, some_jpeg()));
  ASSERT_TRUE(decoder.open(jpeg).ok());
  EXPECT_EQ(*decoder.orientation(), 8);
}

TEST(Exif, is_kept_by_records_that_keep_the_file) {
  const Bytes jpeg = with_segment(*make_jpeg({.width = 203, .height = 151}), kExif, exif_data(6, true));
  const Repacked made = repack(jpeg);
  ASSERT_EQ(made.kept, "");
  ImageDecoder decoder;
  const std::vector<std::uint8_t> tables = serialise(*drawn_tables());
  ASSERT_TRUE(decoder.open(made.record, tables).ok());
  EXPECT_EQ(*decoder.orientation(), 6);
  const Repacked pixels = repack(jpeg, RepackFidelity::pixels);
  ASSERT_TRUE(decoder.open(pixels.record, tables).ok());
  EXPECT_EQ(decoder.orientation().error().kind, ErrorKind::unsupported);
  const std::vector<std::uint8_t> stored = make_pixels_record({2, 2});
  ASSERT_TRUE(decoder.open(stored).ok());
  EXPECT_EQ(decoder.orientation().error().kind, ErrorKind::unsupported);
}

}  // namespace
}  // namespace penstock::test
