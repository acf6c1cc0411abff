#pragma once
// How much work the scans of a JPEG file are, before any of them is decoded.

#include <cstdint>

struct jpeg_decompress_struct;

namespace penstock::inline v0::detail {

/// Encoders write about ten scans; hand-made scripts may have one for each of 64 coefficients.
inline constexpr std::uint64_t kMaxJpegScans = 500;
/// A pass over a block can take almost no bytes of the file and still tens of nanoseconds. These bound the
/// passes of a file: so many for each of its blocks, of which encoders need six, and for smaller images so
/// many in all.
inline constexpr std::uint64_t kMaxPassesPerBlock = 8;
inline constexpr std::uint64_t kAlwaysAllowedPasses = std::uint64_t{1} << 24;

struct JpegScans {
  std::uint64_t count = 0;
  std::uint64_t blocks = 0;  ///< of the image, all components
  std::uint64_t passes = 0;  ///< blocks of all scans together

  bool too_many() const noexcept {
    return count > kMaxJpegScans || (passes > kAlwaysAllowedPasses && passes / kMaxPassesPerBlock >= blocks);
  }
};

/// After jpeg_read_header(): walks the markers up to the end of the image, as libjpeg does. Files of one scan
/// are not walked.
JpegScans count_scans(jpeg_decompress_struct& cinfo) noexcept;

}  // namespace penstock::inline v0::detail
