#pragma once
// Resampling weights that one worker used lately. Not thread-safe: one owner.

#include <array>

#include "core/rng.hpp"
#include "transforms/kernels/resample_axis.hpp"

namespace penstock::inline v0 {

/// Holds a fixed number of axes; one that falls on the place of another takes its place and its memory.
class AxisCache {
 public:
  static constexpr std::size_t kPlaces = 256;

  /// Valid until the next call.
  const ResampleAxis& get(const AxisRequest& request) {
    const auto pair = [](int a, int b) {
      return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(a)) << 32) |
             static_cast<std::uint32_t>(b);
    };
    const std::uint64_t hash = mix64(mix64(pair(request.in, request.out), pair(request.first, request.count)),
                                     static_cast<std::uint64_t>(request.filter));
    ResampleAxis& place = places_[hash % kPlaces];
    if (place.request != request) {
      compute_axis(request, work_, place);
    }
    return place;
  }

 private:
  std::array<ResampleAxis, kPlaces> places_;
  ResampleWeights work_;
};

}  // namespace penstock::inline v0
