#pragma once
// A blurred image minus one that is blurred more: what cells of the eye with a center and a surround answer.
// Outside there is nothing, zeros. Float32; results are equal on every CPU target. Pure functions; any thread
// may call.

#include <cstddef>
#include <cstdint>

#include "penstock/sample.hpp"

namespace penstock::inline v0 {

/// Standard deviations in pixels. Each Gaussian reaches over int(6 * sigma) + 1 pixels, or one more to be
/// odd.
struct CenterSurround {
  double center = 1;
  double surround = 1;
};

/// Bytes of memory that it works in.
std::size_t work_of_difference(ImageSize size, const CenterSurround& sigmas);

/// `out` = blurred by the center - blurred by the surround, of size.width * size.height floats; other memory
/// than `in`. `work` is aligned as pointers are.
void difference_of_gaussians(const float* in, ImageSize size, const CenterSurround& sigmas, float* out,
                             std::uint8_t* work);

}  // namespace penstock::inline v0
