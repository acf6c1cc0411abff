#pragma once
// Pillow's resampling along one axis: which input pixels make an output pixel, with which weights.

#include <cstdint>
#include <vector>

#include "penstock/sample.hpp"
#include "penstock/transform.hpp"

namespace penstock::inline v0 {

/// Weights are whole numbers of 2^-22, as in Pillow.
inline constexpr int kWeightBits = 22;

/// What is asked for: output pixels [first, first + count) of `out` made from `in`.
struct AxisRequest {
  int in = 0;
  int out = 0;
  transforms::Interpolation filter = transforms::Interpolation::bilinear;
  int first = 0;
  int count = 0;

  bool operator==(const AxisRequest&) const = default;
};

/// The rule in its plain form. Not for `nearest`.
template <class Weight>
struct PlainWeights {
  struct Window {
    int first = 0;
    int count = 0;
  };
  std::vector<Window> windows;  ///< one for each output pixel asked for
  std::vector<Weight> weights;  ///< `stride` for each output pixel, `count` of them used
  int stride = 0;
  std::vector<double> work;
};

/// For 8-bit values.
using ResampleWeights = PlainWeights<std::int32_t>;
void compute_weights(const AxisRequest& request, ResampleWeights& weights);

/// For 16-bit values, which Pillow resamples in double.
using RealWeights = PlainWeights<double>;
void compute_weights(const AxisRequest& request, RealWeights& weights);

/// The same in one of two forms that the kernels read. A window never leaves the input unless the input is
/// shorter than the window; surplus taps have weight 0.
///
/// Digits, where no pixel needs more than four taps and no weight is negative: a weight is
/// top * 2^14 + middle * 2^7 + low. Sums of bytes times digits stay within 16 bits with `bias` added:
///   l = low sum + bias[0], m = middle sum + bias[1] + (l >> 7),
///   result = (top sum of (byte - 128) + bias[2] + (m >> 7)) / 2^8 modulo 2^8.
///
/// Pairs, for the rest: taps come in pairs, an even number of them. A weight is high * 2^11 + low, so that
/// products of 16 bits are enough.
struct ResampleAxis {
  struct Taps {
    int start = 0;  ///< first input pixel
    int count = 0;  ///< input pixels from there that exist
    int pairs = 0;  ///< at least count / 2; not used with digits
  };
  struct Pair {
    std::int16_t high[2];
    std::int16_t low[2];
  };
  /// Each number holds two neighbouring taps' bytes twice, or a bias twice: what vectors are filled with.
  struct Digits {
    std::uint32_t low[2];     ///< -128 .. 127
    std::uint32_t middle[2];  ///< -128 .. 127
    std::uint32_t top[2];     ///< 0 .. 255
    std::uint32_t bias[3];    ///< modulo 2^16; the first two are 0 unless taps is 4
    int taps;                 ///< 2, 3 or 4; those after them have weight 0
  };

  AxisRequest request;
  std::vector<Taps> taps;      ///< one for each output pixel asked for
  int digit_taps = 0;          ///< the most taps that a pixel has; 0: pairs are to be used
  std::vector<Digits> digits;  ///< one for each output pixel
  std::vector<Pair> pairs;     ///< `stride` for each output pixel
  int stride = 0;

  int count() const { return static_cast<int>(taps.size()); }
  const Taps& taps_of(int i) const { return taps[static_cast<std::size_t>(i)]; }
  const Digits& digits_of(int i) const { return digits[static_cast<std::size_t>(i)]; }
  const Pair* pairs_of(int i) const {
    return pairs.data() + static_cast<std::size_t>(i) * static_cast<std::size_t>(stride);
  }
};

/// Fills `axis`, whose memory is used again; `work` is scratch.
void compute_axis(const AxisRequest& request, ResampleWeights& work, ResampleAxis& axis);

/// The input pixel that each output pixel asked for copies under Pillow's NEAREST, whose rounding depends on
/// the pixels' type.
void compute_nearest(const AxisRequest& request, ElementType type, std::vector<int>& sources);

}  // namespace penstock::inline v0
