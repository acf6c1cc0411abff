// One pass over the pixels beside one operation after the other (R256), from file to batch row.

#include <benchmark/benchmark.h>

#include <stdexcept>
#include <vector>

#include "codecs/image_decoder.hpp"
#include "sample_images.hpp"
#include "transforms/image_program.hpp"

namespace penstock::bench {
namespace {

constexpr int kSide = 224;
constexpr std::size_t kImages = 200;

template <class T>
T must(Result<T> result) {
  if (!result.ok()) {
    throw std::runtime_error(result.error().to_string());
  }
  return std::move(result).value();
}

void run_program(benchmark::State& state, std::vector<TransformPtr> operations, Fuse fuse) {
  if (!have_images(state)) {
    return;
  }
  const auto program = must(ImageProgram::compile(std::move(operations), MemoryFormat::channels_first, fuse));
  const auto workspace = program.make_workspace();
  ImageDecoder decoder;
  std::vector<float> row(3 * kSide * kSide);
  std::size_t number = 0;
  for (auto _ : state) {
    const std::size_t sample = number++ % kImages;
    const ImageSize size = must(decoder.open(sample_images().bytes(sample)));
    must(program.resolve(*workspace, size, {.seed = 1, .epoch = 0, .sample = sample}));
    if (auto status = program.run(*workspace, decoder, row.data()); !status.ok()) {
      throw std::runtime_error(status.error().to_string());
    }
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations());
}

void train(benchmark::State& state, Fuse fuse) { run_program(state, presets::imagenet_train(kSide), fuse); }
void val(benchmark::State& state, Fuse fuse) { run_program(state, presets::imagenet_val(kSide), fuse); }

BENCHMARK_CAPTURE(train, one_by_one, Fuse::off)
    ->Name("R256_imagenet_train/before_one_by_one")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(train, fused, Fuse::exact)
    ->Name("R256_imagenet_train/after_fused")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(val, one_by_one, Fuse::off)
    ->Name("R256_imagenet_val/before_one_by_one")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(val, fused, Fuse::exact)
    ->Name("R256_imagenet_val/after_fused")
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace penstock::bench
