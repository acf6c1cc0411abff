#include "transforms/kernels/float_map.hpp"

#include <bit>
#include <cmath>

namespace penstock::inline v0 {
namespace {

// 1 / x in two floats: their sum is closer to it than one float can be.
std::array<float, 2> reciprocal(float x) {
  const double exact = 1.0 / static_cast<double>(x);
  const auto high = static_cast<float>(exact);
  return {high, static_cast<float>(exact - static_cast<double>(high))};
}

template <class Compute>
bool agrees(const FloatTable& table, Compute compute) {
  for (std::size_t channel = 0; channel < FloatTable::kChannels; ++channel) {
    for (int value = 0; value < 256; ++value) {
      const float got = compute(channel, static_cast<float>(value));
      const float wanted = table.values[channel][static_cast<std::size_t>(value)];
      if (std::bit_cast<std::uint32_t>(got) != std::bit_cast<std::uint32_t>(wanted)) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

FloatTable::FloatTable() {
  for (auto& channel : values) {
    for (std::size_t value = 0; value < 256; ++value) {
      channel[value] = static_cast<float>(value) / 255.0F;
    }
  }
}

void FloatTable::shift(const Shift& by) {
  for (std::size_t channel = 0; channel < kChannels; ++channel) {
    simple = simple && mean[channel] == 0.0F && std[channel] == 1.0F;  // one such step
    mean[channel] = by.mean[channel];
    std[channel] = by.std[channel];
    for (float& value : values[channel]) {
      value = value - by.mean[channel];
      value = value / by.std[channel];
    }
  }
  shifts.push_back(by);
}

FloatMap::FloatMap(const FloatTable& from) : table(from) {
  const auto inverse = reciprocal(255.0F);
  inverse_255[0] = inverse[0];
  inverse_255[1] = inverse[1];
  for (std::size_t channel = 0; channel < FloatTable::kChannels; ++channel) {
    inverse_std[channel] = reciprocal(table.std[channel]);
  }
  if (!table.simple ||
      !agrees(table, [&](std::size_t c, float x) { return (x / 255.0F - table.mean[c]) / table.std[c]; })) {
    return;
  }
  method = Method::divide;
  const auto finish = [&](std::size_t c, float scaled) {
    const float shifted = scaled - table.mean[c];
    return std::fma(shifted, inverse_std[c][0], shifted * inverse_std[c][1]);
  };
  if (!agrees(table, [&](std::size_t c, float x) {
        return finish(c, std::fma(x, inverse_255[0], x * inverse_255[1]));
      })) {
    return;
  }
  method = Method::multiply;
  if (agrees(table, [&](std::size_t c, float x) {
        return finish(c, std::fma(257.0F * x, inverse_65535, tie_breaker));
      })) {
    method = Method::doubled;
  }
}

}  // namespace penstock::inline v0
