#pragma once
// Small JPEG files made by the tests.

#include <cstdint>
#include <vector>

namespace penstock::inline v0 {

/// A JPEG of that size; different seeds give different images.
std::vector<std::uint8_t> make_jpeg(int width, int height, unsigned seed);
/// The same with one channel: it can be read as a mask.
std::vector<std::uint8_t> make_gray_jpeg(int width, int height, unsigned seed);

}  // namespace penstock::inline v0
