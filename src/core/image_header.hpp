#pragma once
// The size of an image from the first bytes of its file, without decoding.

#include "penstock/sample.hpp"

namespace penstock::inline v0 {

/// Width and height of a JPEG, PNG or WebP file, recognised by content; {0, 0} for anything else, and when
/// the size is missing, zero or above 2^31 - 1. `bytes` may be the whole file: JPEG markers are walked by
/// their lengths, so only the pages that hold a marker are touched. Reads nothing outside `bytes`, takes no
/// memory. Any thread.
ImageSize image_size(ByteSpan bytes) noexcept;

}  // namespace penstock::inline v0
