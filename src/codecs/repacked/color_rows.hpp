#pragma once
// Rows of samples to rows of pixels: libjpeg's "fancy" upsampling and its colour conversion. Pure functions,
// equal on every CPU target.

#include <cstddef>
#include <cstdint>

#include "codecs/image_decoder.hpp"

namespace penstock::detail {

/// Two chroma samples to one: out[2 i] and out[2 i + 1] for i < count, from in[-1] to in[count]. The row may
/// be overwritten, and read, for kUpsampleSlack bytes beyond.
inline constexpr std::size_t kUpsampleSlack = 64;
void upsample_across(const std::uint8_t* in, int count, std::uint8_t* out);

/// The row between `near` and `far`, three quarters near, upper rows and lower rows being rounded
/// differently.
void upsample_down(const std::uint8_t* near, const std::uint8_t* far, bool lower, int count,
                   std::uint8_t* out);

/// Both at once.
void upsample_both(const std::uint8_t* near, const std::uint8_t* far, int count, std::uint8_t* out);

/// Writes exactly `width` pixels.
void write_color_row(const std::uint8_t* y, const std::uint8_t* cb, const std::uint8_t* cr, int width,
                     PixelLayout layout, std::uint8_t* out);
void write_gray_row(const std::uint8_t* y, int width, PixelLayout layout, std::uint8_t* out);

}  // namespace penstock::detail
