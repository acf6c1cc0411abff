// From a JPEG file to the pixels of a training crop (R253).

#include <benchmark/benchmark.h>
// libjpeg needs FILE declared before its header.
#include <cstdio>

#include <jpeglib.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <vector>

#include "codecs/image_decoder.hpp"
#include "core/rng.hpp"
#include "sample_images.hpp"

namespace penstock::bench {
namespace {

constexpr std::size_t kImages = 200;
constexpr std::size_t kSlack = 64;

/// libjpeg as its example shows it: new state and new memory for each image, all of it decoded.
void decode_plainly(ByteSpan file) {
  jpeg_decompress_struct jpeg;
  jpeg_error_mgr errors;
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&jpeg);
  jpeg_mem_src(&jpeg, file.data(), file.size());
  jpeg_read_header(&jpeg, TRUE);
  jpeg.out_color_space = JCS_RGB;
  jpeg_start_decompress(&jpeg);
  const std::size_t stride = std::size_t{jpeg.output_width} * 3;
  std::vector<std::uint8_t> pixels(stride * jpeg.output_height);
  while (jpeg.output_scanline < jpeg.output_height) {
    JSAMPROW row = pixels.data() + stride * jpeg.output_scanline;
    jpeg_read_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_decompress(&jpeg);
  jpeg_destroy_decompress(&jpeg);
  benchmark::DoNotOptimize(pixels.data());
}

void plain(benchmark::State& state) {
  if (!have_images(state)) {
    return;
  }
  std::size_t number = 0;
  for (auto _ : state) {
    decode_plainly(sample_images().bytes(number++ % kImages));
  }
  state.SetItemsProcessed(state.iterations());
}

/// The same in a thread of its own, in which libjpeg-turbo is told to use no vector instructions.
void plain_without_simd(benchmark::State& state) {
  setenv("JSIMD_FORCENONE", "1", 1);
  std::thread([&] { plain(state); }).join();
  unsetenv("JSIMD_FORCENONE");
}

/// torchvision's RandomResizedCrop draws areas of 8 to 100 percent; here without its retries.
Rect random_box(ImageSize size, std::uint64_t number) {
  Draws draws({.seed = 1, .epoch = 0, .sample = number}, 0);
  const double share = 0.08 + 0.92 * draws.uniform();
  const double side = std::sqrt(share);
  const int width = std::max(1, static_cast<int>(side * size.width));
  const int height = std::max(1, static_cast<int>(side * size.height));
  return {.x = static_cast<int>(draws.uniform() * (size.width - width)),
          .y = static_cast<int>(draws.uniform() * (size.height - height)),
          .width = width,
          .height = height};
}

template <bool kCropOnly>
void reused_decoder(benchmark::State& state) {
  if (!have_images(state)) {
    return;
  }
  ImageDecoder decoder;
  std::vector<std::uint8_t> pixels;
  std::size_t number = 0;
  for (auto _ : state) {
    const std::size_t image = number++ % kImages;
    auto size = decoder.open(sample_images().bytes(image));
    if (!size.ok()) {
      throw std::runtime_error(size.error().to_string());
    }
    const Rect box = kCropOnly ? random_box(*size, number) : Rect{0, 0, size->width, size->height};
    const std::size_t stride = static_cast<std::size_t>(box.width) * 3;
    pixels.resize(std::max(pixels.size(), stride * static_cast<std::size_t>(box.height) + kSlack));
    const PixelView view{.data = pixels.data(), .stride = stride, .width = box.width, .height = box.height};
    if (auto status = decoder.decode(box, view); !status.ok()) {
      throw std::runtime_error(status.error().to_string());
    }
    benchmark::DoNotOptimize(pixels.data());
  }
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK(plain_without_simd)
    ->Name("R253_jpeg_crop/before_plain_c")
    ->UseRealTime()
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(plain)->Name("R253_jpeg_crop/full_new_decoder")->UseRealTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(reused_decoder<false>)
    ->Name("R253_jpeg_crop/full_reused_decoder")
    ->UseRealTime()
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(reused_decoder<true>)
    ->Name("R253_jpeg_crop/after_crop_only")
    ->UseRealTime()
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace penstock::bench
