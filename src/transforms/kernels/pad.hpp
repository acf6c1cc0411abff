#pragma once
// An image with pixels added around it.

#include "transforms/image_edits.hpp"

namespace penstock::inline v0 {

/// `out` is as much larger as the edit says; 16-bit gray has two channels of bytes. `reflect` and `symmetric`
/// go back and forth as often as it takes, like numpy's pad.
void pad_image(const PadEdit& edit, const ConstPixelRows& in, const PixelRows& out);

}  // namespace penstock::inline v0
