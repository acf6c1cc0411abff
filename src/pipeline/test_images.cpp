#include "pipeline/test_images.hpp"

#include <algorithm>
#include <cstdio>  // jpeglib.h needs FILE
#include <cstdlib>

#include <jpeglib.h>

namespace penstock::inline v0 {

namespace {

/// `channels` 3: RGB; 1: gray, the first of the three.
std::vector<std::uint8_t> make_jpeg_of(int width, int height, unsigned seed, int channels) {
  jpeg_compress_struct encoder{};
  jpeg_error_mgr errors{};
  encoder.err = jpeg_std_error(&errors);
  jpeg_create_compress(&encoder);
  unsigned char* file = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&encoder, &file, &size);
  encoder.image_width = static_cast<JDIMENSION>(width);
  encoder.image_height = static_cast<JDIMENSION>(height);
  encoder.input_components = channels;
  encoder.in_color_space = channels == 3 ? JCS_RGB : JCS_GRAYSCALE;
  jpeg_set_defaults(&encoder);
  jpeg_start_compress(&encoder, TRUE);
  std::vector<std::uint8_t> row(static_cast<std::size_t>(width * channels));
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const std::uint8_t pixel[] = {static_cast<std::uint8_t>(x * 7 + seed * 31),
                                    static_cast<std::uint8_t>(y * 5 + seed * 17),
                                    static_cast<std::uint8_t>((x + y) * 3 + seed)};
      std::copy_n(pixel, channels, row.begin() + x * channels);
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

}  // namespace

std::vector<std::uint8_t> make_jpeg(int width, int height, unsigned seed) {
  return make_jpeg_of(width, height, seed, 3);
}

std::vector<std::uint8_t> make_gray_jpeg(int width, int height, unsigned seed) {
  return make_jpeg_of(width, height, seed, 1);
}

}  // namespace penstock::inline v0
