#pragma once
// Fourier transforms of real frames of one size: the order of work and its tables, for the kernels.

#include <cstddef>
#include <vector>

namespace penstock::inline v0 {

/// A transform of `size` real values as one of `points` complex ones: size / 2 with even size (pairs of
/// neighbours are the complex numbers), else size. Decimation in frequency, in place. Immutable.
struct FftPlan {
  /// Blocks of `length` points, each split into `radix` parts.
  struct Pass {
    int radix = 0;
    int length = 0;
    std::size_t twiddles = 0;  ///< of point j and part p at twiddles + 2 * (j * (radix - 1) + p - 1)
    std::size_t roots = 0;     ///< the radix-th roots of one, where the radix has no code of its own
  };

  static FftPlan of(int size);

  int size = 0;
  int points = 0;
  int max_radix = 1;
  std::vector<Pass> passes;
  std::vector<float> factors;      ///< (cosine, sine) pairs: twiddles and roots
  std::vector<std::size_t> place;  ///< where output k lies after the last pass
  std::vector<float> split;        ///< even sizes: exp(-2 pi i k / size), k up to size / 4

  int bins() const noexcept { return size / 2 + 1; }
  bool is_even() const noexcept { return size % 2 == 0; }
};

}  // namespace penstock::inline v0
