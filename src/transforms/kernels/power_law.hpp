#pragma once
// Noise whose power falls with frequency, as that of natural scenes does. A pure function; any thread may
// call.

#include "core/rng.hpp"
#include "core/scratch.hpp"
#include "transforms/kernels/pixel_rows.hpp"

namespace penstock::inline v0 {

/// Fills what lies around `inner` with noise of power 1 / f^alpha, one field for each of the first three
/// channels, each from 0 to 255 over the image; a fourth channel becomes 255.
void fill_power_law(const PixelRows& out, const Rect& inner, double alpha, Draws& draws, Scratch& scratch);

}  // namespace penstock::inline v0
