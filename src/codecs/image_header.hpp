#pragma once
// The size of an image from the first bytes of its file, without decoding.

#include <optional>

#include "penstock/sample.hpp"

namespace penstock::inline v0 {

/// Width and height by the codec of the catalogue that recognises the content; {0, 0} for anything else, and
/// when the size is missing, zero or above 2^31 - 1; nothing when more of the file may tell. Reads nothing
/// outside `start`, of which it touches little, and takes no memory. Any thread.
std::optional<ImageSize> size_in_header(ByteSpan start) noexcept;

/// The same of a whole file.
inline ImageSize image_size(ByteSpan file) noexcept { return size_in_header(file).value_or(ImageSize{}); }

}  // namespace penstock::inline v0
