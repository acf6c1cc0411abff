#pragma once
// Pixels to a JPEG file.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "penstock/result.hpp"
#include "penstock/sample.hpp"

namespace penstock::inline v0 {

/// The sides of an image that libjpeg takes, at most.
inline constexpr int kMaxJpegSide = 65500;

/// Baseline, 4:2:0, libjpeg's own tables, as Pillow's save() without options but a quality; rows of gray or
/// RGB pixels start every `stride` bytes. A pure function of its arguments.
Result<std::vector<std::uint8_t>> write_jpeg(const std::uint8_t* rows, std::size_t stride, ImageSize size,
                                             int channels, int quality);

}  // namespace penstock::inline v0
