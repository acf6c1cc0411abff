// The image kernels on every CPU target there is here (R255).

#include <benchmark/benchmark.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "core/cpu.hpp"
#include "transforms/kernels/float_map.hpp"
#include "transforms/kernels/resample.hpp"
#include "transforms/kernels/write_rows.hpp"

namespace penstock::bench {
namespace {

constexpr int kIn = 375;
constexpr int kOut = 224;

std::vector<std::uint8_t> noise(std::size_t size) {
  std::vector<std::uint8_t> bytes(size);
  std::uint32_t state = 1;
  for (auto& byte : bytes) {
    state = state * 1664525U + 1013904223U;
    byte = static_cast<std::uint8_t>(state >> 24);
  }
  return bytes;
}

ResampleAxis reduce_axis() {
  ResampleWeights work;
  ResampleAxis axis;
  compute_axis({.in = kIn, .out = kOut, .first = 0, .count = kOut}, work, axis);
  return axis;
}

/// Forces one target for the length of a benchmark.
class Forced {
 public:
  explicit Forced(CpuTarget target) {
    if (auto status = force_cpu_target_for_test(target); !status.ok()) {
      throw std::runtime_error(status.error().to_string());
    }
  }
  ~Forced() { (void)force_cpu_target_for_test(std::nullopt); }
  Forced(const Forced&) = delete;
  Forced& operator=(const Forced&) = delete;
};

/// A benchmark of a kernel that did not run on the target would show another one's time.
void check_target(CpuTarget ran, CpuTarget wanted) {
  if (ran != wanted) {
    throw std::runtime_error(std::string("kernels ran on ") + name_of(ran) + ", not " + name_of(wanted));
  }
}

void horizontal(benchmark::State& state, CpuTarget target) {
  const Forced forced(target);
  check_target(resample_target(), target);
  const ResampleAxis axis = reduce_axis();
  const auto in = noise(padded_stride(kIn) * kIn);
  std::vector<std::uint8_t> out(padded_stride(kOut) * kIn);
  for (auto _ : state) {
    resample_horizontal({.axis = &axis}, in.data(), padded_stride(kIn), kIn, out.data(), padded_stride(kOut));
    benchmark::ClobberMemory();
  }
}

void vertical(benchmark::State& state, CpuTarget target) {
  const Forced forced(target);
  check_target(resample_target(), target);
  const ResampleAxis axis = reduce_axis();
  const std::size_t stride = padded_stride(kOut);
  const auto in = noise(stride * kIn);
  std::vector<std::uint8_t> out(stride * kOut);
  for (auto _ : state) {
    for (int row = 0; row < kOut; ++row) {
      const auto* first = in.data() + stride * static_cast<std::size_t>(axis.taps_of(row).start);
      resample_vertical(axis, row, first, stride, kOut * 3,
                        out.data() + stride * static_cast<std::size_t>(row));
    }
    benchmark::ClobberMemory();
  }
}

void normalise(benchmark::State& state, CpuTarget target) {
  const Forced forced(target);
  check_target(write_target(), target);
  FloatTable table;
  table.mean = {0.485F, 0.456F, 0.406F};
  table.std = {0.229F, 0.224F, 0.225F};
  for (std::size_t channel = 0; channel < 3; ++channel) {
    for (std::size_t value = 0; value < 256; ++value) {
      table.values[channel][value] =
          (static_cast<float>(value) / 255.0F - table.mean[channel]) / table.std[channel];
    }
  }
  const FloatMap map(table);
  const auto in = noise(padded_stride(kOut) * kOut);
  std::vector<float> out(3 * kOut * kOut);
  const ImageSink sink{
      .data = out.data(), .size = {kOut, kOut}, .type = ElementType::float32, .floats = &map};
  for (auto _ : state) {
    for (int row = 0; row < kOut; ++row) {
      write_row(sink, row, in.data() + padded_stride(kOut) * static_cast<std::size_t>(row));
    }
    benchmark::ClobberMemory();
  }
}

const bool registered = [] {
  const auto add = [](const char* kernel, auto body) {
    for (const CpuTarget target : available_cpu_targets()) {
      const char* role = target == CpuTarget::scalar ? "before_" : "";
      benchmark::RegisterBenchmark((std::string("R255_") + kernel + "/" + role + name_of(target)).c_str(),
                                   body, target)
          ->Unit(benchmark::kMicrosecond);
    }
  };
  add("resample_horizontal", horizontal);
  add("resample_vertical", vertical);
  add("normalise_float32", normalise);
  return true;
}();

}  // namespace
}  // namespace penstock::bench
