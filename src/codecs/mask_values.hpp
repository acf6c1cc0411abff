#pragma once
// Values of masks in the type that was asked for.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "codecs/image_decoder.hpp"

namespace penstock::inline v0 {

/// `count` values of a mask in PixelLayout::index or gray_16 to as many int32 at `out`.
inline void widen_mask(const std::uint8_t* in, PixelLayout layout, std::size_t count, void* out) {
  auto* to = static_cast<std::uint8_t*>(out);
  for (std::size_t i = 0; i < count; ++i, to += sizeof(std::int32_t)) {
    std::uint16_t value = 0;
    std::memcpy(&value, in + i * pixel_bytes(layout), pixel_bytes(layout));  // the low byte comes first
    const std::int32_t wide = value;
    std::memcpy(to, &wide, sizeof wide);
  }
}

}  // namespace penstock::inline v0
