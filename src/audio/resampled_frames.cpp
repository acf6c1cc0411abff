#include "audio/resample.hpp"

namespace penstock::inline v0 {

std::uint64_t resampled_frames(std::uint64_t frames, int from, int to) noexcept {
  const auto in = static_cast<std::uint64_t>(from);
  const auto out = static_cast<std::uint64_t>(to);
  // Whole seconds apart from the rest: the product of two large numbers would not fit.
  return frames / in * out + (frames % in * out + in / 2) / in;
}

}  // namespace penstock::inline v0
