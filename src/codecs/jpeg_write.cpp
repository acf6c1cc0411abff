#include "codecs/jpeg_write.hpp"

#include <cstddef>
#include <cstdio>
//
#include <jpeglib.h>

#include <csetjmp>
#include <cstdlib>
#include <string>

namespace penstock::inline v0 {
namespace {

struct Failure {
  jpeg_error_mgr manager;
  std::jmp_buf back;
  char message[JMSG_LENGTH_MAX];
};

[[noreturn]] void on_error(j_common_ptr jpeg) {
  auto* const failure = reinterpret_cast<Failure*>(jpeg->err);
  jpeg->err->format_message(jpeg, failure->message);
  std::longjmp(failure->back, 1);
}

void on_message(j_common_ptr) {}

/// Nothing with a destructor may live here: errors jump over it. False leaves the words in `failure`.
bool compress(Failure& failure, const std::uint8_t* rows, std::size_t stride, ImageSize size, int channels,
              int quality, unsigned char** out, unsigned long* out_size) {
  jpeg_compress_struct jpeg{};
  jpeg.err = jpeg_std_error(&failure.manager);
  failure.manager.error_exit = on_error;
  failure.manager.output_message = on_message;
  if (setjmp(failure.back) != 0) {  // the one way that libjpeg has
    jpeg_destroy_compress(&jpeg);
    return false;
  }
  jpeg_create_compress(&jpeg);
  jpeg_mem_dest(&jpeg, out, out_size);
  jpeg.image_width = static_cast<JDIMENSION>(size.width);
  jpeg.image_height = static_cast<JDIMENSION>(size.height);
  jpeg.input_components = channels;
  jpeg.in_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, quality, TRUE);
  jpeg_start_compress(&jpeg, TRUE);
  while (jpeg.next_scanline < jpeg.image_height) {
    JSAMPROW row = const_cast<JSAMPROW>(rows + stride * jpeg.next_scanline);
    jpeg_write_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_compress(&jpeg);
  jpeg_destroy_compress(&jpeg);
  return true;
}

}  // namespace

Result<std::vector<std::uint8_t>> write_jpeg(const std::uint8_t* rows, std::size_t stride, ImageSize size,
                                             int channels, int quality) {
  Failure failure{};
  unsigned char* memory = nullptr;
  unsigned long used = 0;
  const bool done = compress(failure, rows, stride, size, channels, quality, &memory, &used);
  Result<std::vector<std::uint8_t>> result =
      done ? Result(std::vector<std::uint8_t>(memory, memory + used))
           : Result<std::vector<std::uint8_t>>(Error{.kind = ErrorKind::unsupported,
                                                     .message = std::string("JPEG: ") + failure.message,
                                                     .advice = {},
                                                     .place = {.stage = "encode"}});
  std::free(memory);  // libjpeg takes it from malloc
  return result;
}

}  // namespace penstock::inline v0
