#pragma once
// Noise whose power falls with frequency, as that of natural scenes does.

#include <complex>

#include "core/rng.hpp"
#include "core/scratch.hpp"
#include "penstock/sample.hpp"

namespace penstock::inline v0 {

/// The noise of one channel after the other: power 1 / f^alpha, from 0 to 255 over the image.
class PowerLawNoise {
 public:
  /// `scratch` has its memory until it is gone. Sides of at most kMaxNoiseSide pixels.
  PowerLawNoise(ImageSize size, double alpha, Scratch& scratch);

  /// Draws the noise of the next channel.
  void next(Draws& draws);
  std::uint8_t at(int x, int y) const;

 private:
  using Wave = std::complex<double>;

  const Wave& wave(int x, int y) const {
    return waves_[static_cast<std::size_t>(y) * width_ + static_cast<std::size_t>(x)];
  }

  ImageSize size_;
  double alpha_;
  std::size_t width_;  // those of the waves, powers of two
  std::size_t height_;
  Wave* waves_;
  double least_ = 0;
  double most_ = 0;
};
inline constexpr int kMaxNoiseSide = 4096;

}  // namespace penstock::inline v0
