#include "pipeline/test_images.hpp"

#include <cstdio>  // jpeglib.h needs FILE
#include <cstdlib>

#include <jpeglib.h>

namespace penstock::inline v0 {

std::vector<std::uint8_t> make_jpeg(int width, int height, unsigned seed) {
  jpeg_compress_struct encoder{};
  jpeg_error_mgr errors{};
  encoder.err = jpeg_std_error(&errors);
  jpeg_create_compress(&encoder);
  unsigned char* file = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&encoder, &file, &size);
  encoder.image_width = static_cast<JDIMENSION>(width);
  encoder.image_height = static_cast<JDIMENSION>(height);
  encoder.input_components = 3;
  encoder.in_color_space = JCS_RGB;
  jpeg_set_defaults(&encoder);
  jpeg_start_compress(&encoder, TRUE);
  std::vector<std::uint8_t> row(static_cast<std::size_t>(width) * 3);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      row[3 * x] = static_cast<std::uint8_t>(x * 7 + seed * 31);
      row[3 * x + 1] = static_cast<std::uint8_t>(y * 5 + seed * 17);
      row[3 * x + 2] = static_cast<std::uint8_t>((x + y) * 3 + seed);
    }
    JSAMPROW rows[1] = {row.data()};
    jpeg_write_scanlines(&encoder, rows, 1);
  }
  jpeg_finish_compress(&encoder);
  jpeg_destroy_compress(&encoder);
  std::vector<std::uint8_t> bytes(file, file + size);
  std::free(file);
  return bytes;
}

}  // namespace penstock::inline v0
