#include "transforms/kernels/power_law.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace penstock::inline v0 {
namespace {

using Wave = std::complex<double>;

// Products of waves without the care for infinities that the operator takes.
Wave times(const Wave& a, const Wave& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// The inverse transform without its factor, in place, of `count` numbers (a power of two) `step` apart.
// `turns` has e^(2 pi i k / count) for k < count / 2.
void inverse_transform(Wave* data, std::size_t count, std::size_t step, const Wave* turns) {
  for (std::size_t i = 1, j = 0; i < count; ++i) {
    std::size_t bit = count >> 1;
    for (; (j & bit) != 0; bit >>= 1) {
      j ^= bit;
    }
    j ^= bit;
    if (i < j) {
      std::swap(data[i * step], data[j * step]);
    }
  }
  for (std::size_t length = 2; length <= count; length *= 2) {
    for (std::size_t first = 0; first < count; first += length) {
      for (std::size_t k = 0; k < length / 2; ++k) {
        Wave& low = data[(first + k) * step];
        Wave& high = data[(first + k + length / 2) * step];
        const Wave turned = times(high, turns[k * (count / length)]);
        high = low - turned;
        low += turned;
      }
    }
  }
}

void make_turns(std::size_t count, Wave* turns) {
  for (std::size_t k = 0; k < count / 2; ++k) {
    turns[k] = std::polar(1.0, 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(count));
  }
}

// Waves of all directions and random phases; their real part is the noise.
void random_waves(std::size_t width, std::size_t height, double alpha, Draws& draws, Wave* waves) {
  const auto frequency = [](std::size_t i, std::size_t count) {
    const auto turns = static_cast<double>(std::min(i, count - i));
    return turns / static_cast<double>(count);
  };
  for (std::size_t y = 0; y < height; ++y) {
    for (std::size_t x = 0; x < width; ++x) {
      const double across = frequency(x, width), down = frequency(y, height);
      const double square = across * across + down * down;
      const double strength = square > 0 ? std::pow(square, -alpha / 4) : 0;
      const double phase = 2 * std::numbers::pi * 0x1.0p-32 * static_cast<double>(draws.next32());
      waves[y * width + x] = std::polar(strength, phase);
    }
  }
}

}  // namespace

PowerLawNoise::PowerLawNoise(ImageSize size, double alpha, Scratch& scratch)
    : size_(size),
      alpha_(alpha),
      width_(std::bit_ceil(static_cast<std::size_t>(size.width))),
      height_(std::bit_ceil(static_cast<std::size_t>(size.height))),
      waves_(reinterpret_cast<Wave*>(scratch.reserve((width_ * height_ + width_ + height_) * sizeof(Wave)))) {
  make_turns(width_, waves_ + width_ * height_);
  make_turns(height_, waves_ + width_ * height_ + width_);
}

void PowerLawNoise::next(Draws& draws) {
  const Wave* const across = waves_ + width_ * height_;
  random_waves(width_, height_, alpha_, draws, waves_);
  for (std::size_t y = 0; y < height_; ++y) {
    inverse_transform(waves_ + y * width_, width_, 1, across);
  }
  for (std::size_t x = 0; x < width_; ++x) {
    inverse_transform(waves_ + x, height_, width_, across + width_);
  }
  least_ = most_ = waves_[0].real();
  for (int y = 0; y < size_.height; ++y) {
    for (int x = 0; x < size_.width; ++x) {
      least_ = std::min(least_, wave(x, y).real());
      most_ = std::max(most_, wave(x, y).real());
    }
  }
}

std::uint8_t PowerLawNoise::at(int x, int y) const {
  const double share = most_ > least_ ? (wave(x, y).real() - least_) / (most_ - least_) : 0.5;
  return static_cast<std::uint8_t>(std::nearbyint(255 * share));
}

}  // namespace penstock::inline v0
