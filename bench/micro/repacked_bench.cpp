// Decoding a random crop of a JPEG image by libjpeg-turbo, by our JPEG decoder and from a repacked record;
// and how long repacking takes.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
// jpeglib.h needs <cstdio> before it.
#include <jpeglib.h>

#include <memory>
#include <stdexcept>
#include <vector>

#include "codecs/jpeg.hpp"
#include "codecs/repacked.hpp"
#include "core/cpu.hpp"
#include "core/rng.hpp"
#include "sample_images.hpp"

namespace penstock::bench {
namespace {

constexpr std::size_t kImages = 200;
constexpr std::size_t kSlack = 64;

using Bytes = std::vector<std::uint8_t>;

void check(const Status& status) {
  if (!status.ok()) {
    throw std::runtime_error(status.error().to_string());
  }
}

/// torchvision's RandomResizedCrop with its ratios; without its retries a box that does not fit is cut.
Rect random_box(ImageSize size, std::uint64_t number) {
  Draws draws({.seed = 1, .epoch = 0, .sample = number}, 0);
  const double area = (0.08 + 0.92 * draws.uniform()) * size.width * size.height;
  const double ratio = std::exp((2 * draws.uniform() - 1) * std::log(4.0 / 3));
  const int width = std::clamp(static_cast<int>(std::lround(std::sqrt(area * ratio))), 1, size.width);
  const int height = std::clamp(static_cast<int>(std::lround(std::sqrt(area / ratio))), 1, size.height);
  return {.x = static_cast<int>(draws.uniform() * (size.width - width)),
          .y = static_cast<int>(draws.uniform() * (size.height - height)),
          .width = width,
          .height = height};
}

/// The images, their boxes, the tables and the records, made once.
struct Prepared {
  std::shared_ptr<const RepackTables> tables;
  std::vector<ByteSpan> files;
  std::vector<Bytes> records;
  std::vector<Rect> boxes;
};

const Prepared& prepared() {
  static const Prepared all = [] {
    if (const auto target = active_cpu_target(); !target.ok()) {
      throw std::runtime_error(target.error().to_string());
    }
    Prepared made;
    RepackTrainer trainer;
    for (std::size_t i = 0; i < kImages; i += 2) {
      trainer.add(sample_images().bytes(i));
    }
    made.tables = trainer.train();
    RepackEncoder encoder(made.tables);
    JpegDecoder decoder{DecodeLimits{}};
    for (std::size_t i = 0; i < kImages; ++i) {
      const ByteSpan file = sample_images().bytes(i);
      Bytes record;
      const auto size = decoder.open(file);
      if (!size.ok() || encoder.encode(file, RepackFidelity::file, record)) {
        continue;
      }
      made.files.push_back(file);
      made.records.push_back(std::move(record));
      made.boxes.push_back(random_box(*size, i));
    }
    return made;
  }();
  return all;
}

template <class Decoder, class Files>
void decode_crops(benchmark::State& state, Decoder& decoder, const Files& files) {
  Bytes pixels;
  std::size_t number = 0;
  for (auto _ : state) {
    const std::size_t image = number++ % files.size();
    const Rect& box = prepared().boxes[image];
    const auto opened = decoder.open(files[image]);
    if (!opened.ok()) {
      throw std::runtime_error(opened.error().to_string());
    }
    const std::size_t stride = static_cast<std::size_t>(box.width) * 3;
    pixels.resize(std::max(pixels.size(), stride * static_cast<std::size_t>(box.height) + kSlack));
    check(decoder.decode(
        box, {.data = pixels.data(), .stride = stride, .width = box.width, .height = box.height}));
    benchmark::DoNotOptimize(pixels.data());
  }
  state.SetItemsProcessed(state.iterations());
}

void by_jpeg_decoder(benchmark::State& state) {
  if (!have_images(state)) {
    return;
  }
  JpegDecoder decoder{DecodeLimits{}};
  decode_crops(state, decoder, prepared().files);
}

void by_repacked_decoder(benchmark::State& state) {
  if (!have_images(state)) {
    return;
  }
  RepackedDecoder decoder{DecodeLimits{}};
  decoder.use_tables(prepared().tables);
  decode_crops(state, decoder, prepared().records);
}

/// The rows and columns that the box needs, as libjpeg-turbo offers them; the decompressor is used again.
void by_libjpeg(benchmark::State& state) {
  if (!have_images(state)) {
    return;
  }
  const Prepared& all = prepared();
  jpeg_decompress_struct jpeg;
  jpeg_error_mgr errors;
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&jpeg);
  Bytes pixels;
  std::size_t number = 0;
  for (auto _ : state) {
    const std::size_t image = number++ % all.files.size();
    const ByteSpan file = all.files[image];
    const Rect& box = all.boxes[image];
    jpeg_mem_src(&jpeg, file.data(), file.size());
    jpeg_read_header(&jpeg, TRUE);
    jpeg.out_color_space = JCS_RGB;
    jpeg_start_decompress(&jpeg);
    auto x = static_cast<JDIMENSION>(box.x);
    auto width = static_cast<JDIMENSION>(box.width);
    jpeg_crop_scanline(&jpeg, &x, &width);
    if (box.y > 0) {
      jpeg_skip_scanlines(&jpeg, static_cast<JDIMENSION>(box.y));
    }
    const std::size_t stride = std::size_t{jpeg.output_width} * 3;
    pixels.resize(std::max(pixels.size(), stride * static_cast<std::size_t>(box.height)));
    for (int y = 0; y < box.height;) {
      JSAMPROW row = pixels.data() + stride * static_cast<std::size_t>(y);
      y += static_cast<int>(jpeg_read_scanlines(&jpeg, &row, 1));
    }
    jpeg_abort_decompress(&jpeg);
    benchmark::DoNotOptimize(pixels.data());
  }
  jpeg_destroy_decompress(&jpeg);
  state.SetItemsProcessed(state.iterations());
}

void repacking(benchmark::State& state) {
  if (!have_images(state)) {
    return;
  }
  RepackEncoder encoder(prepared().tables);
  Bytes record;
  std::size_t number = 0;
  for (auto _ : state) {
    const ByteSpan file = prepared().files[number++ % prepared().files.size()];
    benchmark::DoNotOptimize(encoder.encode(file, RepackFidelity::file, record));
  }
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK(by_libjpeg)->Name("repacked_crop/libjpeg_turbo")->UseRealTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(by_jpeg_decoder)->Name("repacked_crop/jpeg_decoder")->UseRealTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(by_repacked_decoder)->Name("repacked_crop/repacked")->UseRealTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(repacking)->Name("repacked_encode/with_proof")->UseRealTime()->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace penstock::bench
