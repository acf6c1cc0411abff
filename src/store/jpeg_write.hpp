#pragma once
// Pixels to a JPEG file.

#include <cstdint>
#include <vector>

#include "penstock/result.hpp"
#include "penstock/sample.hpp"

namespace penstock::inline v0 {

/// Baseline, 4:2:0, libjpeg's own tables; `rows` are R, G, B without gaps. A pure function of its arguments.
Result<std::vector<std::uint8_t>> write_jpeg(const std::uint8_t* rows, ImageSize size, int quality);

}  // namespace penstock::inline v0
