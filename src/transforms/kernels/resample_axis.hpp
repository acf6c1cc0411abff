#pragma once
// Pillow's resampling along one axis: which input pixels make an output pixel, with which weights.

#include <cstdint>
#include <vector>

#include "penstock/transform.hpp"

namespace penstock {

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
struct ResampleWeights {
  struct Window {
    int first = 0;
    int count = 0;
  };
  std::vector<Window> windows;        ///< one for each output pixel asked for
  std::vector<std::int32_t> weights;  ///< `stride` for each output pixel, `count` of them used
  int stride = 0;
  std::vector<double> work;
};
void compute_weights(const AxisRequest& request, ResampleWeights& weights);

/// The same in the form that the kernels read. Taps come in pairs: a lone pair where two taps are enough for
/// every pixel, else groups of four. A weight is high * 2^11 + low, so that products of 16 bits are enough.
/// A window never leaves the input unless the input is shorter than the window; surplus taps have weight 0.
struct ResampleAxis {
  struct Taps {
    int start = 0;  ///< first input pixel
    int count = 0;  ///< input pixels from there that exist, at most 2 * pairs
    int pairs = 0;
  };
  struct Pair {
    std::int16_t high[2];
    std::int16_t low[2];
  };

  AxisRequest request;
  std::vector<Taps> taps;   ///< one for each output pixel asked for
  std::vector<Pair> pairs;  ///< `stride` for each output pixel
  int stride = 0;           ///< 1: a lone pair; else a multiple of 2

  int count() const { return static_cast<int>(taps.size()); }
  const Taps& taps_of(int i) const { return taps[static_cast<std::size_t>(i)]; }
  const Pair* pairs_of(int i) const {
    return pairs.data() + static_cast<std::size_t>(i) * static_cast<std::size_t>(stride);
  }
};

/// Fills `axis`, whose memory is used again; `work` is scratch.
void compute_axis(const AxisRequest& request, ResampleWeights& work, ResampleAxis& axis);

/// The input pixel that each output pixel asked for copies under Pillow's NEAREST.
void compute_nearest(const AxisRequest& request, std::vector<int>& sources);

}  // namespace penstock
