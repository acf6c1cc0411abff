#include <algorithm>
#include <cmath>

#include "transforms/kernels/field.hpp"
#include "transforms/kernels/field_pixels.hpp"

namespace penstock::inline v0 {
namespace {

std::array<float, 2> halves(std::uint32_t word) {
  constexpr float kUnit = 0x1.0p-15F;
  return {static_cast<float>(word >> 16) * kUnit - 1, static_cast<float>(word & 0xFFFF) * kUnit - 1};
}

}  // namespace

void fill_noise(const Draws::State& stream, std::size_t count, float* first, float* second) {
  Draws draws(stream);
  for (std::size_t i = 0; i < count; ++i) {
    const auto [a, b] = halves(draws.next32());
    first[i] = a;
    second[i] = b;
  }
}

void gaussian_taps(double sigma, int reach, float* taps) {
  double sum = 0;
  for (int i = 0; i <= reach; ++i) {
    sum += std::exp(-0.5 * (i / sigma) * (i / sigma)) * (i == 0 ? 1 : 2);
  }
  for (int i = 0; i <= reach; ++i) {
    taps[i] = static_cast<float>(std::exp(-0.5 * (i / sigma) * (i / sigma)) / sum);
  }
}

int reflected(int position, int length) {
  if (length == 1) {
    return 0;
  }
  const int period = 2 * (length - 1);
  const int turn = ((position % period) + period) % period;
  return turn < length ? turn : period - turn;
}

void nearest_row(const FieldJob& job, const float* columns, const float* rows, std::uint8_t* out) {
  const auto channels = static_cast<std::size_t>(job.in.channels);
  for (int x = 0; x < job.width; ++x, out += channels) {
    const float column = std::nearbyint(columns[x]), row = std::nearbyint(rows[x]);
    const bool inside = column >= 0 && row >= 0 && column < static_cast<float>(job.in.size.width) &&
                        row < static_cast<float>(job.in.size.height);
    const std::uint8_t* from =
        inside ? job.in.row(static_cast<int>(row)) + static_cast<std::size_t>(column) * channels
               : job.fill.data();
    std::memcpy(out, from, channels);
  }
}

}  // namespace penstock::inline v0
