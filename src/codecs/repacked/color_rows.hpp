#pragma once
// Rows of samples to rows of pixels: libjpeg's "fancy" upsampling and its colour conversion. Pure functions,
// equal on every CPU target.

#include <cstddef>
#include <cstdint>

namespace penstock::inline v0::detail {

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

/// Rows of samples of one size, and where their pixels go.
struct ColorRows {
  const std::uint8_t* y = nullptr;
  const std::uint8_t* cb = nullptr;
  const std::uint8_t* cr = nullptr;
  std::size_t luma_stride = 0;
  std::size_t chroma_stride = 0;
  int width = 0;
  int height = 0;
  std::uint8_t* out = nullptr;
  std::size_t out_stride = 0;
};

/// Writes exactly `width` RGB pixels per row. Rows of samples may be read for 64 bytes beyond.
void write_color_rows(const ColorRows& rows);
void write_gray_row(const std::uint8_t* y, int width, std::uint8_t* out);

}  // namespace penstock::inline v0::detail
