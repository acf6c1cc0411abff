#include "codecs/jpeg_scans.hpp"

#include <cstdio>
// jpeglib.h needs <cstdio> before it.
#include <jpeglib.h>

#include <cstddef>
#include <cstring>

namespace penstock::inline v0::detail {
namespace {

constexpr std::uint8_t kStartOfScan = 0xDA;
constexpr std::uint8_t kEndOfImage = 0xD9;

std::uint64_t blocks_of(const jpeg_component_info& component) noexcept {
  return std::uint64_t{component.width_in_blocks} * component.height_in_blocks;
}

/// Of the components that a scan header names. `header` begins at the count of components.
std::uint64_t blocks_of_scan(const jpeg_decompress_struct& cinfo, const std::uint8_t* header,
                             std::size_t size) noexcept {
  std::uint64_t blocks = 0;
  for (std::size_t i = 0; i < header[0] && 1 + 2 * i < size; ++i) {
    for (int component = 0; component < cinfo.num_components; ++component) {
      if (cinfo.comp_info[component].component_id == header[1 + 2 * i]) {
        blocks += blocks_of(cinfo.comp_info[component]);
      }
    }
  }
  return blocks;
}

/// Whether what follows the marker has a length in front.
bool has_length(std::uint8_t marker) noexcept {
  return marker != 0x01 && (marker < 0xD0 || marker > 0xD8);  // TEM, restarts and the start of an image
}

}  // namespace

JpegScans count_scans(jpeg_decompress_struct& cinfo) noexcept {
  JpegScans scans{.count = 1};
  for (int i = 0; i < cinfo.num_components; ++i) {
    scans.blocks += blocks_of(cinfo.comp_info[i]);
  }
  for (int i = 0; i < cinfo.comps_in_scan; ++i) {
    scans.passes += blocks_of(*cinfo.cur_comp_info[i]);
  }
  if (!jpeg_has_multiple_scans(&cinfo)) {
    return scans;
  }
  const std::uint8_t* at = cinfo.src->next_input_byte;
  const std::uint8_t* const end = at + cinfo.src->bytes_in_buffer;
  while (at < end) {
    at = static_cast<const std::uint8_t*>(std::memchr(at, 0xFF, static_cast<std::size_t>(end - at)));
    while (at != nullptr && at < end && *at == 0xFF) {
      ++at;
    }
    if (at == nullptr || at == end || *at == kEndOfImage) {
      break;
    }
    const std::uint8_t marker = *at++;
    if (marker == 0 || !has_length(marker)) {
      continue;
    }
    const std::size_t left = static_cast<std::size_t>(end - at);
    const std::size_t size = left < 2 ? 0 : std::size_t{at[0]} << 8 | at[1];
    if (size < 2 || size > left) {
      break;  // libjpeg comes no further either
    }
    if (marker == kStartOfScan && size > 2) {
      ++scans.count;
      scans.passes += blocks_of_scan(cinfo, at + 2, size - 2);
    }
    at += size;
  }
  return scans;
}

}  // namespace penstock::inline v0::detail
