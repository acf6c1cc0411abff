#pragma once
// The images that kernels read and write: plain views of rows in somebody else's memory.

#include <array>
#include <cstddef>
#include <cstdint>

#include "penstock/sample.hpp"

namespace penstock::inline v0 {

/// One pixel: a byte for each channel, or the two of 16-bit gray; the rest is not read.
using PixelBytes = std::array<std::uint8_t, 4>;

/// Rows of 8-bit pixels, of 1 (gray), 3 (RGB) or 4 (RGBA) channels; kernels that only move pixels take those
/// of 16-bit gray as two channels. Unless a kernel says otherwise, up to kRowSlack bytes after the last row
/// are read.
struct ConstPixelRows {
  const std::uint8_t* data = nullptr;
  std::size_t stride = 0;  ///< bytes from row to row
  ImageSize size;
  int channels = 3;

  const std::uint8_t* row(int y) const { return data + static_cast<std::size_t>(y) * stride; }
  std::size_t row_bytes() const {
    return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(channels);
  }
};

/// The same to be written: exactly the pixels, nothing between or after the rows.
struct PixelRows {
  std::uint8_t* data = nullptr;
  std::size_t stride = 0;
  ImageSize size;
  int channels = 3;

  std::uint8_t* row(int y) const { return data + static_cast<std::size_t>(y) * stride; }
  std::size_t row_bytes() const {
    return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(channels);
  }
  operator ConstPixelRows() const { return {data, stride, size, channels}; }  // implicit on purpose
};

}  // namespace penstock::inline v0
