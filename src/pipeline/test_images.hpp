#pragma once
// Small JPEG files made by the tests.

#include <cstdint>
#include <vector>

namespace penstock::inline v0 {

/// A JPEG of that size; different seeds give different images.
std::vector<std::uint8_t> make_jpeg(int width, int height, unsigned seed);

}  // namespace penstock::inline v0
