#include <cstdio>
// jpeglib.h needs <cstdio> before it.
#include <fmt/format.h>
#include <jpeglib.h>

#include <cstdlib>
#include <memory>
#include <stdexcept>

#include "codecs/test_images.hpp"

namespace penstock::test {
namespace {

/// Throws through libjpeg; its memory is leaked on the way, which a test that fails may do.
[[noreturn]] void raise_error(j_common_ptr cinfo) {
  char message[JMSG_LENGTH_MAX];
  cinfo->err->format_message(cinfo, message);
  throw std::runtime_error(message);
}

struct FreeMemory {
  void operator()(unsigned char* memory) const { std::free(memory); }
};

void set_colors(jpeg_compress_struct& cinfo, const JpegVariant& variant) {
  switch (variant.color) {
    case JpegColor::gray:
      cinfo.input_components = 1;
      cinfo.in_color_space = JCS_GRAYSCALE;
      break;
    case JpegColor::ycbcr:
    case JpegColor::rgb:
      cinfo.input_components = 3;
      cinfo.in_color_space = JCS_RGB;
      break;
    case JpegColor::cmyk:
    case JpegColor::ycck:
      cinfo.input_components = 4;
      cinfo.in_color_space = JCS_CMYK;
      break;
    case JpegColor::two_components:
      cinfo.input_components = 2;
      cinfo.in_color_space = JCS_UNKNOWN;
      break;
  }
  jpeg_set_defaults(&cinfo);
  if (variant.color == JpegColor::rgb) {
    jpeg_set_colorspace(&cinfo, JCS_RGB);
  } else if (variant.color == JpegColor::ycck) {
    jpeg_set_colorspace(&cinfo, JCS_YCCK);
  }
  if (!variant.adobe_marker) {
    cinfo.write_Adobe_marker = FALSE;
  }
  for (int i = 0; i < cinfo.num_components; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const auto factors = at < variant.sampling.size() ? variant.sampling[at] : std::pair{1, 1};
    cinfo.comp_info[i].h_samp_factor = factors.first;
    cinfo.comp_info[i].v_samp_factor = factors.second;
  }
}

void set_coding(jpeg_compress_struct& cinfo, JpegCoding coding, std::vector<jpeg_scan_info>& scans) {
  switch (coding) {
    case JpegCoding::baseline:
      break;
    case JpegCoding::optimized:
      cinfo.optimize_coding = TRUE;
      break;
    case JpegCoding::progressive:
      jpeg_simple_progression(&cinfo);
      break;
    case JpegCoding::arithmetic:
      cinfo.arith_code = TRUE;
      break;
    case JpegCoding::restarts:
      cinfo.restart_interval = 3;
      break;
    case JpegCoding::one_scan_per_component:
      for (int i = 0; i < cinfo.num_components; ++i) {
        scans.push_back({1, {i, 0, 0, 0}, 0, 63, 0, 0});
      }
      cinfo.scan_info = scans.data();
      cinfo.num_scans = static_cast<int>(scans.size());
      break;
  }
}

}  // namespace

std::string JpegVariant::name() const {
  static constexpr const char* kColors[] = {"gray", "YCbCr", "RGB", "CMYK", "YCCK", "two components"};
  static constexpr const char* kCodings[] = {"baseline",   "optimized", "progressive",
                                             "arithmetic", "restarts",  "one scan per component"};
  std::string text = fmt::format("{} {} {}x{}", kColors[static_cast<int>(color)],
                                 kCodings[static_cast<int>(coding)], width, height);
  for (const auto& [h, v] : sampling) {
    text += fmt::format(" {}:{}", h, v);
  }
  return text;
}

std::optional<Bytes> make_jpeg(const JpegVariant& variant) {
  jpeg_compress_struct cinfo{};
  jpeg_error_mgr errors;
  cinfo.err = jpeg_std_error(&errors);
  errors.error_exit = raise_error;
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  std::vector<jpeg_scan_info> scans;
  try {
    jpeg_create_compress(&cinfo);
    jpeg_mem_dest(&cinfo, &memory, &size);
    cinfo.image_width = static_cast<JDIMENSION>(variant.width);
    cinfo.image_height = static_cast<JDIMENSION>(variant.height);
    set_colors(cinfo, variant);
    jpeg_set_quality(&cinfo, variant.quality, TRUE);
    set_coding(cinfo, variant.coding, scans);
    Bytes samples = draw(variant.width, variant.height, cinfo.input_components);
    jpeg_start_compress(&cinfo, TRUE);
    const auto row_bytes = static_cast<std::size_t>(variant.width * cinfo.input_components);
    while (cinfo.next_scanline < cinfo.image_height) {
      JSAMPROW row = samples.data() + cinfo.next_scanline * row_bytes;
      jpeg_write_scanlines(&cinfo, &row, 1);
    }
    jpeg_finish_compress(&cinfo);
  } catch (const std::runtime_error&) {
    jpeg_destroy_compress(&cinfo);
    std::free(memory);
    return std::nullopt;
  }
  jpeg_destroy_compress(&cinfo);
  const std::unique_ptr<unsigned char, FreeMemory> owner(memory);
  return Bytes(memory, memory + size);
}

Rgb plain_jpeg_decode(const Bytes& file) {
  jpeg_decompress_struct cinfo{};
  jpeg_error_mgr errors;
  cinfo.err = jpeg_std_error(&errors);
  errors.error_exit = raise_error;
  jpeg_create_decompress(&cinfo);
  jpeg_mem_src(&cinfo, file.data(), file.size());
  jpeg_read_header(&cinfo, TRUE);
  const bool inks = cinfo.num_components == 4;
  cinfo.out_color_space = inks ? JCS_CMYK : JCS_RGB;
  jpeg_start_decompress(&cinfo);
  Rgb result{static_cast<int>(cinfo.output_width), static_cast<int>(cinfo.output_height), {}};
  Bytes row(std::size_t{cinfo.output_width} * 4);
  while (cinfo.output_scanline < cinfo.output_height) {
    JSAMPROW rows = row.data();
    jpeg_read_scanlines(&cinfo, &rows, 1);
    for (std::size_t x = 0; x < cinfo.output_width; ++x) {
      for (std::size_t c = 0; c < 3; ++c) {
        if (!inks) {
          result.pixels.push_back(row[3 * x + c]);
          continue;
        }
        const int white = row[4 * x + 3];
        const int product = (255 - row[4 * x + c]) * white + 128;
        result.pixels.push_back(static_cast<std::uint8_t>(white - (((product >> 8) + product) >> 8)));
      }
    }
  }
  jpeg_finish_decompress(&cinfo);
  jpeg_destroy_decompress(&cinfo);
  return result;
}

std::size_t find_marker(const Bytes& file, std::uint8_t marker) {
  std::size_t at = 2;
  while (file[at + 1] != marker) {
    at += 2 + (std::size_t{file[at + 2]} << 8 | file[at + 3]);
  }
  return at;
}

std::size_t scan_start(const Bytes& file) {
  const std::size_t at = find_marker(file, 0xDA);
  return at + 2 + (std::size_t{file[at + 2]} << 8 | file[at + 3]);
}

Bytes first_scan_only(const Bytes& file) {
  std::size_t end = scan_start(file);
  while (!(file[end] == 0xFF && file[end + 1] != 0)) {
    ++end;
  }
  Bytes first(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(end));
  first.insert(first.end(), {0xFF, 0xD9});
  return first;
}

}  // namespace penstock::test
